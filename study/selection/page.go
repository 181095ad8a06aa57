package selection

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/lambdamart/lambdamart/internal/digits"
	"github.com/lambdamart/lambdamart/internal/plot"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/metric/significance"
)

// Report writes the result as one page of HTML that needs no network and no scripts. name is that of the
// data, and program is the name of the program in it.
func (r *Result) Report(w io.Writer, name, program string) error {
	p := report.Document{Title: "Which features are needed? " + r.Metric + " on " + name, Finding: r.Finding(), Warnings: r.Warnings, Program: "Made by " + program + ".",
		Basis:    fmt.Sprintf("%d validation queries. %s: %s.", r.Queries, r.Metric, r.Rules),
		Sections: []report.Section{r.stepsSection(), r.featuresSection(), r.queriesSection()}}
	if text := r.TestFinding(); text != "" {
		p.Finding += " " + text
	}
	return p.Write(w)
}

// stepsSection draws the metric by number of features.
func (r *Result) stepsSection() report.Section {
	chart := plot.Lines{ID: "steps-figure", Title: r.Metric + " by number of features", XLabel: "features (logarithmic)", YLabel: "validation " + r.Metric, LogX: true, PointsOnly: true,
		Description: "A point with its interval over queries for each set of features that was trained."}
	series := []plot.Series{{Name: "accepted", Colour: 0}, {Name: "undone", Colour: 1}, {Name: "chosen", Colour: 2}}
	table := report.Grid{Caption: "Steps", Head: []string{"step", "features", r.Metric, "interval", "iterations", "difference", "p", "state"}}
	for _, s := range r.Steps {
		table.Rows = append(table.Rows, append([]string{strconv.Itoa(s.Number), strconv.Itoa(len(s.Features))}, append(r.figures(s), r.state(s))...))
		if s.Err != nil {
			continue
		}
		at := &series[1]
		if s == r.Chosen {
			at = &series[2]
		} else if s.Accepted {
			at = &series[0]
		}
		at.Points = append(at.Points, plot.Point{X: float64(len(s.Features)), Y: s.Value, Low: s.Interval.Low, High: s.Interval.High})
	}
	for _, one := range series {
		if len(one.Points) > 0 {
			chart.Series = append(chart.Series, one)
		}
	}
	return report.Section{ID: "steps", Title: "Steps",
		Text:    "Differences are from the best step before. A step that loses more than one standard error of the paired differences, and more than the tolerance, is undone and tried again with half of the features.",
		Figures: []report.Figure{{Chart: &chart, Caption: "The intervals are over queries, which all steps have in common: the differences of steps are known better than they look."}},
		Tables:  []report.Grid{table}}
}

// featuresSection has a line for each feature.
func (r *Result) featuresSection() report.Section {
	head := []string{"feature", "permutation", "interval", "shap", "interval", "gain", "left out by step"}
	kept, others := report.Grid{Caption: "Chosen features", Head: head}, report.Grid{Caption: "Features that are left out, by the models of the last step that had them", Head: head}
	fates := r.fates()
	line := func(f fate) []string {
		figures, step := make([]string, 5), ""
		if f.Importance != nil {
			figures = f.Importance.figures()
		}
		if f.Step != nil {
			step = strconv.Itoa(*f.Step)
		}
		return slices.Concat([]string{f.Name}, figures, []string{step})
	}
	for _, i := range r.ranked(r.Chosen) {
		kept.Rows = append(kept.Rows, line(fates[i.Feature]))
	}
	for _, f := range fates {
		if !f.Chosen {
			others.Rows = append(others.Rows, line(f))
		}
	}
	return report.Section{ID: "features", Title: "Features",
		Text:   "Permutation: what nDCG loses on validation queries if the values of the feature are exchanged. Shap: mean size of its share of scores. Gain: its share of the gain of all splits in training. A feature without figures has one bin in all rows.",
		Tables: []report.Grid{kept, others}}
}

// queriesSection shows the validation queries for the chosen features, and beside all features.
func (r *Result) queriesSection() report.Section {
	cells := func(q int) []string { return []string{r.queries[q]} }
	queries := report.PerQuery{Metric: r.Metric, Values: r.Chosen.PerQuery, Head: []string{"query"}, Cells: cells}
	s := report.Section{ID: "queries", Title: "Queries", Text: "The validation queries, ranked with the chosen features, and how they differ from those with all features.",
		Figures: []report.Figure{queries.Histogram("queries-figure", "")}, Tables: []report.Grid{queries.Worst(worst)}}
	if r.Chosen == r.All() {
		return s
	}
	c, all := &r.Comparison, r.All()
	pair := report.Compared{Metric: r.Metric, A: "all features", B: "chosen features", ValuesA: all.PerQuery, ValuesB: r.Chosen.PerQuery,
		Mean: c.Difference, Low: c.Interval.Low, High: c.Interval.High, Level: 0.95, P: digits.Probability(c.Randomization.P), Wins: c.Wins, Ties: c.Equal, Losses: c.Loses,
		Differing: significance.MostDifferent(all.PerQuery, r.Chosen.PerQuery, worst), Head: []string{"query"}, Cells: cells}
	s.Figures = append(s.Figures, pair.Figures("differences", 0)...)
	return s
}

// worst is the number of queries that are listed.
const worst = 10
