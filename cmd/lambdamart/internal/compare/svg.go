package compare

import (
	"fmt"
	"io"
	"strings"

	"github.com/lambdamart/lambdamart/evaluate"
	"github.com/lambdamart/lambdamart/internal/digits"
	"github.com/lambdamart/lambdamart/internal/plot"
	"github.com/lambdamart/lambdamart/io/stream"
)

// writeSVG writes the picture: a panel for each pair.
func (c report) writeSVG(path string) error {
	panels := make([]plot.Differences, len(c.Pairs))
	for i := range c.Pairs {
		panels[i] = c.panel(&c.Pairs[i])
	}
	return stream.WriteFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, plot.DrawDifferences(plot.Print(), "differences", panels))
		return err
	})
}

func (c report) panel(p *evaluate.Pair) plot.Differences {
	const most = 45 // letters of a name
	name, _, _ := strings.Cut(c.Metric, " ")
	d := plot.Differences{
		Title: fmt.Sprintf("%s: %s minus %s", name, plot.Shortened(c.Systems[p.B], most), plot.Shortened(c.Systems[p.A], most)),
		Subtitle: fmt.Sprintf("mean %+.4f, %g %% interval [%+.4f, %+.4f], randomization p = %s; wins %s, ties %s, loses %s",
			p.Difference, 100*c.Tests.Level, p.Interval.Low, p.Interval.High, probability(p.Holm.Randomization), digits.Thousands(p.Wins), digits.Thousands(p.Equal), digits.Thousands(p.Loses)),
		Mean: p.Difference, Low: p.Interval.Low, High: p.Interval.High,
	}
	for q := range c.Queries {
		d.Values = append(d.Values, c.Values[p.B][q]-c.Values[p.A][q])
	}
	return d
}
