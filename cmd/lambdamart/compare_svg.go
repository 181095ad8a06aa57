package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/lambdamart/lambdamart/internal/plot"
	"github.com/lambdamart/lambdamart/io/stream"
)

// writeSVG writes the picture: a panel for each pair.
func (c *comparison) writeSVG(path string) error {
	panels := make([]plot.Differences, len(c.pairs))
	for i := range c.pairs {
		panels[i] = c.panel(&c.pairs[i])
	}
	return stream.WriteFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, plot.DrawDifferences(plot.Print(), "differences", panels))
		return err
	})
}

func (c *comparison) panel(p *pair) plot.Differences {
	const most = 45 // letters of a name
	name, _, _ := strings.Cut(c.metric, " ")
	d := plot.Differences{
		Title: fmt.Sprintf("%s: %s minus %s", name, plot.Shortened(c.systems[p.b].system, most), plot.Shortened(c.systems[p.a].system, most)),
		Subtitle: fmt.Sprintf("mean %+.4f, %g %% interval [%+.4f, %+.4f], randomization p = %s; wins %s, ties %s, loses %s",
			p.Difference, 100*c.tests.Level, p.Interval.Low, p.Interval.High, probability(p.corrected[1]), thousands(p.Wins), thousands(p.Equal), thousands(p.Loses)),
		Mean: p.Difference, Low: p.Interval.Low, High: p.Interval.High,
	}
	for q := range c.queries {
		d.Values = append(d.Values, c.values[p.b][q]-c.values[p.a][q])
	}
	return d
}
