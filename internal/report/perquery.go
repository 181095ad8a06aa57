package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/internal/digits"
	"github.com/lambdamart/lambdamart/internal/plot"
)

// PerQuery is the metric of each query for one ranking.
type PerQuery struct {
	Metric string
	Values []float64 // one a query; NaN if the metric does not count it

	// Columns of the table of the worst queries before that of the metric: their heads, and the cells of a
	// query.
	Head  []string
	Cells func(query int) []string
}

// Histogram draws how many queries have which value. whose says in the caption whose values these are; it may
// be empty.
func (p *PerQuery) Histogram(id, whose string) Figure {
	counted := p.counted()
	values, limit := make([]float64, len(counted)), 1.0
	for i, q := range counted {
		values[i], limit = p.Values[q], max(limit, p.Values[q])
	}
	chart := plot.Bars{ID: id, Title: "Queries by " + p.Metric, XLabel: "queries", Colour: 5, Format: plot.Count,
		Description: "Bars of the number of queries in each tenth of the range.", Bars: plot.Counted(values, plot.NiceLimit(limit), 10, "%.4g")}
	return Figure{Chart: &chart, Caption: fmt.Sprintf("%s%s queries, by %s.", whose, digits.Thousands(len(counted)), p.Metric), Table: counts(chart.Bars, p.Metric)}
}

// Both is the histogram with the n worst queries behind it.
func (p *PerQuery) Both(id, whose string, n int) Figure {
	f := p.Histogram(id, whose)
	f.Table = p.Worst(n)
	f.Table.Folded = f.Table.Caption
	return f
}

// counts is the table of a histogram.
func counts(bars []plot.Bar, of string) Grid {
	g := Grid{Head: []string{of, "queries"}}
	for _, b := range bars {
		g.Rows = append(g.Rows, []string{b.Name, plot.Count(b.Value)})
	}
	return g
}

// Worst lists the n queries with the smallest values.
func (p *PerQuery) Worst(n int) Grid {
	counted := p.counted()
	slices.SortStableFunc(counted, func(a, b int) int { return cmp.Compare(p.Values[a], p.Values[b]) })
	g := Grid{Caption: "The queries with the smallest values", Head: append(slices.Clone(p.Head), p.Metric)}
	for _, q := range counted[:min(n, len(counted))] {
		g.Rows = append(g.Rows, append(p.Cells(q), digits.Four(p.Values[q])))
	}
	return g
}

// counted returns the numbers of the queries that the metric counts.
func (p *PerQuery) counted() []int {
	var numbers []int
	for q, v := range p.Values {
		if !math.IsNaN(v) {
			numbers = append(numbers, q)
		}
	}
	return numbers
}
