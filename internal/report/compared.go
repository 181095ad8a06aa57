package report

import (
	"fmt"
	"math"

	"github.com/lambdamart/lambdamart/internal/digits"
	"github.com/lambdamart/lambdamart/internal/plot"
)

// Compared is two systems, judged by the same queries.
type Compared struct {
	Metric             string
	A, B               string    // names
	ValuesA, ValuesB   []float64 // one a query; NaN if the metric does not count it
	Mean, Low, High    float64   // of the differences, B less A, and its interval
	Level              float64   // of the interval, such as 0.95
	P                  string    // probability of the randomization test, as text
	Wins, Ties, Losses int       // of B

	// The table of the queries that differ most: their numbers, heads of columns before those of the values, and
	// the cells of a query.
	Differing []int
	Head      []string
	Cells     func(query int) []string
}

// Panel returns the figure of all queries side by side.
func (c *Compared) Panel() plot.Differences {
	const most = 45 // letters of a name
	d := plot.Differences{
		Title: fmt.Sprintf("%s: %s minus %s", c.Metric, plot.Shortened(c.B, most), plot.Shortened(c.A, most)),
		Subtitle: fmt.Sprintf("mean %+.4f, %g %% interval [%+.4f, %+.4f], randomization p = %s; wins %s, ties %s, loses %s", c.Mean, 100*c.Level,
			c.Low, c.High, c.P, digits.Thousands(c.Wins), digits.Thousands(c.Ties), digits.Thousands(c.Losses)),
		Mean: c.Mean, Low: c.Low, High: c.High,
	}
	for q, a := range c.ValuesA {
		if v := c.ValuesB[q] - a; !math.IsNaN(v) {
			d.Values = append(d.Values, v)
		}
	}
	return d
}

// Figures draws how many queries have which difference, and all of them side by side, with the table of those
// that differ most.
func (c *Compared) Figures(id string, colour int) []Figure {
	panel := c.Panel()
	histogram := plot.Bars{ID: id + "-histogram", Title: fmt.Sprintf("Queries by difference, %s - %s", c.B, c.A), XLabel: "queries", Colour: colour % Colours, Format: plot.Count,
		Description: fmt.Sprintf("Bars of the number of queries by difference: %d wins, %d ties and %d losses.", c.Wins, c.Ties, c.Losses), Bars: plot.CountedDifferences(panel.Values)}
	return []Figure{
		{Chart: &histogram, Caption: fmt.Sprintf("%s - %s: queries by difference.", c.B, c.A), Table: counts(histogram.Bars, "difference")},
		{Chart: &plot.Compared{ID: id, Pairs: []plot.Differences{panel}},
			Caption: fmt.Sprintf("Each query's difference. Blue: %s is better; orange: %s is better.", c.B, c.A), Table: c.Table()},
	}
}

// Table lists the queries that differ most. It has no rows if there is no difference.
func (c *Compared) Table() Grid {
	g := Grid{Caption: c.B + " - " + c.A, Folded: "The queries that differ most", Head: append(c.Head[:len(c.Head):len(c.Head)], c.A, c.B, "difference")}
	for _, q := range c.Differing {
		if d := c.ValuesB[q] - c.ValuesA[q]; d != 0 {
			g.Rows = append(g.Rows, append(c.Cells(q), digits.Four(c.ValuesA[q]), digits.Four(c.ValuesB[q]), fmt.Sprintf("%+.4f", d)))
		}
	}
	return g
}
