package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/internal/plot"
	"github.com/lambdamart/lambdamart/internal/wording"
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
