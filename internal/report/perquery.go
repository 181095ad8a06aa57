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

// Section returns the part of a page about the queries, with the n worst of them and, if there is another
// system, the differences from it. whose is as in Histogram.
func (p *PerQuery) Section(text, whose string, n int, other *Compared) Section {
	s := Section{ID: "queries", Title: "Queries", Text: text, Tables: []Grid{p.Worst(n)},
		Figures: []Figure{p.Histogram("queries-figure", whose)}}
	if other != nil {
		s.Figures = append(s.Figures, other.Figure("differences"))
	}
	return s
}

// Histogram draws a histogram of the queries' values. whose begins the caption and names the owner of the
// values; it may be empty.
func (p *PerQuery) Histogram(id, whose string) Figure {
	counted := p.counted()
	values, limit := make([]float64, len(counted)), 1.0
	for i, q := range counted {
		values[i], limit = p.Values[q], max(limit, p.Values[q])
	}
	chart := plot.Bars{ID: id, Title: "Queries by " + p.Metric, XLabel: "queries", Color: 5, Format: plot.Count,
		Description: "Bars of the number of queries in each tenth of the range.",
		Bars:        plot.Counted(values, plot.NiceLimit(limit), 10, "%.4g")}
	g := Grid{Head: []string{p.Metric, "queries"}}
	for _, b := range chart.Bars {
		g.Rows = append(g.Rows, []string{b.Name, plot.Count(b.Value)})
	}
	return Figure{Chart: &chart, Table: g,
		Caption: fmt.Sprintf("%s%s, by %s.", whose, wording.Count(len(counted), "query"), p.Metric)}
}

// Worst lists the n queries with the smallest values.
func (p *PerQuery) Worst(n int) Grid {
	counted := p.counted()
	slices.SortStableFunc(counted, func(a, b int) int { return cmp.Compare(p.Values[a], p.Values[b]) })
	g := Grid{Caption: "The queries with the smallest values", Head: append(slices.Clone(p.Head), p.Metric)}
	for _, q := range counted[:min(n, len(counted))] {
		g.Rows = append(g.Rows, append(p.Cells(q), wording.Four(p.Values[q])))
	}
	return g
}

// counted returns the indexes of the queries that the metric counts.
func (p *PerQuery) counted() []int {
	var numbers []int
	for q, v := range p.Values {
		if !math.IsNaN(v) {
			numbers = append(numbers, q)
		}
	}
	return numbers
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
	d := plot.Differences{ID: id,
		Title: fmt.Sprintf("%s: %s minus %s", c.Metric, plot.Shortened(c.B), plot.Shortened(c.A)),
		Subtitle: fmt.Sprintf("mean %+.4f, %g %% interval [%+.4f, %+.4f], randomization p = %s; wins %s, ties "+
			"%s, loses %s",
			c.Difference, level, c.Interval.Low, c.Interval.High, c.P,
			wording.Thousands(c.Wins), wording.Thousands(c.Equal), wording.Thousands(c.Loses)),
		Mean: c.Difference, Low: c.Interval.Low, High: c.Interval.High,
	}
	for q, a := range c.ValuesA {
		if v := c.ValuesB[q] - a; !math.IsNaN(v) {
			d.Values = append(d.Values, v)
		}
	}
	return d
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
	for _, q := range mostDifferent(c.ValuesA, c.ValuesB, c.Listed) {
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

// mostDifferent returns the indexes of the n queries whose values differ most, the largest difference first,
// equal ones in the order of the queries. Queries without a value, NaN, are skipped. a and b have the same
// length.
func mostDifferent(a, b []float64, n int) []int {
	var queries []int
	for query := range a {
		if !math.IsNaN(b[query] - a[query]) {
			queries = append(queries, query)
		}
	}
	slices.SortStableFunc(queries, func(i, j int) int {
		return cmp.Compare(math.Abs(b[j]-a[j]), math.Abs(b[i]-a[i]))
	})
	return queries[:min(n, len(queries))]
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
