package compare

import (
	"io"

	"github.com/lambdamart/lambdamart/internal/plot"
	"github.com/lambdamart/lambdamart/io/stream"
)

// writeSVG writes the picture: a panel for each pair.
func (c comparison) writeSVG(path string) error {
	panels := make([]plot.Differences, len(c.Pairs))
	for i := range c.Pairs {
		panels[i] = c.compared(&c.Pairs[i], func(system int) string { return c.Systems[system] }, 0).Panel()
	}
	return stream.WriteFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, (&plot.Compared{ID: "differences", Pairs: panels}).Draw(plot.Print()))
		return err
	})
}
