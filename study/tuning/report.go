package tuning

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/internal/digits"
	"github.com/lambdamart/lambdamart/internal/plot"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/metric/significance"
)

// Report writes the search as one page of HTML that needs no network and no scripts. program is the name
// of the program in it.
func (r *Result) Report(w io.Writer, program string) error {
	p := report.Document{
		Title:    "Which settings are best? " + r.Metric,
		Finding:  r.Finding(),
		Basis:    fmt.Sprintf("%d trials on %d validation queries; budget: %s. %s: %s.", len(r.Trials)-1, r.Queries, r.Budget, r.Metric, r.Rules),
		Program:  "Made by " + program + ".",
		Warnings: r.Warnings,
		Sections: []report.Section{r.bestSection(), r.progressSection(), r.curvesSection(), r.queriesSection(), r.effectsSection(), r.trialsSection()},
		Notes: []string{
			"Every trial is judged by the mean over the same validation queries, averaged over neighbouring iterations (from 7/8 to 9/8) and largest at its best iteration. Test queries had no part in the search.",
			"The largest of many values is mostly luck on few queries. Therefore a trial takes the place of one that the search began with only if it is better by more than one standard error; and what was found is compared with the defaults query by query (randomization test). Of what was fixed before the search, p is multiplied by the number of models that were; of what the search found, by the number of trials.",
			"In a bracket of nine trials, all are trained for a third of the defaults' best length, the better third for all of it, and the best one until it stops early. Lengths are sums of learning rates.",
		},
	}
	return p.Write(w)
}

// Finding states the result in a sentence or two.
func (r *Result) Finding() string {
	base := fmt.Sprintf("The defaults have %s %.4f after %d iterations", r.Metric, r.Base().Value, r.Base().Best)
	if r.IsBase() {
		return base + ", and nothing is clearly better."
	}
	return fmt.Sprintf("%s; %s has %.4f (%+.4f): %s.", base, r.found(), r.Value, r.Comparison.Difference,
		r.verdict())
}

// verdict says what the comparison with the defaults shows.
func (r *Result) verdict() string {
	text := r.Comparison.Verdict(r.P)
	if r.Tests > 1 {
		text += fmt.Sprintf(" after correction for %d choices", r.Tests)
	}
	switch {
	case r.Beats:
		return text
	case r.Comparison.Difference > 0:
		return text + "; " + r.found() + " is the better bet"
	}
	return text + "; the defaults are as good a bet"
}

// found is what sentences call the final model.
func (r *Result) found() string {
	if len(r.Models) == 1 {
		return r.Models[0].name()
	}
	var numbers []string
	for _, t := range r.Models {
		numbers = append(numbers, strconv.Itoa(t.Number))
	}
	last := len(numbers) - 1
	return "the mean of the models of trials " + strings.Join(numbers[:last], ", ") + " and " + numbers[last]
}

// compared returns the defaults and the trials of the final model.
func (r *Result) compared() []*Trial {
	if r.IsBase() {
		return r.Models
	}
	return append([]*Trial{r.Base()}, r.Models...)
}

// bestSection shows the settings of the trials of the final model beside the defaults.
func (r *Result) bestSection() report.Section {
	g := report.Grid{Head: []string{"parameter"}, Text: true}
	iterations := []string{"num_iterations"}
	for _, t := range r.compared() {
		g.Head, iterations = append(g.Head, t.name()), append(iterations, strconv.Itoa(t.Best))
	}
	g.Head, iterations = append(g.Head, "searched"), append(iterations, "the best of each trial")
	for _, d := range r.Space {
		row := []string{d.Name}
		for _, t := range r.compared() {
			row = append(row, t.values([]string{d.Name})...)
		}
		g.Rows = append(g.Rows, append(row, d.String()[len(d.Name)+len(" = "):]))
	}
	if r.Context != nil {
		row := []string{"query_context"}
		for _, t := range r.compared() {
			row = append(row, t.values(row[:1])...)
		}
		g.Rows = append(g.Rows, append(row, r.Context.String()))
	}
	g.Rows = append(g.Rows, iterations)
	return report.Section{ID: "best", Title: "Best settings", Tables: []report.Grid{g}}
}

// trialsSection lists all trials.
func (r *Result) trialsSection() report.Section {
	return report.Section{ID: "trials", Title: "Trials", Tables: []report.Grid{{Head: r.head(), Rows: r.rows(),
		Caption: "In the order of their numbers. A trial with fewer than " + strconv.Itoa(Steps) + " steps was given up; its value is that of the iterations that it had."}}}
}

// queriesSection shows the validation queries for the final model, and beside the defaults.
func (r *Result) queriesSection() report.Section {
	cells := func(q int) []string { return []string{r.queries[q]} }
	queries := report.PerQuery{Metric: r.Metric, Values: r.PerQuery, Head: []string{"query"}, Cells: cells}
	s := report.Section{ID: "queries", Title: "Queries", Text: "The validation queries by what was found, and how they differ from those of the defaults.",
		Figures: []report.Figure{queries.Histogram("queries-figure", r.found()+": ")}, Tables: []report.Grid{queries.Worst(worst)}}
	if r.IsBase() {
		return s
	}
	c, base := &r.Comparison, r.Base()
	pair := report.Compared{Metric: r.Metric, A: base.name(), B: r.found(), ValuesA: base.PerQuery, ValuesB: r.PerQuery,
		Mean: c.Difference, Low: c.Interval.Low, High: c.Interval.High, Level: 0.95, P: digits.Probability(r.P), Wins: c.Wins, Ties: c.Equal, Losses: c.Loses,
		Differing: significance.MostDifferent(base.PerQuery, r.PerQuery, worst), Head: []string{"query"}, Cells: cells}
	s.Figures = append(s.Figures, pair.Figures("differences", 0)...)
	return s
}

// worst is the number of queries that are listed.
const worst = 10

// progressSection shows the best value so far by trial.
func (r *Result) progressSection() report.Section {
	chart := plot.Lines{ID: "progress-figure", Title: "The best " + r.Metric + " so far", XLabel: "trial", YLabel: "validation " + r.Metric,
		Description: "The values of all trials that were trained to the end, and the best value so far."}
	all, best := plot.Series{Name: "trained to the end", Colour: 1}, plot.Series{Name: "best so far", Colour: 0}
	top := math.Inf(-1)
	for _, t := range r.Trials {
		if t.Step < Steps || t.Err != nil {
			continue
		}
		top = max(top, t.Value)
		x := float64(t.Number)
		all.Points, best.Points = append(all.Points, plot.Point{X: x, Y: t.Value}), append(best.Points, plot.Point{X: x, Y: top})
	}
	chart.Series = []plot.Series{best, all}
	return report.Section{ID: "progress", Title: "Progress", Text: "Trial 0 is the defaults.",
		Figures: []report.Figure{{Chart: &chart, Caption: "Values of trials that were trained to the end."}}}
}

// curvesSection shows the learning curves of the defaults and of the trials of the final model.
func (r *Result) curvesSection() report.Section {
	chart := plot.Lines{ID: "curves-figure", Title: r.Metric + " by iteration", XLabel: "iteration (logarithmic)", YLabel: "validation " + r.Metric, LogX: true, LinesOnly: true,
		Description: "Learning curves of the defaults and of the trials of the final model."}
	trials := r.compared()
	curves := make([]report.Curve, len(trials))
	for i, t := range trials {
		curves[i] = report.Curve{Name: t.name(), Colour: i, Value: t.Curve}
		for round := range t.Curve {
			curves[i].Iteration = append(curves[i].Iteration, round+1)
		}
	}
	chart.Series = report.Overlaid(curves)
	return report.Section{ID: "curves", Title: "Learning curves", Text: "A trial stops when its curve has not risen for its patience.",
		Figures: []report.Figure{{Chart: &chart, Caption: "Means over validation queries after each iteration.", Table: report.Summary(curves)}}}
}

// name is what figures call a trial.
func (t *Trial) name() string {
	if t.Number == 0 {
		return "the defaults"
	}
	return fmt.Sprintf("trial %d", t.Number)
}

// effectsSection shows values by each searched parameter.
func (r *Result) effectsSection() report.Section {
	s := report.Section{ID: "effects", Title: "Effects of parameters",
		Text: "Each trial that was not given up after its first step. A cloud without a slope says that the parameter matters less than the others, or less than chance."}
	for i := range r.Space {
		if d := &r.Space[i]; !d.fixed() {
			if f, ok := r.effect(i); ok {
				s.Figures = append(s.Figures, f)
			}
		}
	}
	return s
}

func (r *Result) effect(dimension int) (report.Figure, bool) {
	d := &r.Space[dimension]
	chart := plot.Lines{ID: "effect-" + d.Name, Title: r.Metric + " by " + d.Name, XLabel: d.Name, YLabel: "validation " + r.Metric, PointsOnly: true, Height: 260,
		LogX: d.Log, Description: "A point for each trial."}
	if d.Log {
		chart.XLabel += " (logarithmic)"
	}
	ended, other := plot.Series{Name: "trained to the end", Colour: 0}, plot.Series{Name: "given up", Colour: 1}
	for _, t := range r.Trials[1:] {
		if t.Step < 2 || t.Err != nil {
			continue
		}
		x := float64(d.choice(t.x[dimension])) + 1
		if d.Choices == nil {
			x, _ = strconv.ParseFloat(t.Settings[dimension].Value, 64)
		}
		series := &other
		if t.Step == Steps {
			series = &ended
		}
		series.Points = append(series.Points, plot.Point{X: x, Y: t.Value})
	}
	for _, series := range []plot.Series{ended, other} {
		if len(series.Points) > 0 {
			chart.Series = append(chart.Series, series)
		}
	}
	if len(chart.Series) == 0 {
		return report.Figure{}, false
	}
	caption := d.String()
	for i, choice := range d.Choices {
		caption += fmt.Sprintf("; %d is %s", i+1, choice)
	}
	return report.Figure{Chart: &chart, Caption: caption}, true
}
