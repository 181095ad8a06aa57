package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/explain"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/reuse"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/tree"
)

// SelectOptions are the options of [Select].
type SelectOptions struct {
	Options     // the event of a step is of kind "step"
	Number  int // number of features to select; 0: the smallest set that is as good as the best one
}

// The shape of a selection.
const (
	leftOut        = 0.2  // share of its features that the next smaller set leaves out, but at least one feature
	rankedQueries  = 1000 // the largest number of queries of each part on which importance is measured
	rankedShuffles = 5    // number of permutations of the values of a feature
)

// ErrNumber means that this many features cannot be selected, to be matched by errors.Is.
var ErrNumber = errors.New("this many features cannot be selected")

// Check returns an error for invalid options, and for parameters that are valid for training but not for
// selections. [Select] calls it; a caller may do so before it reads any data.
func (o *SelectOptions) Check(p *booster.Params) error {
	err := o.Options.Check(p)
	switch {
	case o.Number < 0:
		return errors.Join(err, fmt.Errorf("%w: %d; want at least 1, or 0 for a rule", ErrNumber, o.Number))
	case p.Boosting == booster.DART:
		return errors.Join(err, fmt.Errorf(
			"boosting=dart: %w, for each set of features; select with boosting=gbdt, "+
				"and train on the selected features with dart", ErrDART))
	case len(p.QueryContext) > 0:
		return errors.Join(err, fmt.Errorf("query_context: its columns are computed from other features, which "+
			"cannot be left out one by one; write them as features with lambdamart transform, and select among these"))
	}
	return err
}

// SelectStep is a set of features with the result of training on them.
type SelectStep struct {
	Number   int   // from 0, the step with all features
	Features []int // numbers, ascending
	Removed  []int // numbers of the features that the step before has besides, ascending

	Trained
	Value    float64         // weighted mean of PerQuery
	Interval metric.Interval // of Value, over queries

	Against    int               // number of the best step before it, with which it was compared
	Comparison metric.Comparison // with that step; meaningless for step 0
	Accepted   bool              // it is as good as that step
}

// has reports whether the set has a feature.
func (s *SelectStep) has(feature int) bool {
	_, found := slices.BinarySearch(s.Features, feature)
	return found
}

// FeatureImportance is the importance of a feature for the models of all features, on validation queries.
type FeatureImportance struct {
	Feature int `json:"feature"` // its number
	// decrease of nDCG if the values of the feature are permuted among documents
	Drop  float64 `json:"drop"`
	Low   float64 `json:"drop_low"`
	High  float64 `json:"drop_high"`
	Split float64 `json:"split"` // number of splits of all parts
}

// selection is the state of a selection in progress.
type selection struct {
	begun
	o        SelectOptions
	features []int // that vary, ascending
	steps    []*SelectStep
	best     *SelectStep // the accepted step with the largest value, the earliest of equal ones
}

// Select finds the features that training runs with the parameters p need, evaluated by p.StopMetric:
//
//	r, err := study.Select(ctx, p.Params, study.On(d, study.Folds{}), study.SelectOptions{})
//	fmt.Println(r.Features())
//	p.Params = r.Params()
//	final, err := lambdamart.Train(ctx, p, d.Narrow(r.Chosen.Features))
//
// p.NumIterations is the largest number of iterations of a run, and p.Patience stops runs early. If ctx is
// canceled, it returns the cause; with Options.Keep, the same call continues from there. The validation value
// of the chosen set is too optimistic, because its queries were used to choose the set.
func Select(ctx context.Context, p booster.Params, d Data, o SelectOptions) (_ *SelectResult, err error) {
	defer d.loaded.Guard(&err)()
	s, err := newSelection(ctx, p, d, o)
	if err != nil {
		return nil, err
	}
	all, err := s.step(s.features)
	if err != nil {
		return nil, err
	}
	ranked, used := rank(all.Importance)
	if o.Number > 0 {
		_, err = s.step(ranked[:o.Number])
	} else {
		err = s.shrink(ranked, used)
	}
	if err != nil {
		return nil, err
	}
	return s.result()
}

// newSelection validates everything before time is spent.
func newSelection(ctx context.Context, p booster.Params, d Data, o SelectOptions) (*selection, error) {
	b, err := newBegun(ctx, p, d, o.Options, o.Check(&p))
	if err != nil {
		return nil, err
	}
	s := &selection{begun: b, o: o}
	for _, f := range d.Train.Values.Columns {
		s.features = append(s.features, int(f))
	}
	switch n := len(s.features); {
	case n < 2:
		return nil, fmt.Errorf("%w: %s of the data %s, and there is nothing to choose", ErrNumber,
			wording.Count(n, "feature"), wording.Agree(n, "varies", "vary"))
	case o.Number >= n:
		return nil, fmt.Errorf("%w: %s of the %s that vary; want fewer", ErrNumber,
			wording.Thousands(o.Number), wording.Count(n, "feature"))
	}
	// the results of steps include measured importances, which depend on these options
	return s, s.keep(o.Keep, s.tests.Level, s.tests.Resamples, s.tests.Seed)
}

// rank sorts a list, the most important feature first, and those that no tree uses last. It returns the
// numbers of the features in this order, and how many of them trees use.
func rank(list []FeatureImportance) (ranked []int, used int) {
	slices.SortStableFunc(list, func(a, b FeatureImportance) int {
		return cmp.Or(cmp.Compare(min(b.Split, 1), min(a.Split, 1)), cmp.Compare(b.Drop, a.Drop))
	})
	for _, f := range list {
		ranked = append(ranked, f.Feature)
		used += int(min(f.Split, 1))
	}
	return ranked, used
}

// shrink trains on ever fewer of the most important features, and at first on those that trees use, until a
// set is worse.
func (s *selection) shrink(ranked []int, used int) error {
	for size := len(ranked); size > 1; {
		size = max(1, min(size-max(1, int(leftOut*float64(size))), used))
		if step, err := s.step(ranked[:size]); err != nil || !step.Accepted {
			return err
		}
	}
	return nil
}

// step trains on some features, unless that was done before, and compares the result with the best one so
// far. The first step also measures the importance of features.
func (s *selection) step(features []int) (*SelectStep, error) {
	next := &SelectStep{Number: len(s.steps), Features: slices.Sorted(slices.Values(features))}
	if next.Number > 0 {
		next.Removed = slices.DeleteFunc(slices.Clone(s.steps[next.Number-1].Features), next.has)
	}
	err := s.do(&next.Trained, s.kept.job("step", next.Features), func() error { return s.train(next) })
	switch {
	case err != nil:
		return nil, err
	case next.Err != nil && (next.NoTree == "" || next.Number == 0):
		return nil, next.Err
	}
	s.steps = append(s.steps, next)
	if err := s.judge(next); err != nil {
		return nil, err
	}
	if next.Number == 0 && next.Kept {
		s.log.Info("continuing from the steps in " + s.o.Keep.Folder)
	}
	s.logStep(next)
	return next, nil
}

// train trains a step and evaluates it.
func (s *selection) train(step *SelectStep) error {
	parts := s.parts
	if step.Number > 0 {
		parts = narrowParts(parts, step.has)
	}
	fitted, err := s.begun.train(&step.Trained, s.params, parts)
	if err == nil && step.Number == 0 {
		step.Importance, err = s.measure(fitted)
	}
	return err
}

// judge compares a step with the best one before it, and accepts it if it is not worse: if it loses at most
// one standard error of the paired differences (L. Breiman, J. Friedman, R. Olshen, C. Stone, Classification
// and Regression Trees, 1984, section 3.4.3).
func (s *selection) judge(step *SelectStep) (err error) {
	before := s.best
	if before != nil {
		step.Against = before.Number
	}
	if step.Err != nil {
		return nil
	}
	sample := metric.SampleOf(s.metric, step.PerQuery, s.weights)
	step.Value, step.Interval, step.Accepted = sample.Mean(), sample.Interval(s.tests), true
	if before != nil {
		step.Comparison, err = metric.Compare(before.PerQuery, step.PerQuery, s.weights, s.tests)
		step.Accepted = -step.Comparison.Difference <= step.Comparison.StandardError
	}
	if step.Accepted && (before == nil || step.Value > before.Value) {
		s.best = step
	}
	return err
}

// logStep reports a step that was evaluated.
func (s *selection) logStep(step *SelectStep) {
	facts := []any{"event", "step", "step", step.Number, "features", len(step.Features),
		"left_out", len(step.Removed), "metric", s.metric.Name(), "value", step.Value,
		"difference", step.Comparison.Difference, "p", step.Comparison.Randomization.P,
		"best_iteration", step.Best, "accepted", step.Accepted, "kept", step.Kept}
	if step.Err != nil {
		facts = append(facts, "error", step.Err.Error())
	}
	s.log.Info(step.text(s.metric.Name()), facts...)
}

// text describes the outcome of the step.
func (s *SelectStep) text(name string) string {
	text := fmt.Sprintf("step %d: %s", s.Number, wording.Count(len(s.Features), "feature"))
	if s.Err != nil {
		return text + ": worse: " + s.Err.Error()
	}
	text += fmt.Sprintf(": %s %.4f after %s", name, s.Value, wording.Count(s.Best, "iteration"))
	switch {
	case s.Number == 0:
		return text
	case s.Accepted:
		return text + fmt.Sprintf(" (%+.4f): as good", s.Comparison.Difference)
	}
	return text + fmt.Sprintf(" (%+.4f): worse", s.Comparison.Difference)
}

// measure measures the importance of all features in their models, on the validation queries of all parts.
func (s *selection) measure(fitted []fittedPart) ([]FeatureImportance, error) {
	drops, splits := map[int][]float64{}, map[int]float64{}
	var weights, none []float64 // none: the drops of a feature that no model uses
	for i := range fitted {
		list, own, err := s.measured(s.parts[i].validData(), fitted[i].Model)
		if errors.Is(err, explain.ErrNoGrades) {
			continue
		} else if err != nil {
			return nil, err
		}
		for _, m := range list {
			before := drops[m.Feature]
			drops[m.Feature] = slices.Concat(before, none[len(before):], m.Drops)
			splits[m.Feature] += m.Split
		}
		weights = append(weights, queryWeights(own, len(list[0].Drops))...)
		for _, drop := range list[0].Drops {
			none = append(none, drop-drop) // NaN for a query that does not count
		}
	}
	if n := len(metric.NewSample(none, weights).Values); n < 2 {
		return nil, fmt.Errorf("importance is measured on %s that count; want at least 2",
			wording.Count(n, "query"))
	}
	list := make([]FeatureImportance, len(s.features))
	for i, f := range s.features {
		list[i].Feature = f
		if own := drops[f]; own != nil {
			sample := metric.NewSample(append(own, none[len(own):]...), weights)
			interval := sample.Interval(s.tests)
			list[i] = FeatureImportance{f, sample.Mean(), interval.Low, interval.High, splits[f]}
		}
	}
	return list, nil
}

// measured measures the importance of features in the model of a part on its validation queries, and returns
// the weights of these queries.
func (s *selection) measured(valid booster.Data, m *tree.Ensemble) ([]explain.Measured, []float64, error) {
	o := explain.DefaultOptions()
	o.Queries, o.Repeats, o.Workers = rankedQueries, rankedShuffles, par.Threads(s.params.NumThreads)
	o.Convention = s.metric.Convention()
	o.Progress = func(part string, done, of int) { s.progress(Progress{Part: part, Done: done, Of: of}) }
	if cutoff, ok := strings.CutPrefix(s.metric.Name(), "ndcg@"); ok {
		o.Cutoff, _ = strconv.Atoi(cutoff)
	}
	d, err := explain.Load(s.ctx, binnedRows(valid), m, o)
	if err != nil {
		return nil, nil, err
	}
	return d.Measure(s.ctx)
}

// binnedRows returns rows in which each value is replaced by one of its bin ([histogram.FeatureBins.Value]):
// models with these bins score them as they score the original rows.
func binnedRows(d booster.Data) dataset.Source {
	columns := d.Values.Columns
	return dataset.NewMemory(d.Meta, 1, func(b *dataset.Block, rows []int) error {
		b.Memory = reuse.Slice(b.Memory, len(columns)*len(rows))
		for i, r := range rows {
			row := dataset.Row{Number: r, Feature: columns, Value: b.Memory[i*len(columns):][:len(columns)]}
			for c := range row.Value {
				row.Value[c] = d.Values.Bins(int32(c)).Value(d.Values.At(int32(r), int32(c)))
			}
			b.Rows = append(b.Rows, row)
		}
		return nil
	})
}
