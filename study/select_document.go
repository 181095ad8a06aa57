package study

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/internal/plot"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
)

// describe sets the document of the result.
func (r *SelectResult) describe() {
	steps, features := r.stepsTable(), r.featuresTable()
	r.Title = "Which features are needed? " + r.Metric
	r.Finding = strings.TrimSpace(r.finding() + " " + r.testFinding())
	r.Basis = fmt.Sprintf("%d validation queries. %s; values are of that iteration. %s: %s.", r.Queries, smoothRule,
		r.Metric, r.Rules)
	r.Tables = []*report.Table{steps, features}
	r.Files = []stream.File{{Name: "features.txt", Write: r.list}}
	r.Facts = map[string]any{"metric": r.Metric, "rules": r.Rules, "select_by": r.By, "queries": r.Queries,
		"features": r.Features(), "removed": append([]string{}, r.removed()...), "best_iteration": r.Chosen.Best,
		"chosen_step": r.Chosen.Number, "validation": comparisonFacts(&r.Comparison),
		"test": comparisonFacts(r.Tested)}
	r.Sections = []report.Section{r.stepsSection(steps), r.featuresSection(features), r.queriesSection()}
}

// comparisonFacts returns the comparison of all features with the chosen ones for result.json. Its names must
// not change.
func comparisonFacts(c *metric.Comparison) map[string]any {
	if c == nil {
		return nil
	}
	return map[string]any{"all": c.MeanA, "chosen": c.MeanB, "difference": c.Difference,
		"difference_low": c.Interval.Low, "difference_high": c.Interval.High,
		"p": c.Randomization.P, "queries": c.Queries}
}

// state describes the outcome of a step.
func (r *SelectResult) state(s *SelectStep) string {
	switch {
	case s == r.Chosen:
		return "chosen"
	case s.Error != "":
		return "no tree"
	case s.Forced:
		return "worse, but fewer are wanted"
	case s.Accepted:
		return "accepted"
	}
	return "undone"
}

// stepsTable has a row for each step. Differences are from the best step before it.
func (r *SelectResult) stepsTable() *report.Table {
	only := func(names ...string) []report.Column { return report.Only(report.Programs, names...) }
	t := &report.Table{Name: "steps", Columns: slices.Concat(
		[]report.Column{{Name: "step"}, {Name: "from", For: report.Programs}, {Name: "features"},
			{Name: r.Metric, Key: "value", Format: "%.4f"}}, only("low", "high"),
		[]report.Column{{Name: "interval", Format: "%.4f", For: report.People},
			{Name: "best_iteration", Format: "%d"}}, only("iterations", "against"),
		[]report.Column{{Name: "difference", Format: "%+.4f"}, {Name: "p", Show: wording.Probability},
			{Name: "state", Left: true}, {Name: "left_out", Key: "removed", For: report.Programs},
			{Name: "left_out", For: report.Terminal, Left: true}, {Name: "seconds", For: report.JSON}})}
	for _, s := range r.Steps {
		row := []any{s.Number, s.From, len(s.Features), s.Value, s.Interval.Low, s.Interval.High, s.Interval,
			s.Best, s.Iterations, s.Against, s.Comparison.Difference, s.Comparison.Randomization.P, r.state(s),
			r.names(s.Removed), shortList(r.names(s.Removed)), s.Seconds}
		switch {
		case s.Error != "":
			clear(row[3:12])
		case s == r.all():
			clear(row[9:12])
		}
		t.Add(row...)
	}
	return t
}

// featuresTable has a row for each feature, in the order of the data, with its importance in the last
// accepted step that includes it. A terminal shows the most important of the chosen features.
func (r *SelectResult) featuresTable() *report.Table {
	const shown, figures = 30, report.People | report.TSV
	ranked := r.ranked()
	t := &report.Table{Name: "features", Key: "all_features", Shown: ranked[:min(shown, len(ranked))],
		Above: fmt.Sprintf("chosen features, by %s:\n", r.By), Columns: slices.Concat(
			[]report.Column{{Name: "feature", Key: "name", Left: true}, {Name: "chosen", For: report.Programs}},
			report.Only(report.JSON, "required", "constant"), report.Only(report.Programs, "left_out_by"),
			[]report.Column{{Name: "permutation", Format: "%.4f", For: figures}},
			report.Only(report.TSV, "permutation_low", "permutation_high"),
			[]report.Column{{Name: "interval", Format: "%.4f", For: report.People},
				{Name: "shap", Format: "%.4g", For: figures}}, report.Only(report.TSV, "shap_low", "shap_high"),
			[]report.Column{{Name: "interval", Format: "%.4g", For: report.People},
				{Name: "gain_share", Head: "gain", Show: plot.Percent, For: figures}},
			report.Only(report.TSV, "splits"), report.Only(report.JSON, "importance"),
			[]report.Column{{Name: "left_out_by", Head: "left out by step", For: report.Page}})}
	if more := len(ranked) - shown; more > 0 {
		t.Below = fmt.Sprintf("and %d more\n", more)
	}
	importance, leftOutBy := r.fates()
	for f, name := range r.Names {
		row := []any{name, slices.Contains(r.Chosen.Features, f), slices.Contains(r.required, f),
			slices.Contains(r.Constant, f), leftOutBy[f]}
		row = append(row, make([]any, 10)...)
		if i := importance[f]; i != nil {
			drop := metric.Interval{Low: i.DropLow, High: i.DropHigh}
			size := metric.Interval{Low: i.SizeLow, High: i.SizeHigh}
			copy(row[5:], []any{i.Drop, drop.Low, drop.High, drop, i.Size, size.Low, size.High, size, i.Gain, i.Split})
		}
		t.Add(append(row, importance[f], leftOutBy[f])...)
	}
	return t
}

// ranked returns the indexes of the chosen features, the most important first.
func (r *SelectResult) ranked() []int {
	list, features := slices.Clone(r.Chosen.Importance), []int{}
	slices.SortStableFunc(list, func(a, b FeatureImportance) int { return cmp.Compare(b.by(r.By), a.by(r.By)) })
	for _, i := range list {
		features = append(features, i.Feature)
	}
	return features
}

// fates returns, for each feature, its importance in the last accepted step that includes it, or nil if the
// feature is constant; and the number of the accepted step, before or after the chosen one, that left it out,
// or nil if none did.
func (r *SelectResult) fates() (importance []*FeatureImportance, leftOutBy []any) {
	importance, leftOutBy = make([]*FeatureImportance, len(r.Names)), make([]any, len(r.Names))
	for _, s := range r.Steps {
		if !s.Accepted {
			continue
		}
		for i := range s.Importance {
			importance[s.Importance[i].Feature] = &s.Importance[i]
		}
		for _, f := range s.Removed {
			leftOutBy[f] = s.Number
		}
	}
	return importance, leftOutBy
}

// list writes the names of the chosen features, one a line.
func (r *SelectResult) list(w io.Writer) error {
	_, err := io.WriteString(w, strings.Join(r.Features(), "\n")+"\n")
	return err
}

// stepsSection draws the metric by number of features.
func (r *SelectResult) stepsSection(table *report.Table) report.Section {
	chart := plot.Lines{ID: "steps-figure", Title: r.Metric + " by number of features",
		XLabel: "features (logarithmic)",
		YLabel: "validation " + r.Metric, LogX: true, PointsOnly: true,
		Description: "A point with its interval over queries for each set of features that was trained."}
	chart.Series = []plot.Series{{Name: "accepted", Color: 0}, {Name: "undone", Color: 1},
		{Name: "chosen", Color: 2}}
	for _, s := range r.Steps {
		if s.Error != "" {
			continue
		}
		at := &chart.Series[1]
		if s == r.Chosen {
			at = &chart.Series[2]
		} else if s.Accepted {
			at = &chart.Series[0]
		}
		at.Points = append(at.Points, plot.Point{X: float64(len(s.Features)), Y: s.Value, Low: s.Interval.Low,
			High: s.Interval.High})
	}
	return report.Section{ID: "steps", Title: "Steps",
		Text: "Differences are from the best step before. A step that loses more than one standard error of the " +
			"paired differences, and more than the tolerance, is undone and tried again with half of the features.",
		Figures: []report.Figure{{Chart: &chart, Caption: "The intervals are over queries, which all steps have " +
			"in common: the differences of steps are known better than they look."}},
		Tables: []report.Grid{table.Grid("Steps")}}
}

// featuresSection has a line for each feature.
func (r *SelectResult) featuresSection(table *report.Table) report.Section {
	others := []int{}
	for f := range r.Names {
		if !slices.Contains(r.Chosen.Features, f) {
			others = append(others, f)
		}
	}
	return report.Section{ID: "features", Title: "Features",
		Text: "Permutation: what nDCG loses on validation queries if the values of the feature are exchanged. " +
			"Shap: mean size of its share of scores. Gain: its share of the gain of all splits in training. A " +
			"feature without figures has one bin in all rows.",
		Tables: []report.Grid{table.Pick(r.ranked()).Grid("Chosen features"), table.Pick(others).Grid(
			"Features that are left out, by the models of the last step that had them")}}
}

// queriesSection shows the validation queries for the chosen features, compared with all features.
func (r *SelectResult) queriesSection() report.Section {
	all, other := r.all(), (*report.Compared)(nil)
	if r.Chosen != all {
		other = &report.Compared{Comparison: r.Comparison, A: "all features", B: "chosen features",
			ValuesA: all.PerQuery, P: wording.Probability(r.Comparison.Randomization.P)}
	}
	return validationSection(r.queries, r.Metric, "The validation queries, ranked with the chosen features, "+
		"and how they differ from those with all features.", "", r.Chosen.PerQuery, other)
}
