package study

import (
	"fmt"
	"math"
	"strconv"

	"github.com/lambdamart/lambdamart/internal/plot"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/internal/wording"
)

// compared returns the defaults and the trials of the final model.
func (r *TuneResult) compared() []*Trial {
	if r.Models[0] == r.base() {
		return r.Models
	}
	return append([]*Trial{r.base()}, r.Models...)
}

// bestSection shows the settings of the trials of the final model next to the defaults.
func (r *TuneResult) bestSection() report.Section {
	g := report.Grid{Head: []string{"parameter"}, Text: true}
	iterations := []string{"num_iterations"}
	for _, t := range r.compared() {
		g.Head, iterations = append(g.Head, t.name()), append(iterations, strconv.Itoa(t.Best))
	}
	best := "the best of each trial"
	if len(r.Models) > 1 {
		best += fmt.Sprintf("; %d in the mean", r.Rounds)
	}
	g.Head, iterations = append(g.Head, "searched"), append(iterations, best)
	for _, d := range r.space {
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
		g.Rows = append(g.Rows, append(row, r.Context.text()))
	}
	g.Rows = append(g.Rows, iterations)
	return report.Section{ID: "best", Title: "Best settings", Tables: []report.Grid{g}}
}

// queriesSection shows the validation queries for the final model, compared with the defaults.
func (r *TuneResult) queriesSection() report.Section {
	base, other := r.base(), (*report.Compared)(nil)
	if !r.isBase() {
		other = &report.Compared{Comparison: r.Comparison, A: base.name(), B: r.found(), ValuesA: base.PerQuery,
			P: wording.Probability(r.P)}
	}
	return validationSection(r.queries, r.Metric, "The validation queries by what was found, and how they "+
		"differ from those of the defaults.", r.found()+": ", r.PerQuery, other)
}

// progressSection shows the best value so far by trial.
func (r *TuneResult) progressSection() report.Section {
	chart := plot.Lines{ID: "progress-figure", Title: "The best " + r.Metric + " so far", XLabel: "trial",
		YLabel:      "validation " + r.Metric,
		Description: "The values of all trials that were trained to the end, and the best value so far."}
	all, best := plot.Series{Name: "trained to the end", Color: 1}, plot.Series{Name: "best so far", Color: 0}
	top := math.Inf(-1)
	for _, t := range r.Trials {
		if t.Step < trialSteps || t.Err != nil {
			continue
		}
		top = max(top, t.Value)
		x := float64(t.Number)
		all.Points, best.Points = append(all.Points, plot.Point{X: x, Y: t.Value}), append(best.Points,
			plot.Point{X: x, Y: top})
	}
	chart.Series = []plot.Series{best, all}
	return report.Section{ID: "progress", Title: "Progress", Text: "Trial 0 is the defaults.",
		Figures: []report.Figure{{Chart: &chart, Caption: "Values of trials that were trained to the end."}}}
}

// curvesSection shows the learning curves of the defaults and of the trials of the final model.
func (r *TuneResult) curvesSection() report.Section {
	chart := plot.Lines{ID: "curves-figure", Title: r.Metric + " by iteration",
		XLabel: "iteration (logarithmic)", YLabel: "validation " + r.Metric, LogX: true, LinesOnly: true,
		Description: "Learning curves of the defaults and of the trials of the final model."}
	trials := r.compared()
	curves := make([]report.Curve, len(trials))
	for i, t := range trials {
		curves[i] = report.Curve{Name: t.name(), Color: i, Value: t.Curve}
		for round := range t.Curve {
			curves[i].Iteration = append(curves[i].Iteration, round+1)
		}
	}
	chart.Series = report.Overlaid(curves)
	return report.Section{ID: "curves", Title: "Learning curves",
		Text: "A trial stops when its curve has not risen for its patience.",
		Figures: []report.Figure{{Chart: &chart, Caption: "Means over validation queries after each iteration.",
			Table: report.Summary(curves)}}}
}

// name returns the name of a trial in figures.
func (t *Trial) name() string {
	if t.Number == 0 {
		return "the defaults"
	}
	return fmt.Sprintf("trial %d", t.Number)
}

// effectsSection plots the values of trials against each searched parameter.
func (r *TuneResult) effectsSection() report.Section {
	s := report.Section{ID: "effects", Title: "Effects of parameters",
		Text: "Each trial that was not given up after its first step. A cloud without a slope says that the " +
			"parameter matters less than the others, or less than chance."}
	for i := range r.space {
		if d := &r.space[i]; !d.fixed() {
			if f, ok := r.effect(i); ok {
				s.Figures = append(s.Figures, f)
			}
		}
	}
	return s
}

func (r *TuneResult) effect(dimension int) (report.Figure, bool) {
	d := &r.space[dimension]
	chart := plot.Lines{ID: "effect-" + d.Name, Title: r.Metric + " by " + d.Name, XLabel: d.Name,
		YLabel: "validation " + r.Metric, PointsOnly: true, Height: 260,
		LogX: d.Log, Description: "A point for each trial."}
	if d.Log {
		chart.XLabel += " (logarithmic)"
	}
	chart.Series = []plot.Series{{Name: "trained to the end", Color: 0}, {Name: "given up", Color: 1}}
	points := 0
	for _, t := range r.Trials[1:] {
		if t.Step < 2 || t.Err != nil {
			continue
		}
		x := float64(d.choice(t.x[dimension])) + 1
		if d.Choices == nil {
			x, _ = strconv.ParseFloat(t.Settings[dimension].Value, 64)
		}
		series := &chart.Series[1]
		if t.Step == trialSteps {
			series = &chart.Series[0]
		}
		series.Points, points = append(series.Points, plot.Point{X: x, Y: t.Value}), points+1
	}
	if points == 0 {
		return report.Figure{}, false
	}
	caption := d.String()
	for i, choice := range d.Choices {
		caption += fmt.Sprintf("; %d is %s", i+1, choice)
	}
	return report.Figure{Chart: &chart, Caption: caption}, true
}
