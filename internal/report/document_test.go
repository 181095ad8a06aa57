package report

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDocument: sections without content are left out, marks and folded tables are drawn, and texts are escaped.
func TestDocument(t *testing.T) {
	d := Document{Title: "a <b>", Notes: []string{"how & why"}, Sections: []Section{
		{ID: "empty", Title: "Empty"},
		{ID: "full", Title: "Full", Tables: []Grid{
			{Head: []string{"name", "p"}, Rows: [][]string{{"first", "best"}, {"second", "0.01"}}, Marks: []Mark{{Swatch: true, Colour: 3, Best: true}, {Strong: 1}}},
			{Head: []string{"folded"}, Rows: [][]string{{"cell"}}, Folded: "more of it"},
		}},
	}}
	var b strings.Builder
	require.NoError(t, d.Write(&b))
	for _, text := range []string{"a &lt;b&gt;", "how &amp; why", `<a href="#full">`, `<a href="#method">`, `<tr class="best"><th scope="row"><span class="swatch" style="background:var(--series-3)"></span>first</th><td>best</td></tr>`,
		`<td class="sure">0.01</td>`, "<summary>more of it</summary>"} {
		assert.Contains(t, b.String(), text)
	}
	for _, text := range []string{"Empty", "ZgotmplZ", "<script"} {
		assert.NotContains(t, b.String(), text)
	}
}

// TestPerQuery: queries that the metric does not count are in neither the figure nor the list.
func TestPerQuery(t *testing.T) {
	p := PerQuery{Metric: "dcg@3", Values: []float64{2, math.NaN(), 0.5, 7}, Head: []string{"query"}, Cells: func(q int) []string { return []string{string(rune('a' + q))} }}
	assert.Equal(t, [][]string{{"c", "0.5000"}, {"a", "2.0000"}}, p.Worst(2).Rows)
	assert.Len(t, p.Worst(9).Rows, 3)
	f := p.Histogram("h", "mine: ")
	assert.Equal(t, "mine: 3 queries, by dcg@3.", f.Caption)
	total := 0
	for _, row := range f.Table.Rows {
		assert.Len(t, row[1], 1)
		total += int(row[1][0] - '0')
	}
	assert.Equal(t, 3, total)
}

// TestCompared: differences are those of queries with both values, and the list leaves out ties.
func TestCompared(t *testing.T) {
	c := Compared{Metric: "ndcg", A: "old", B: "new", ValuesA: []float64{0.5, math.NaN(), 0.25, 1}, ValuesB: []float64{0.75, 1, 0.25, 0.5}, Mean: -1. / 12, Wins: 1, Ties: 1, Losses: 1,
		Differing: []int{3, 0, 2}, Head: []string{"query"}, Cells: func(q int) []string { return []string{string(rune('a' + q))} }}
	assert.Equal(t, []float64{0.25, 0, -0.5}, c.Panel().Values)
	assert.Equal(t, [][]string{{"d", "1.0000", "0.5000", "-0.5000"}, {"a", "0.5000", "0.7500", "+0.2500"}}, c.Table().Rows)
	assert.Len(t, c.Figures("x", 0), 2)
}

// TestCurves: values that are not finite are left out, and the marked iteration has its mark.
func TestCurves(t *testing.T) {
	curves := []Curve{{Name: "a", Iteration: []int{1, 2, 3}, Value: []float64{0.5, math.NaN(), 0.75}, Marked: 3}, {Name: "none", Iteration: []int{1}, Value: []float64{math.Inf(-1)}}}
	panels := Panels(curves)
	require.Len(t, panels, 1)
	assert.Len(t, panels[0].Lines[0], 2)
	assert.Equal(t, 3.0, panels[0].Marks[0].X)
	assert.Len(t, Overlaid(curves), 1)
	assert.Equal(t, []string{"a", "0.5000", "0.7500", "3", "0.7500"}, Summary(curves).Rows[0])
}
