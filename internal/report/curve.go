package report

import (
	"math"
	"slices"
	"strconv"

	"github.com/lambdamart/lambdamart/internal/plot"
	"github.com/lambdamart/lambdamart/internal/wording"
)

// Curve is a metric by iteration.
type Curve struct {
	Name      string
	Color     int
	Iteration []int
	Value     []float64 // values that are not finite are left out
	Marked    int       // iteration that is marked in a chart with panels; 0: none
}

// points returns the finite values and the marks.
func (c *Curve) points() (line, marks []plot.Point) {
	for i, v := range c.Value {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		line = append(line, plot.Point{X: float64(c.Iteration[i]), Y: v})
		if c.Iteration[i] == c.Marked {
			marks = append(marks, line[len(line)-1])
		}
	}
	return line, marks
}

// Overlaid returns the series of curves in one chart.
func Overlaid(curves []Curve) (series []plot.Series) {
	for i := range curves {
		if line, _ := curves[i].points(); len(line) > 0 {
			series = append(series, plot.Series{Name: curves[i].Name, Color: curves[i].Color % Colors,
				Points: line})
		}
	}
	return series
}

// Panels returns the panels of curves in charts side by side. Curves of the same name share one.
func Panels(curves []Curve) (panels []plot.Panel) {
	for i := range curves {
		c := &curves[i]
		line, marks := c.points()
		if len(line) == 0 {
			continue
		}
		at := slices.IndexFunc(panels, func(p plot.Panel) bool { return p.Name == c.Name })
		if at < 0 {
			at, panels = len(panels), append(panels, plot.Panel{Name: c.Name, Color: c.Color % Colors})
		}
		panels[at].Lines, panels[at].Marks = append(panels[at].Lines, line), append(panels[at].Marks, marks...)
	}
	return panels
}

// Summary is a table of the first, highest and last values of curves.
func Summary(curves []Curve) Grid {
	g := Grid{Head: []string{"curve", "first", "best", "at iteration", "last"}}
	for i := range curves {
		c := &curves[i]
		if len(c.Value) == 0 {
			continue
		}
		best := 0
		for at, v := range c.Value {
			if c.Value[best] < v {
				best = at
			}
		}
		g.Rows = append(g.Rows, []string{c.Name, wording.Four(c.Value[0]), wording.Four(c.Value[best]),
			strconv.Itoa(c.Iteration[best]), wording.Four(c.Value[len(c.Value)-1])})
	}
	return g
}
