package study

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/plot"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/wording"
)

// describe sets the document of the result. m describes the data.
func (r *CVResult) describe(m *dataset.Meta, folds Folds) {
	r.Title = "Cross-validation: " + r.Metric
	r.Finding = fmt.Sprintf("%s %.4f after %d of %s (%s); %g %% interval %.4f to %.4f over queries, "+
		"standard deviation %.4f over folds.", r.Metric, r.Mean, r.Best, wording.Count(len(r.Curve), "iteration"),
		r.Stopped,
		100*r.Level, r.Interval.Low, r.Interval.High, r.FoldSD)
	r.Basis = fmt.Sprintf("%s in %s, each judged by a model that has not seen it. %s: %s.",
		wording.Count(len(m.Queries), "query"), wording.Count(len(r.Folds), "fold"), r.Metric, r.Rules)
	table := r.foldsTable()
	r.Tables = []*report.Table{table, r.queriesTable(m, folds), r.curveTable()}
	r.Facts, r.Files = r.facts(), []stream.File{{Name: "scores.txt", Write: r.writeScores}}
	r.Sections = []report.Section{r.foldsSection(table), r.curvesSection(), r.queriesSection(m, folds),
		report.Parameters("Parameters of the training runs.", r.Parameters)}
}

// foldsTable returns a table with a row for each fold.
func (r *CVResult) foldsTable() *report.Table {
	t := &report.Table{Name: "folds", For: report.People | report.JSON, Columns: []report.Column{
		{Name: "name", Head: "fold"}, {Name: "queries"}, {Name: "rows"}, {Name: "value", Head: r.Metric,
			Show: report.As("%.4f")},
		{Name: "own_best_iteration", Show: report.As("%d")},
		{Name: "own_best_value", Head: "its value", Show: report.As("%.4f")},
		{Name: "iterations", Head: "iterations done", Show: report.As("%d")},
		{Name: "seconds", Show: report.As("%.3g")},
		{Name: "queries_judged", For: report.JSON}, {Name: "trees", For: report.JSON}}}
	for _, f := range r.Folds {
		t.Add(f.Name, f.Queries, f.Rows, f.Value, f.OwnBest, f.OwnBestValue, f.Rounds, f.Seconds, f.Judged,
			len(f.Model.Trees))
	}
	return t
}

// queriesTable returns a table with a row for each query.
func (r *CVResult) queriesTable(m *dataset.Meta, folds Folds) *report.Table {
	t := report.NewTable("queries", "query", "", "fold", "", "rows", "")
	t.For = report.TSV
	for _, j := range r.Judged {
		t.Columns = append(t.Columns, report.Column{Name: j.Metric})
	}
	for number, q := range m.Queries {
		row := []any{q.ID, folds.Names[folds.Of[number]], q.Len}
		for _, j := range r.Judged {
			row = append(row, j.PerQuery[number])
		}
		t.Add(row...)
	}
	return t
}

// curveTable returns a table with a row for each iteration.
func (r *CVResult) curveTable() *report.Table {
	t := report.NewTable("curve", "iteration", "", r.Metric, "")
	t.For = report.TSV
	for _, f := range r.Folds {
		t.Columns = append(t.Columns, report.Column{Name: "fold_" + f.Name})
	}
	for _, p := range r.Curve {
		row := []any{p.Round, p.Mean}
		for _, value := range p.Parts {
			row = append(row, value)
		}
		t.Add(row...)
	}
	return t
}

// facts returns the content of result.json besides the folds. Its names must not change.
func (r *CVResult) facts() map[string]any {
	metrics, parameters := map[string]float64{}, map[string]string{}
	iterations, means, folds := []int{}, []float64{}, make([][]float64, len(r.Folds))
	for _, m := range r.Judged {
		if !math.IsNaN(m.Mean) {
			metrics[m.Metric] = m.Mean
		}
	}
	for _, s := range r.Parameters {
		parameters[s.Name] = s.Value
	}
	for _, p := range r.Curve {
		iterations, means = append(iterations, p.Round), append(means, p.Mean)
		for i, value := range p.Parts {
			folds[i] = append(folds[i], value)
		}
	}
	return map[string]any{"metric": r.Metric, "rules": r.Rules, "best_iteration": r.Best, "mean": r.Mean,
		"interval_low": r.Interval.Low, "interval_high": r.Interval.High, "interval_level": r.Level,
		"fold_sd":    r.FoldSD,
		"iterations": len(r.Curve), "stopped": string(r.Stopped), "metrics": metrics, "parameters": parameters,
		"curve": map[string]any{"iteration": iterations, "mean": means, "folds": folds}}
}

// writeScores writes the out-of-fold scores, one per line, in the format of the command predict.
func (r *CVResult) writeScores(w io.Writer) error {
	out := bufio.NewWriter(w)
	for _, score := range r.Scores {
		out.WriteString(wording.Exact(score))
		out.WriteByte('\n')
	}
	return out.Flush()
}

// foldsSection shows a line for each fold, and the means of all metrics.
func (r *CVResult) foldsSection(folds *report.Table) report.Section {
	metrics := report.NewTable("", "metric", "", "mean", "%.4f")
	for _, j := range r.Judged {
		metrics.Add(j.Metric, j.Mean)
	}
	s := folds.Section("Folds", fmt.Sprintf("Values of the models of iteration %d on the queries that they "+
		"have not seen. The standard deviation of the folds' values is %.4f.", r.Best, r.FoldSD), "Folds")
	s.Tables = append(s.Tables, metrics.Grid("Means over the queries of all folds"))
	return s
}

// curvesSection draws the metric by iteration, over all queries and for each fold.
func (r *CVResult) curvesSection() report.Section {
	chart := plot.Curves{ID: "curves-figure", Title: "Learning curves", XLabel: "iteration",
		YLabel: r.Metric, Series: r.curves(),
		Description: "A panel for all queries and one for each fold, with marks at the iteration that is judged " +
			"and at the best one of each fold."}
	return report.Section{ID: "curves", Title: "Learning curves",
		Text: "Training ended on all folds together: " + string(r.Stopped) + ".",
		Figures: []report.Figure{{Chart: &chart, Table: report.Summary(chart.Series),
			Caption: r.Metric + " on the queries left out, by iteration. The mark of all folds is the iteration " +
				"that is judged; that of a fold is the best one for it alone."}}}
}

// curves returns the curve of all queries, and the curve of each fold.
func (r *CVResult) curves() []plot.Series {
	curves := []plot.Series{{Name: "all folds", Marked: float64(r.Best)}}
	for i, f := range r.Folds {
		curves = append(curves, plot.Series{Name: "fold " + f.Name, Color: 1 + i%(plot.Colors-1),
			Marked: float64(f.OwnBest)})
	}
	for _, p := range r.Curve {
		curves[0].Add(float64(p.Round), p.Mean)
		for i, value := range p.Parts {
			curves[1+i].Add(float64(p.Round), value)
		}
	}
	return curves
}

// queriesSection draws the distribution of the out-of-fold values of queries, and lists the worst queries.
func (r *CVResult) queriesSection(m *dataset.Meta, folds Folds) report.Section {
	const worst = 20
	queries := report.PerQuery{Metric: r.Metric, Values: r.Judged[0].PerQuery, Queries: report.Queries{
		Head: []string{"query", "fold", "rows"}, Cells: func(q int) []string {
			return []string{m.Queries[q].ID, folds.Names[folds.Of[q]], strconv.Itoa(m.Queries[q].Len)}
		}}}
	text := "The out-of-fold " + r.Metric + " of each query. Those that the metric does not count are left out."
	return queries.Section(text, "", worst, nil)
}
