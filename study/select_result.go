package study

import (
	"cmp"
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

	Names    []string      // of all features of the data, by number
	Constant []int         // numbers of the features that have one bin in all rows
	Steps    []*SelectStep // by number; the first has all features that vary
	Chosen   *SelectStep
	Queries  int // validation queries, whether they count or not

	// all features compared with the chosen ones, on the validation queries, which were used for the choice
	Comparison metric.Comparison
	Tested     *metric.Comparison // the same comparison on the queries of Options.Test; nil if there are none
	Test       string             // name of the data in Options.Test
	Budget     int                // number of training runs if the budget ended the selection; 0 if the rule did

	params   booster.Params
	required []int
	queries  []string // ids of the validation queries, in the order of Step.PerQuery
}

// all returns the step with all features.
func (r *SelectResult) all() *SelectStep { return r.Steps[0] }

// Features returns the names of the chosen features, in the order of the data.
func (r *SelectResult) Features() []string { return r.names(r.Chosen.Features) }

// removed returns the names of all other features, in the order of the data.
func (r *SelectResult) removed() []string {
	var names []string
	for f, name := range r.Names {
		if !slices.Contains(r.Chosen.Features, f) {
			names = append(names, name)
		}
	}
	return names
}

func (r *SelectResult) names(features []int) []string {
	names := make([]string, len(features))
	for i, f := range features {
		names[i] = r.Names[f]
	}
	return names
}

// Params returns the parameters of a training run on the chosen features, with the best number of iterations
// and without early stopping. Narrow the data to these features: data.Loaded.Narrow(r.Chosen.Features).
func (r *SelectResult) Params() booster.Params {
	return final(r.params, r.Chosen.Best)
}

// result chooses the set and evaluates it.
func (s *selection) result() (*SelectResult, error) {
	r := &SelectResult{Metric: s.metric.Name(), Rules: s.metric.Convention().String(),
		Names: s.data.Meta.Features, Steps: s.steps, Queries: len(s.steps[0].PerQuery),
		params: s.params, required: s.required, queries: validationQueries(s.parts)}
	for f := range r.Names {
		if !slices.Contains(s.all, f) {
			r.Constant = append(r.Constant, f)
		}
	}
	for _, step := range s.steps {
		if step.Accepted || s.o.Number > 0 { // accepted ones become smaller
			r.Chosen = step
		}
	}
	if r.Chosen.Error != "" {
		return nil, fmt.Errorf("%w: %d: with the most important features, %s", ErrNumber, s.o.Number,
			r.Chosen.Error)
	}
	if s.spent() && s.o.Number == 0 && len(r.Chosen.Features) > max(1, len(s.required)) {
		r.Budget = s.o.Trainings
	}
	var err error
	r.Comparison, err = metric.Compare(r.all().PerQuery, r.Chosen.PerQuery, s.weights, s.tests)
	if err != nil {
		return nil, fmt.Errorf("comparing the chosen features with all of them: %w", err)
	}
	if s.o.Test != nil {
		r.Test = s.o.Test.Name
		if r.Tested, err = s.test(r.Chosen); err != nil {
			return nil, err
		}
	}
	r.warn(s)
	r.describe()
	return r, nil
}

// test compares models of all features and of the chosen ones, trained on all training data, on separate
// queries.
func (s *selection) test(chosen *SelectStep) (*metric.Comparison, error) {
	whole := []part{withValidation(s.data, *s.o.Test)}
	all, err := s.testedOn(whole, s.steps[0])
	if err != nil {
		return nil, err
	}
	values := all
	if chosen != s.steps[0] {
		if values, err = s.testedOn(whole, chosen); err != nil {
			return nil, err
		}
	}
	weights, err := validationWeights(whole, s.metric, s.params.NumThreads)
	if err != nil {
		return nil, err
	}
	c, err := metric.Compare(all, values, weights, s.tests)
	return &c, err
}

// testedOn trains on the features of a step and returns the value of each validation query of a part.
func (s *selection) testedOn(part []part, step *SelectStep) ([]float64, error) {
	p := s.params
	p.NumIterations, p.Patience = step.Best, 0
	fit, err := s.begun.train(p, s.narrowed(part, step.Features))
	var fitted []fittedPart
	if err == nil {
		fitted, err = fit.run.judgeAll(min(step.Best, len(fit.run.curve)))
	}
	if err != nil {
		return nil, fmt.Errorf("judging on %s: %w", s.o.Test.Name, err)
	}
	return fitted[0].Result.PerQuery, nil
}

// warn collects warnings for people.
func (r *SelectResult) warn(s *selection) {
	add := func(format string, args ...any) { r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...)) }
	if r.Chosen == r.all() {
		add("no feature can be left out: every smaller set that was tried is worse than all features")
	}
	if e := r.Comparison.StandardError; e > 0.01 && e > s.o.Tolerance {
		add("%d validation queries are few: differences of %s have a standard error of %.4f, and a set that "+
			"loses as much counts as good; use more queries, or folds", r.Comparison.Queries, r.Metric, e)
	}
	if remark := r.Comparison.Remark(); remark != "" {
		r.Warnings = append(r.Warnings, remark)
	}
	if !r.Chosen.Accepted {
		add("%d features are fewer than the data allow: they are worse than all features", len(r.Chosen.Features))
	}
	if r.Budget > 0 {
		add("the budget of %d training runs ended the selection at %d features; a larger one may leave out more",
			r.Budget, len(r.Chosen.Features))
	}
	if r.Chosen.Best == r.params.NumIterations && r.params.Patience > 0 {
		add("the chosen features have their best iteration at the last one, %d: more may be better; raise "+
			"num_iterations", r.Chosen.Best)
	}
}

// finding states the result in one or two sentences.
func (r *SelectResult) finding() string {
	all, chosen := r.all(), r.Chosen
	text := fmt.Sprintf("All %d features that vary have %s %.4f", len(all.Features), r.Metric, all.Value)
	if chosen == all {
		return text + ", and none can be left out."
	}
	c := r.Comparison
	return text + fmt.Sprintf("; the %d chosen ones have %.4f (%s) on the validation queries, which have "+
		"chosen them.", len(chosen.Features), chosen.Value, differenceText(&c))
}

// testFinding states the result on the queries of Options.Test, or returns "" if there are none.
func (r *SelectResult) testFinding() string {
	if r.Tested == nil {
		return ""
	}
	return fmt.Sprintf("On %s, which influenced no choice, all features have %.4f and the chosen ones "+
		"%.4f (%s, p = %s, %d queries).", r.Test, r.Tested.MeanA, r.Tested.MeanB, differenceText(r.Tested),
		wording.Probability(r.Tested.Randomization.P), r.Tested.Queries)
}

// differenceText describes a difference with its interval.
func differenceText(c *metric.Comparison) string {
	return fmt.Sprintf("%+.4f, 95 %% interval %+.4f to %+.4f", c.Difference, c.Interval.Low, c.Interval.High)
}

// shortList returns names separated by commas, shortened.
func shortList(names []string) string {
	const most = 8
	if len(names) <= most {
		return strings.Join(names, " ")
	}
	return strings.Join(names[:most], " ") + fmt.Sprintf(" and %d more", len(names)-most)
}

// describe sets the document of the result.
func (r *SelectResult) describe() {
	steps, features := r.stepsTable(), r.featuresTable()
	r.Title = "Which features are needed? " + r.Metric
	r.Finding = strings.TrimSpace(r.finding() + " " + r.testFinding())
	r.Basis = fmt.Sprintf("%d validation queries. %s; values are of that iteration. %s: %s.", r.Queries, smoothRule,
		r.Metric, r.Rules)
	r.Tables = []*report.Table{steps, features}
	r.Files = []stream.File{{Name: "features.txt", Write: r.list}}
	r.Facts = map[string]any{"metric": r.Metric, "rules": r.Rules, "queries": r.Queries,
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
	case s.Accepted:
		return "as good"
	}
	return "worse"
}

// stepsTable returns a table with a row for each step. Differences are from the best step before it.
func (r *SelectResult) stepsTable() *report.Table {
	const figures = report.People | report.TSV
	only := func(names ...string) []report.Column { return report.Only(report.Programs, names...) }
	t := &report.Table{Name: "steps", Columns: slices.Concat(
		[]report.Column{{Name: "step"}, {Name: "from", For: report.Programs}, {Name: "features"},
			{Name: r.Metric, Show: report.As("%.4f"), For: figures}, {Name: "value", For: report.JSON}},
		only("low", "high"),
		[]report.Column{{Name: "interval", Show: report.As("%.4f"), For: report.People},
			{Name: "best_iteration", Show: report.As("%d")}}, only("iterations", "against"),
		[]report.Column{{Name: "difference", Show: report.As("%+.4f")},
			{Name: "p", Show: report.Number(wording.Probability)}, {Name: "state"},
			{Name: "removed", For: report.JSON}, {Name: "left_out", For: report.TSV},
			{Name: "left_out", For: report.Terminal}, {Name: "seconds", For: report.JSON}})}
	for _, s := range r.Steps {
		row := []any{s.Number, s.From, len(s.Features), s.Value, s.Value, s.Interval.Low, s.Interval.High,
			s.Interval, s.Best, s.Iterations, s.Against, s.Comparison.Difference,
			s.Comparison.Randomization.P, r.state(s), r.names(s.Removed), r.names(s.Removed),
			shortList(r.names(s.Removed)), s.Seconds}
		switch {
		case s.Error != "":
			clear(row[3:13])
		case s == r.all():
			clear(row[10:13])
		}
		t.Add(row...)
	}
	return t
}

// featuresTable returns a table with a row for each feature, in the order of the data, with its importance in
// the models of all features. A terminal shows the most important of the chosen features.
func (r *SelectResult) featuresTable() *report.Table {
	const shown, figures = 30, report.People | report.TSV
	ranked := r.ranked()
	t := &report.Table{Name: "features", Key: "all_features", Shown: ranked[:min(shown, len(ranked))],
		Above: "chosen features, by permutation:\n", Columns: slices.Concat(
			[]report.Column{{Name: "feature", For: figures}, {Name: "name", For: report.JSON},
				{Name: "chosen", For: report.Programs}},
			report.Only(report.JSON, "required", "constant"), report.Only(report.Programs, "left_out_by"),
			[]report.Column{{Name: "permutation", Show: report.As("%.4f"), For: figures}},
			report.Only(report.TSV, "permutation_low", "permutation_high"),
			[]report.Column{{Name: "interval", Show: report.As("%.4f"), For: report.People},
				{Name: "shap", Show: report.As("%.4g"), For: figures}}, report.Only(report.TSV, "shap_low", "shap_high"),
			[]report.Column{{Name: "interval", Show: report.As("%.4g"), For: report.People},
				{Name: "gain_share", Head: "gain", Show: report.Number(plot.Percent), For: figures}},
			report.Only(report.TSV, "splits"), report.Only(report.JSON, "importance"),
			[]report.Column{{Name: "left_out_by", Head: "left out by step", For: report.Page}})}
	if more := len(ranked) - shown; more > 0 {
		t.Below = fmt.Sprintf("and %d more\n", more)
	}
	importance, leftOutBy := make([]*FeatureImportance, len(r.Names)), make([]any, len(r.Names))
	for i := range r.all().Importance {
		importance[r.all().Importance[i].Feature] = &r.all().Importance[i]
	}
	for _, s := range r.Steps {
		for _, f := range s.Removed {
			if s.Accepted || s == r.Chosen {
				leftOutBy[f] = s.Number
			}
		}
	}
	for f, name := range r.Names {
		row := []any{name, name, slices.Contains(r.Chosen.Features, f), slices.Contains(r.required, f),
			slices.Contains(r.Constant, f), leftOutBy[f]}
		row = append(row, make([]any, 10)...)
		if i := importance[f]; i != nil {
			drop := metric.Interval{Low: i.DropLow, High: i.DropHigh}
			size := metric.Interval{Low: i.SizeLow, High: i.SizeHigh}
			copy(row[6:], []any{i.Drop, drop.Low, drop.High, drop, i.Size, size.Low, size.High, size, i.Gain, i.Split})
		}
		t.Add(append(row, importance[f], leftOutBy[f])...)
	}
	return t
}

// ranked returns the indexes of the chosen features, the most important first.
func (r *SelectResult) ranked() (features []int) {
	list := slices.Clone(r.all().Importance)
	slices.SortStableFunc(list, func(a, b FeatureImportance) int { return cmp.Compare(b.Drop, a.Drop) })
	for _, i := range list {
		if slices.Contains(r.Chosen.Features, i.Feature) {
			features = append(features, i.Feature)
		}
	}
	return features
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
	chart.Series = []plot.Series{{Name: "as good", Color: 0}, {Name: "worse", Color: 1},
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
		Text: "Features are ranked by permutation in the models of all features, and each set has the most " +
			"important of the one before. Differences are from the best step before. A set is worse if it loses " +
			"more than one standard error of the paired differences, and more than the tolerance.",
		Figures: []report.Figure{{Chart: &chart, Caption: "The intervals are over queries, which all steps have " +
			"in common: the differences of steps are known better than they look."}},
		Tables: []report.Grid{table.Grid("Steps")}}
}

// featuresSection shows a line for each feature.
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
			"Features that are left out")}}
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
