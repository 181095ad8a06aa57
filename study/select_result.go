package study

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/internal/plot"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
)

// SelectResult is the result of a selection, as text, TSV, JSON and a page.
type SelectResult struct {
	document

	Metric string // the decisive metric, such as "ndcg@10"
	Rules  string // its convention in words

	Names   []string      // of all features of the data, by number
	Steps   []*SelectStep // by number; the first has all features that vary
	Chosen  *SelectStep
	Queries int // validation queries, whether they count or not

	// all features compared with the chosen ones, on the validation queries, which were used for the choice
	Comparison metric.Comparison

	params booster.Params
}

// all returns the step with all features.
func (r *SelectResult) all() *SelectStep { return r.Steps[0] }

// Features returns the names of the chosen features, in the order of the data.
func (r *SelectResult) Features() []string { return r.names(r.Chosen.Features) }

func (r *SelectResult) names(features []int) []string {
	names := make([]string, len(features))
	for i, f := range features {
		names[i] = r.Names[f]
	}
	return names
}

// Params returns the parameters of a training run on the chosen features, with the best number of iterations
// and without early stopping. Narrow the data to these features: data.Loaded.Narrow(r.Chosen.Features).
func (r *SelectResult) Params() booster.Params { return final(r.params, r.Chosen.Best) }

// result chooses the set and compares it with all features.
func (s *selection) result() (*SelectResult, error) {
	r := &SelectResult{Metric: s.metric.Name(), Rules: metric.Rules(s.metric),
		Names: s.parts[0].whole.Meta.Features, Steps: s.steps, Queries: len(s.steps[0].PerQuery), params: s.params}
	for _, step := range s.steps {
		if step.Accepted || s.o.Number > 0 { // accepted ones become smaller
			r.Chosen = step
		}
	}
	if r.Chosen.Err != nil {
		return nil, fmt.Errorf("%w: %d: with the most important features, %w", ErrNumber, s.o.Number,
			r.Chosen.Err)
	}
	var err error
	r.Comparison, err = metric.Compare(r.all().PerQuery, r.Chosen.PerQuery, s.weights, s.tests)
	if err != nil {
		return nil, fmt.Errorf("comparing the chosen features with all of them: %w", err)
	}
	r.warn()
	r.describe(validationQueries(s.parts))
	return r, nil
}

// warn collects warnings for people.
func (r *SelectResult) warn() {
	c, features := &r.Comparison, len(r.Chosen.Features)
	if c.StandardError > 0.01 {
		r.Warn(fmt.Sprintf("%s %s few: differences of %s have a standard error of %.4f, and a set that loses as "+
			"much counts as good; use more queries, or folds", wording.Count(c.Queries, "validation query"),
			wording.Agree(c.Queries, "is", "are"), r.Metric, c.StandardError))
	}
	r.Warn(c.Remark())
	if !r.Chosen.Accepted {
		r.Warn(wording.Count(features, "feature") + wording.Agree(features, " is less than the data allow: it is",
			" are fewer than the data allow: they are") + " worse than all features")
	}
	if r.Chosen.Best == r.params.NumIterations && r.params.Patience > 0 {
		r.Warn(fmt.Sprintf("the chosen features have their best iteration at the last one, %d: more may be "+
			"better; raise num_iterations", r.Chosen.Best))
	}
}

// finding states the result in one sentence.
func (r *SelectResult) finding() string {
	all, c, n := r.all(), &r.Comparison, len(r.Chosen.Features)
	text := fmt.Sprintf("All %s that vary have %s %.4f", wording.Count(len(all.Features), "feature"), r.Metric,
		all.Value)
	if r.Chosen == all {
		return text + ", and none can be left out."
	}
	return fmt.Sprintf("%s; the %s %.4f (%+.4f, 95 %% interval %+.4f to %+.4f) on the validation queries, "+
		"which have chosen %s.", text, wording.Agree(n, "chosen one has", wording.Thousands(n)+" chosen ones have"),
		r.Chosen.Value, c.Difference, c.Interval.Low, c.Interval.High, wording.Agree(n, "it", "them"))
}

// describe sets the document of the result. queries are the ids of the validation queries.
func (r *SelectResult) describe(queries []string) {
	steps, features := r.stepsTable(), r.featuresTable()
	r.Title, r.Finding = "Which features are needed? "+r.Metric, r.finding()
	r.Basis = fmt.Sprintf("%s. %s; values are of that iteration. %s: %s.",
		wording.Count(r.Queries, "validation query"), smoothRule, r.Metric, r.Rules)
	r.Tables = []*report.Table{steps, features}
	r.Files = []stream.File{{Name: "features.txt", Write: r.list}}
	c := &r.Comparison
	r.Facts = map[string]any{"metric": r.Metric, "rules": r.Rules, "queries": r.Queries,
		"features": r.Features(), "best_iteration": r.Chosen.Best, "chosen_step": r.Chosen.Number,
		"validation": map[string]any{"all": c.MeanA, "chosen": c.MeanB, "difference": c.Difference,
			"difference_low": c.Interval.Low, "difference_high": c.Interval.High,
			"p": c.Randomization.P, "queries": c.Queries}}
	var compared *report.Compared
	if r.Chosen != r.all() {
		compared = &report.Compared{Comparison: *c, A: "all features", B: "chosen features",
			ValuesA: r.all().PerQuery, P: wording.Probability(c.Randomization.P)}
	}
	judged := report.PerQuery{Queries: report.ByID(queries), Metric: r.Metric, Values: r.Chosen.PerQuery}
	r.Sections = []report.Section{r.stepsSection(steps),
		features.Section("Features", "Permutation: what nDCG loses on validation queries if the values of the "+
			"feature are exchanged. Features that no tree uses come last.", "Features that vary"),
		judged.Section("The validation queries, ranked with the chosen features, "+
			"and how they differ from those with all features.", "", 10, compared)}
}

// state describes the outcome of a step.
func (r *SelectResult) state(s *SelectStep) string {
	switch {
	case s == r.Chosen:
		return "chosen"
	case s.Err != nil:
		return "no tree"
	case s.Accepted:
		return "as good"
	}
	return "worse"
}

// stepsTable returns a table with a row for each step. Differences are from the best step before it.
func (r *SelectResult) stepsTable() *report.Table {
	value, programs := report.As("%.4f"), report.Programs
	t := &report.Table{Name: "steps", Value: r.Metric, Columns: []report.Column{
		{Name: "step"}, {Name: "features"}, {Name: r.Metric, Show: value},
		{Name: "low", For: programs}, {Name: "high", For: programs},
		{Name: "interval", Show: value, For: report.People}, {Name: "best_iteration", Show: report.As("%d")},
		{Name: "iterations", For: programs}, {Name: "against", For: programs},
		{Name: "difference", Show: report.As("%+.4f")}, {Name: "p", Show: report.Number(wording.Probability)},
		{Name: "state"}, {Name: "left_out", For: report.Terminal | programs}, {Name: "seconds", For: report.JSON}}}
	for _, s := range r.Steps {
		row := []any{s.Number, len(s.Features), s.Value, s.Interval.Low, s.Interval.High,
			s.Interval, s.Best, len(s.Curve), s.Against, s.Comparison.Difference,
			s.Comparison.Randomization.P, r.state(s), r.names(s.Removed), s.Seconds}
		switch {
		case s.Err != nil:
			clear(row[2:11])
		case s == r.all():
			clear(row[8:11])
		}
		t.Add(row...)
	}
	return t
}

// featuresTable returns a table with a row for each feature that varies, the most important in the models of
// all features first. A terminal shows the first of the chosen ones.
func (r *SelectResult) featuresTable() *report.Table {
	const shown = 30
	t := &report.Table{Name: "features", Key: "all_features", Shown: []int{},
		Above: "chosen features, by permutation:\n", Columns: []report.Column{{Name: "feature"},
			{Name: "chosen", For: report.Programs | report.Page}, {Name: "permutation", Show: report.As("%.4f")},
			{Name: "permutation_low", For: report.Programs}, {Name: "permutation_high", For: report.Programs},
			{Name: "interval", Show: report.As("%.4f"), For: report.People}, {Name: "splits"}}}
	if more := len(r.Chosen.Features) - shown; more > 0 {
		t.Below = "and " + wording.Thousands(more) + " more\n"
	}
	for row, i := range r.all().Importance {
		chosen := r.Chosen.has(i.Feature)
		t.Add(r.Names[i.Feature], chosen, i.Drop, i.Low, i.High, metric.Interval{Low: i.Low, High: i.High}, i.Split)
		if chosen && len(t.Shown) < shown {
			t.Shown = append(t.Shown, row)
		}
	}
	return t
}

// list writes the names of the chosen features, one a line.
func (r *SelectResult) list(w io.Writer) error {
	_, err := io.WriteString(w, strings.Join(r.Features(), "\n")+"\n")
	return err
}

// stepsSection draws the metric by number of features.
func (r *SelectResult) stepsSection(table *report.Table) report.Section {
	chart := plot.Lines{ID: "steps-figure", Title: r.Metric + " by number of features",
		XLabel: "features (logarithmic)", YLabel: "validation " + r.Metric, LogX: true, PointsOnly: true,
		Description: "A point with its interval over queries for each set of features that was trained.",
		Series: []plot.Series{{Name: "as good", Color: 0}, {Name: "worse", Color: 1},
			{Name: "chosen", Color: 2}}}
	for _, s := range r.Steps {
		at := slices.IndexFunc(chart.Series, func(of plot.Series) bool { return of.Name == r.state(s) })
		if at >= 0 {
			chart.Series[at].Points = append(chart.Series[at].Points, plot.Point{X: float64(len(s.Features)),
				Y: s.Value, Low: s.Interval.Low, High: s.Interval.High})
		}
	}
	return table.Section("Steps", "Features are ranked by permutation in the models of all features, and each "+
		"set has the most important of the one before. Differences are from the best step before. A set is worse "+
		"if it loses more than one standard error of the paired differences.", "Steps",
		report.Figure{Chart: &chart, Caption: "The intervals are over queries, which all steps have in common: " +
			"the differences of steps are known better than they look."})
}
