package report

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/plot"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
)

// TestDocument: empty sections are omitted, marks and collapsed tables are rendered, and text is escaped.
func TestDocument(t *testing.T) {
	d := Document{Title: "a <b>", Finding: "one\ntwo", Notes: []string{"how & why"}, Sections: []Section{
		{ID: "empty", Title: "Empty"},
		{ID: "full", Title: "Full", Tables: []Grid{
			{Head: []string{"name", "p"}, Rows: [][]string{{"first", "best"}, {"second@<b>,p", "0.01"}},
				Marks: []Mark{{Swatch: true, Color: 3, Best: true},
					{Strong: 1, Shades: []float64{0, -1}}}},
			{Head: []string{"folded"}, Rows: [][]string{{"cell"}}, Folded: "more of it"},
		}},
	}}
	var b strings.Builder
	require.NoError(t, d.Write(&b))
	for _, text := range []string{"a &lt;b&gt;", "how &amp; why", `<a href="#full">`, `<a href="#method">`,
		`<tr class="best"><th scope="row">` +
			`<span class="swatch" style="background:var(--series-3)"></span>first</th><td>best</td></tr>`,
		`<td class="sure" style="background:color-mix(in srgb, var(--lose) 55%, transparent)">0.01</td>`,
		`>second@&lt;b&gt;,<wbr>p</th>`, "<summary>more of it</summary>",
		"<p class=\"lead\">one</p>\n<p class=\"lead\">two</p>"} {
		assert.Contains(t, b.String(), text)
	}
	for _, text := range []string{"Empty", "ZgotmplZ", "<script"} {
		assert.NotContains(t, b.String(), text)
	}
}

// TestPerQuery: queries that the metric does not count are in neither the figure nor the list.
func TestPerQuery(t *testing.T) {
	p := PerQuery{Metric: "dcg@3", Values: []float64{2, math.NaN(), 0.5, 7},
		Queries: ByID([]string{"a", "b", "c", "d"})}
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

// TestCompared: differences cover queries with both values, and the list omits ties.
func TestCompared(t *testing.T) {
	c := Compared{Metric: "ndcg", A: "old", B: "new", ValuesA: []float64{0.5, math.NaN(), 0.25, 1},
		ValuesB: []float64{0.75, 1, 0.25, 0.5},
		Listed:  3, Queries: ByID([]string{"a", "b", "c", "d"}),
		Comparison: metric.Comparison{Difference: -1. / 12, Wins: 1, Equal: 1, Loses: 1}}
	assert.Equal(t, []float64{0.25, 0, -0.5}, c.panel("x").Values)
	assert.Equal(t, [][]string{{"d", "1.0000", "0.5000", "-0.5000"}, {"a", "0.5000", "0.7500", "+0.2500"}},
		c.Table().Grid("").Rows)
	assert.Len(t, c.Figure("x").Table.Rows, 2)
}

func TestSummaryOfCurves(t *testing.T) {
	curve := plot.Series{Name: "a", Points: []plot.Point{{X: 1, Y: 0.5}, {X: 3, Y: 0.75}, {X: 4, Y: 0.25}}}
	assert.Equal(t, [][]string{{"a", "0.5000", "0.7500", "3", "0.2500"}},
		Summary([]plot.Series{curve, {Name: "none"}}).Rows)
}

// TestViews: each view has its own columns and rows, readers see rounded numbers, and a missing value is
// empty or null.
func TestViews(t *testing.T) {
	table := &Table{Name: "steps", Key: "list", Value: "ndcg_at", Shown: []int{1, 0}, Above: "above\n",
		Below: "below\n",
		Columns: []Column{
			{Name: "step"}, {Name: "ndcg_at", Show: As("%.2f")},
			{Name: "p", Show: Number(wording.Probability), For: People},
			{Name: "within", Head: "interval", Show: As("%+.1f"), For: People}, {Name: "left_out", For: Programs}}}
	table.Add("first", 0.126, 1e-5, metric.Interval{Low: 1, High: 2}, []string{"a", "b"})
	table.Add("2", math.NaN(), math.NaN(), nil, nil)
	d := Document{Finding: "found", Facts: map[string]any{"mean": math.NaN()}, Warnings: nil,
		Tables: []*Table{table, {Name: "hidden", For: TSV, Columns: []Column{{Name: "n"}}, Rows: [][]any{{1234}}}}}
	var text, tsv, object strings.Builder
	require.NoError(t, d.Text(&text))
	assert.Equal(t, "above\nstep   ndcg at        p      interval\n2                     –\n"+
		"first     0.13  1.0e-05  +1.0 to +2.0\nbelow\n\nfound\n", text.String())
	require.NoError(t, table.TSV(&tsv))
	assert.Equal(t, "step\tndcg_at\tleft_out\nfirst\t0.126\ta b\n2\t\t\n", tsv.String())
	require.NoError(t, d.JSON(&object))
	assert.JSONEq(t, `{"finding": "found", "basis": "", "warnings": [], "mean": null, "list": [
		{"step": "first", "value": 0.126, "left_out": ["a", "b"]},
		{"step": "2", "value": null, "left_out": null}]}`, object.String())
	assert.Equal(t, [][]string{{"2", "", "–", ""}}, table.Pick([]int{1}).Grid("").Rows)
	assert.Equal(t, []string{"step", "ndcg at", "p", "interval"}, table.Grid("").Head)
	assert.Equal(t, [][]string{{"1,234"}}, d.Tables[1].Grid("").Rows)
	assert.Equal(t, "a b c d e f g h and 2 more", (&Column{}).shown(strings.Split("abcdefghij", "")))
	table.Bars = true
	assert.Equal(t, "above\n| step | ndcg at | p | interval |\n|-----:|--------:|--:|---------:|\nbelow\n",
		table.Pick(nil).text(StyleText))
	folder := t.TempDir()
	d.Files = []stream.File{{Name: "page.html", Write: d.Write}}
	paths, err := d.Save(folder)
	require.NoError(t, err)
	for i, name := range []string{"page.html", "steps.tsv", "hidden.tsv", "result.json"} {
		assert.Equal(t, filepath.Join(folder, name), paths[i])
		assert.FileExists(t, paths[i])
	}
}

// TestFacts: facts are lines on a terminal, and are beside the tables in JSON, where a cell may be a table,
// too. A document without a finding prints none.
func TestFacts(t *testing.T) {
	facts, links, plans := &Table{}, NewTable("links", "gbit", ""), NewTable("plans", "ranks", "", "links", "")
	facts.Fact("rows", 1234)
	facts.Fact("num_leaves", 31)
	links.Add(10)
	plans.Columns[1].For = JSON
	plans.Add(2, links)
	d := Document{Tables: []*Table{facts, plans}}
	var text, object strings.Builder
	require.NoError(t, d.Text(&text))
	assert.Equal(t, "rows        1,234\nnum leaves  31\n\nranks\n    2\n", text.String())
	require.NoError(t, d.JSON(&object))
	assert.JSONEq(t, `{"rows": 1234, "num_leaves": 31, "plans": [{"ranks": 2, "links": [{"gbit": 10}]}]}`,
		object.String())
	within := NewTable("within", "interval", "%.1f")
	within.Add(metric.Interval{Low: 1, High: 2})
	assert.Equal(t, []map[string]any{{"interval": [2]metric.Value{1, 2}}}, within.records())
	rows := &Table{Tall: true, Columns: []Column{{Name: "a"}, {Name: "b"}}, Rows: [][]any{{1, "x"}, {2, "y"}}}
	assert.Equal(t, "a  1\nb  x\n\na  2\nb  y\n", rows.text(StyleText))
}

// TestNamesInTablesOfDocuments: a name is what it is, whatever its characters mean to LaTeX and Markdown. The
// end of a line takes a star or a bracket at the beginning of the next one for its argument.
func TestNamesInTablesOfDocuments(t *testing.T) {
	table := NewTable("systems", "system", "", "mean", "")
	for i, name := range []string{"[a]", "*b", `c_1|\d`, "<i>*e*`", "[f](g)~h~"} {
		table.Add(name, i)
	}
	assert.Equal(t, `\begin{tabular}{lr}
\toprule
system & mean \\
\midrule
{}[a] & 0 \\
{}*b & 1 \\
c\_1$|$\textbackslash{}d & 2 \\
$<$i$>$*e*`+"` & 3 \\\\\n{}[f](g)\\textasciitilde{}h\\textasciitilde{} & 4 \\\\\n"+
		"\\bottomrule\n\\end{tabular}\n",
		table.text(StyleLaTeX))
	assert.Equal(t, "| system       | mean |\n|:-------------|-----:|\n"+
		"| [a]          |    0 |\n| \\*b          |    1 |\n| c_1\\|\\\\d     |    2 |\n"+
		"| \\<i>\\*e\\*\\`  |    3 |\n| [f]\\(g)\\~h\\~ |    4 |\n", table.text(StyleMarkdown))
}

// TestRanked: the first rows are drawn as bars with their notes, and a table has all rows.
func TestRanked(t *testing.T) {
	table := NewTable("", "feature", "", "cost", "%.1f")
	assert.Empty(t, table.Ranked(plot.Bars{}, 2, nil, ""))
	table.Add("f", 3.)
	table.Add("g", 2.)
	table.Add("h", 1.)
	figures := table.Ranked(plot.Bars{ID: "x"}, 2, func(row []any) string { return row[0].(string) + "!" },
		"caption")
	require.Len(t, figures, 1)
	assert.Equal(t, []plot.Bar{{Name: "f", Value: 3, Note: "f!"}, {Name: "g", Value: 2, Note: "g!"}},
		figures[0].Chart.(*plot.Bars).Bars)
	assert.Len(t, figures[0].Table.Rows, 3)
}

// TestRowsHaveAllCells: adding a row with too few or too many cells panics.
func TestRowsHaveAllCells(t *testing.T) {
	table := NewTable("t", "a", "", "b", "")
	table.Add(1, 2)
	assert.Panics(t, func() { table.Add(1) })
	assert.Panics(t, func() { table.Add(1, 2, 3) })
}

// TestMostDifferent: the largest differences come first, and equal ones in the order of the queries.
func TestMostDifferent(t *testing.T) {
	c := Compared{Listed: 3, Queries: ByID([]string{"a", "b", "c", "d", "e"}),
		ValuesA: []float64{0.5, 0.25, math.NaN(), 0.75, 0.25}, ValuesB: []float64{0.75, 0.25, 0, 0.5, 0.75}}
	var ids []any
	for _, row := range c.Table().Rows {
		ids = append(ids, row[0])
	}
	assert.Equal(t, []any{"e", "a", "d"}, ids)
	c.Listed = 9
	assert.Len(t, c.Table().Rows, 3, "none without a difference")
}

// TestWideContentHasACue: on narrow screens, shadows show that tables and charts go on beyond the edge.
func TestWideContentHasACue(t *testing.T) {
	style, err := os.ReadFile("document.html")
	require.NoError(t, err)
	_, rule, found := strings.Cut(string(style), ".wide {")
	require.True(t, found)
	rule, _, _ = strings.Cut(rule, "}")
	assert.Equal(t, 2, strings.Count(rule, "no-repeat scroll"), "shadows stay at the edges")
	assert.Equal(t, 2, strings.Count(rule, "no-repeat local"), "paper moves with the content")
}
