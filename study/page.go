package study

import (
	"fmt"
	"io"
	"strconv"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/digits"
	"github.com/lambdamart/lambdamart/internal/plot"
	"github.com/lambdamart/lambdamart/internal/report"
)

// Report writes the result as one page of HTML that needs no network and no scripts. m describes the data,
// name is that of the data, and program is the name of the program in it.
func (r *CVResult) Report(w io.Writer, m *dataset.Meta, folds Folds, name, program string) error {
	p := report.Document{Title: "Cross-validation: " + r.Metric + " on " + name, Warnings: r.Warnings, Program: "Made by " + program + ".",
		Finding:  fmt.Sprintf("%s %.4f after %d iterations; %g %% interval %.4f to %.4f over queries.", r.Metric, r.Mean, r.Best, 100*r.Level, r.Interval.Low, r.Interval.High),
		Basis:    fmt.Sprintf("%s queries in %d folds, each judged by a model that has not seen it. %s: %s.", digits.Thousands(len(m.Queries)), len(r.Folds), r.Metric, r.Rules),
		Sections: []report.Section{r.foldsSection(), r.curvesSection(), r.queriesSection(m, folds), r.settingsSection()}}
	return p.Write(w)
}

// foldsSection has a line for each fold, and the means of all metrics.
func (r *CVResult) foldsSection() report.Section {
	folds := report.Grid{Caption: "Folds", Head: []string{"fold", "queries", "rows", r.Metric, "own best iteration", "its value", "iterations done", "seconds"}}
	for _, f := range r.Folds {
		folds.Rows = append(folds.Rows, []string{f.Name, digits.Thousands(f.Queries), digits.Thousands(f.Rows), digits.Four(f.Value), strconv.Itoa(f.OwnBest), digits.Four(f.OwnBestValue), strconv.Itoa(f.Rounds), fmt.Sprintf("%.3g", f.Seconds)})
	}
	metrics := report.Grid{Caption: "Means over the queries of all folds", Head: []string{"metric", "mean"}}
	for _, j := range r.Judged {
		metrics.Rows = append(metrics.Rows, []string{j.Metric, digits.Four(j.Mean)})
	}
	text := fmt.Sprintf("Values of the models of iteration %d on the queries that they have not seen.", r.Best)
	if len(r.Folds) > 1 {
		text += fmt.Sprintf(" The standard deviation of the folds' values is %.4f.", r.FoldSD)
	}
	return report.Section{ID: "folds", Title: "Folds", Text: text, Tables: []report.Grid{folds, metrics}}
}

// curvesSection draws the metric by iteration: of all queries, and of each fold.
func (r *CVResult) curvesSection() report.Section {
	chart := plot.Curves{ID: "curves-figure", Title: "Learning curves", XLabel: "iteration", YLabel: r.Metric, Panels: report.Panels(r.curves()),
		Description: "A panel for all queries and one for each fold, with marks at the iteration that is judged and at the best one of each fold."}
	s := report.Section{ID: "curves", Title: "Learning curves", Text: "Training ended on all folds together: " + string(r.Stopped) + "."}
	if len(chart.Panels) > 0 {
		s.Figures = []report.Figure{{Chart: &chart, Table: report.Summary(r.curves()),
			Caption: r.Metric + " on the queries left out, by iteration. The mark of all folds is the iteration that is judged; that of a fold is the best one for it alone."}}
	}
	return s
}

// curves returns the curve of all queries, and that of each fold.
func (r *CVResult) curves() []report.Curve {
	curves := make([]report.Curve, 1+len(r.Folds))
	curves[0] = report.Curve{Name: "all folds", Marked: r.Best}
	for i, f := range r.Folds {
		curves[1+i] = report.Curve{Name: "fold " + f.Name, Colour: 1 + i%(report.Colours-1), Marked: f.OwnBest}
	}
	for _, p := range r.Curve {
		for i := range curves {
			value := p.Mean
			if i > 0 {
				value = p.Parts[i-1]
			}
			curves[i].Iteration, curves[i].Value = append(curves[i].Iteration, p.Round), append(curves[i].Value, value)
		}
	}
	return curves
}

const worst = 20 // queries that are listed

// queriesSection draws how many queries have which out-of-fold value, and lists the worst.
func (r *CVResult) queriesSection(m *dataset.Meta, folds Folds) report.Section {
	queries := report.PerQuery{Metric: r.Metric, Values: r.Judged[0].PerQuery, Head: []string{"query", "fold", "rows"},
		Cells: func(q int) []string {
			return []string{m.Queries[q].ID, folds.Names[folds.Of[q]], strconv.Itoa(m.Queries[q].Len)}
		}}
	return report.Section{ID: "queries", Title: "Queries", Text: "The out-of-fold " + r.Metric + " of each query. Those that the metric does not count are left out.",
		Figures: []report.Figure{queries.Histogram("queries-figure", "")}, Tables: []report.Grid{queries.Worst(worst)}}
}

func (r *CVResult) settingsSection() report.Section {
	var settings [][2]string
	for _, p := range r.Parameters {
		settings = append(settings, [2]string{p.Name, p.Value})
	}
	return report.Parameters("Those of the trainings.", settings)
}
