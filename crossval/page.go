package crossval

import (
	"cmp"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/digits"
	"github.com/lambdamart/lambdamart/internal/page"
	"github.com/lambdamart/lambdamart/internal/plot"
)

// Report writes the result as one page of HTML that needs no network and no scripts. m describes the data, name is
// that of the data, and program is the name of the program in it.
func (r *Result) Report(w io.Writer, m *dataset.Meta, folds Folds, name, program string) error {
	p := page.Document{Title: "Cross-validation: " + r.Metric + " on " + name, Warnings: r.Warnings, Program: "Made by " + program + ".",
		Finding:  fmt.Sprintf("%s %.4f after %d iterations; %g %% interval %.4f to %.4f over queries.", r.Metric, r.Mean, r.Best, 100*r.Level, r.Interval.Low, r.Interval.High),
		Basis:    fmt.Sprintf("%s queries in %d folds, each judged by a model that has not seen it. %s: %s.", digits.Thousands(len(m.Queries)), len(r.Folds), r.Metric, r.Rules),
		Sections: []page.Section{r.foldsSection(), r.curvesSection(), r.queriesSection(m, folds), r.settingsSection()}}
	return p.Write(w)
}

// foldsSection has a line for each fold, and the means of all metrics.
func (r *Result) foldsSection() page.Section {
	folds := page.Grid{Caption: "Folds", Head: []string{"fold", "queries", "rows", r.Metric, "own best iteration", "its value", "iterations done", "seconds"}}
	for _, f := range r.Folds {
		folds.Rows = append(folds.Rows, []string{f.Name, digits.Thousands(f.Queries), digits.Thousands(f.Rows), digits.Four(f.Value), strconv.Itoa(f.OwnBest), digits.Four(f.OwnBestValue), strconv.Itoa(f.Rounds), fmt.Sprintf("%.3g", f.Seconds)})
	}
	metrics := page.Grid{Caption: "Means over the queries of all folds", Head: []string{"metric", "mean"}}
	for _, j := range r.Judged {
		metrics.Rows = append(metrics.Rows, []string{j.Metric, digits.Four(j.Mean)})
	}
	text := fmt.Sprintf("Values of the models of iteration %d on the queries that they have not seen.", r.Best)
	if len(r.Folds) > 1 {
		text += fmt.Sprintf(" The standard deviation of the folds' values is %.4f.", r.FoldSD)
	}
	return page.Section{ID: "folds", Title: "Folds", Text: text, Tables: []page.Grid{folds, metrics}}
}

// curvesSection draws the metric by iteration: of all queries, and of each fold.
func (r *Result) curvesSection() page.Section {
	chart := plot.Curves{ID: "curves-figure", Title: "Learning curves", XLabel: "iteration", YLabel: r.Metric,
		Description: "A panel for all queries and one for each fold, with marks at the iteration that is judged and at the best one of each fold."}
	chart.Panels = addPanel(chart.Panels, "all folds", 0, r.Curve, r.Best, func(p Point) float64 { return p.Mean })
	for i, f := range r.Folds {
		chart.Panels = addPanel(chart.Panels, "fold "+f.Name, 1+i%(page.Colours-1), r.Curve, f.OwnBest, func(p Point) float64 { return p.Parts[i] })
	}
	s := page.Section{ID: "curves", Title: "Learning curves", Text: "Training ended on all folds together: " + string(r.Stopped) + "."}
	if len(chart.Panels) > 0 {
		s.Figures = []page.Figure{{SVG: template.HTML(chart.Draw(plot.Page())), Caption: r.Metric + " on the queries left out, by iteration. The mark of all folds is the iteration that is judged; that of a fold is the best one for it alone."}}
	}
	return s
}

// addPanel adds a panel with one line, unless none of its values can be drawn.
func addPanel(panels []plot.Panel, name string, colour int, curve []Point, best int, value func(Point) float64) []plot.Panel {
	panel := plot.Panel{Name: name, Colour: colour}
	var line []plot.Point
	for _, p := range curve {
		if v := value(p); !math.IsNaN(v) && !math.IsInf(v, 0) {
			line = append(line, plot.Point{X: float64(p.Round), Y: v})
			if p.Round == best {
				panel.Marks = []plot.Point{line[len(line)-1]}
			}
		}
	}
	if len(line) == 0 {
		return panels
	}
	panel.Lines = [][]plot.Point{line}
	return append(panels, panel)
}

const worst = 20 // queries that are listed

// queriesSection draws how many queries have which out-of-fold value, and lists the worst.
func (r *Result) queriesSection(m *dataset.Meta, folds Folds) page.Section {
	s := page.Section{ID: "queries", Title: "Queries", Text: "The out-of-fold " + r.Metric + " of each query. Those that the metric does not count are left out."}
	values := r.Judged[0].PerQuery
	var counted []int
	var known []float64
	limit := 1.0
	for q, v := range values {
		if !math.IsNaN(v) {
			counted, known, limit = append(counted, q), append(known, v), max(limit, v)
		}
	}
	chart := plot.Bars{ID: "queries-figure", Title: "Queries by " + r.Metric, XLabel: "queries", Colour: 5, Format: plot.Count,
		Description: "Bars of the number of queries in each tenth of the range.", Bars: plot.Counted(known, plot.NiceLimit(limit), 10, "%.4g")}
	s.Figures = []page.Figure{{SVG: template.HTML(chart.Draw(plot.Page())), Caption: fmt.Sprintf("%s queries, by %s.", digits.Thousands(len(counted)), r.Metric)}}
	slices.SortStableFunc(counted, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	table := page.Grid{Caption: "The queries with the smallest values", Head: []string{"query", "fold", "rows", r.Metric}}
	for _, q := range counted[:min(worst, len(counted))] {
		table.Rows = append(table.Rows, []string{m.Queries[q].ID, folds.Names[folds.Of[q]], strconv.Itoa(m.Queries[q].Len), digits.Four(values[q])})
	}
	s.Tables = []page.Grid{table}
	return s
}

func (r *Result) settingsSection() page.Section {
	table := page.Grid{Caption: "Parameters", Head: []string{"parameter", "value"}, Text: true}
	for _, p := range r.Parameters {
		table.Rows = append(table.Rows, []string{p.Name, p.Value})
	}
	return page.Section{ID: "settings", Title: "Parameters", Text: "Those of the trainings.", Tables: []page.Grid{table}}
}
