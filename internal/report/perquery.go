package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/internal/plot"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
)

// Queries are the columns by which tables identify a query, and their cells for a query index.
type Queries struct {
	Head  []string
	Cells func(query int) []string
}

// ByID are queries that are shown by their ids.
func ByID(ids []string) Queries {
	return Queries{[]string{"query"}, func(query int) []string { return ids[query : query+1 : query+1] }}
}

// PerQuery is the metric of each query for one ranking.
type PerQuery struct {
	Queries
	Metric string
	Values []float64 // one per query; NaN if the metric does not count it
}

// Section returns the part of a page about the queries, with the n worst of them. If other is not nil, it has
// a system A with which this one is compared, and what they have in common is set here. whose is as in
// Histogram.
func (p *PerQuery) Section(text, whose string, n int, other *Compared) Section {
	s := Section{ID: "queries", Title: "Queries", Text: text, Tables: []Grid{p.Worst(n)},
		Figures: []Figure{p.Histogram("queries-figure", whose)}}
	if other != nil {
		other.Queries, other.Metric, other.ValuesB, other.Listed = p.Queries, p.Metric, p.Values, n
		s.Figures = append(s.Figures, other.Figure("differences"))
	}
	return s
}

// Histogram draws a histogram of the queries' values. whose begins the caption and names the owner of the
// values; it may be empty.
func (p *PerQuery) Histogram(id, whose string) Figure {
	values := counted(p.Values)
	chart := plot.Bars{ID: id, Title: "Queries by " + p.Metric, XLabel: "queries", Color: 5, Format: plot.Count,
		Description: "Bars of the number of queries in each tenth of the range.",
		Bars:        plot.Counted(values, plot.NiceLimit(slices.Max(append(values, 1))), 10, "%.4g")}
	g := Grid{Head: []string{p.Metric, "queries"}}
	for _, b := range chart.Bars {
		g.Rows = append(g.Rows, []string{b.Name, plot.Count(b.Value)})
	}
	return Figure{Chart: &chart, Table: g,
		Caption: fmt.Sprintf("%s%s, by %s.", whose, wording.Count(len(values), "query"), p.Metric)}
}

// Worst lists the n queries with the smallest values.
func (p *PerQuery) Worst(n int) Grid {
	g := Grid{Caption: "The queries with the smallest values", Head: append(slices.Clone(p.Head), p.Metric)}
	for _, q := range smallest(p.Values, n) {
		g.Rows = append(g.Rows, append(p.Cells(q), wording.Four(p.Values[q])))
	}
	return g
}

// counted returns the values of the queries that the metric counts.
func counted(values []float64) []float64 { return slices.DeleteFunc(slices.Clone(values), math.IsNaN) }

// smallest returns the indexes of the n smallest values, equal ones in their order, and none of NaN.
func smallest(values []float64, n int) (at []int) {
	for i, v := range values {
		if !math.IsNaN(v) {
			at = append(at, i)
		}
	}
	slices.SortStableFunc(at, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	return at[:min(n, len(at))]
}

// Compared is two systems, evaluated on the same queries.
type Compared struct {
	Queries
	metric.Comparison // of B with A

	Metric           string
	A, B             string    // names
	ValuesA, ValuesB []float64 // one per query; NaN if the metric does not count it
	Level            float64   // of the interval; 0: 0.95
	P                string    // probability of the randomization test, as text
	Listed           int       // number of queries with the largest differences to list
}

// panel returns the figure that shows all queries.
func (c *Compared) panel(id string) plot.Differences {
	level := 100 * cmp.Or(c.Level, 0.95)
	return plot.Differences{ID: id,
		Title: fmt.Sprintf("%s: %s minus %s", c.Metric, plot.Shortened(c.B), plot.Shortened(c.A)),
		Subtitle: fmt.Sprintf("mean %+.4f, %g %% interval [%+.4f, %+.4f], randomization p = %s; wins %s, ties "+
			"%s, loses %s",
			c.Difference, level, c.Interval.Low, c.Interval.High, c.P,
			wording.Thousands(c.Wins), wording.Thousands(c.Equal), wording.Thousands(c.Loses)),
		Mean: c.Difference, Low: c.Interval.Low, High: c.Interval.High,
		Values: counted(c.differences()),
	}
}

// differences returns the difference of each query; NaN if the metric does not count it.
func (c *Compared) differences() []float64 {
	all := slices.Clone(c.ValuesB)
	for q, a := range c.ValuesA {
		all[q] -= a
	}
	return all
}

// Figure returns the figure of all queries, with a table of those that differ most.
func (c *Compared) Figure(id string) Figure {
	panel, table := c.panel(id), c.Table().Grid(c.B+" - "+c.A)
	table.Folded = "The queries that differ most"
	return Figure{Chart: &panel, Table: table,
		Caption: fmt.Sprintf("Each query's difference. Blue: %s is better; orange: %s is better.", c.B, c.A)}
}

// Table lists the queries that differ most. It has no rows if all differences are 0.
func (c *Compared) Table() *Table {
	t := &Table{Name: "differing_queries"}
	for _, name := range c.Head {
		t.Columns = append(t.Columns, Column{Name: name})
	}
	t.Columns = append(t.Columns, Column{Name: "a", Head: c.A, Show: As("%.4f")},
		Column{Name: "b", Head: c.B, Show: As("%.4f")}, Column{Name: "difference", Show: As("%+.4f"), For: People})
	differences := c.differences()
	for q, d := range differences {
		differences[q] = -math.Abs(d)
	}
	for _, q := range smallest(differences, c.Listed) {
		if a, b := c.ValuesA[q], c.ValuesB[q]; a != b {
			row := []any{}
			for _, cell := range c.Cells(q) {
				row = append(row, cell)
			}
			t.Add(append(row, a, b, b-a)...)
		}
	}
	return t
}

// Summary is a table of the first, highest and last values of curves.
func Summary(curves []plot.Series) Grid {
	g := Grid{Head: []string{"curve", "first", "best", "at iteration", "last"}}
	for _, c := range curves {
		if len(c.Points) == 0 {
			continue
		}
		best := slices.MaxFunc(c.Points, func(a, b plot.Point) int { return cmp.Compare(a.Y, b.Y) })
		g.Rows = append(g.Rows, []string{c.Name, wording.Four(c.Points[0].Y), wording.Four(best.Y),
			fmt.Sprint(best.X), wording.Four(c.Points[len(c.Points)-1].Y)})
	}
	return g
}
