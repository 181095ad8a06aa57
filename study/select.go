package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/internal/byfeature"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/metric"
)

// SelectOptions are the options of [Select]. Begin with [DefaultSelectOptions].
type SelectOptions struct {
	Options // the event of a step is of kind "step"

	Number    int      // number of features to select; 0: the rule decides
	Required  []string // features that are always kept, by name or number
	Share     float64  // share of its features that the next smaller set leaves out, but at least one feature
	Tolerance float64  // loss of the mean metric that is always accepted
	Trainings int      // largest number of training runs; 0: any number
	Seed      uint64   // for the sample of queries, permutations and tests

	Queries int // the largest number of queries of each part on which importance is measured
	Repeats int // number of permutations of the values of a feature

	Test *booster.Data // queries with no part in the choice, on which the chosen set is evaluated; nil: none
}

// DefaultSelectOptions returns the default values.
func DefaultSelectOptions() SelectOptions {
	return SelectOptions{Share: 0.2, Queries: 1000, Repeats: 5, Seed: 1}
}

// Errors of [Select], to be matched by errors.Is.
var (
	// ErrTooFewTrainings means that the allowed training runs do not suffice to leave a feature out.
	ErrTooFewTrainings = errors.New("the budget of training runs is too small")
	// ErrNumber means that this many features cannot be selected.
	ErrNumber = errors.New("this many features cannot be selected")
)

// Check returns an error for invalid options, and for parameters that are valid for training but not for
// selections. [Select] calls it; a caller may do so before it reads any data.
func (o *SelectOptions) Check(p *booster.Params) error {
	return errors.Join(o.Options.Check(p), checkSelect(p), o.checkOwn())
}

// checkSelect returns an error for parameters that training accepts and feature selection does not.
func checkSelect(p *booster.Params) error {
	switch {
	case p.Boosting == booster.DART:
		return fmt.Errorf("boosting=dart: %w, for each set of features; select with boosting=gbdt, and train on "+
			"the selected features with dart", ErrDART)
	case len(p.QueryContext) > 0:
		return fmt.Errorf("query_context: its columns are computed from other features, which cannot be left " +
			"out one by one; write them as features with lambdamart transform, and select among these")
	}
	return nil
}

// checkOwn returns an error for invalid options that other studies do not have.
func (o *SelectOptions) checkOwn() error {
	switch {
	case !(o.Share > 0 && o.Share < 1):
		return fmt.Errorf("a step leaves out the share %v of the features; want a number above 0 and below 1",
			o.Share)
	case !(o.Tolerance >= 0):
		return fmt.Errorf("the tolerance is %v; want 0 or more", o.Tolerance)
	case o.Number < 0 || o.Queries < 1 || o.Repeats < 1:
		return fmt.Errorf("%d features by %d queries and %d exchanges; want at least 0, 1 and 1", o.Number,
			o.Queries, o.Repeats)
	case o.Trainings < 0 || o.Trainings == 1:
		return fmt.Errorf("%w: %d; one judges all features, so that at least 2 are needed to leave one out",
			ErrTooFewTrainings, o.Trainings)
	}
	return nil
}

// SelectStep is a set of features with the result of training on them.
type SelectStep struct {
	Number   int   // from 0, the step with all features
	From     int   // number of the step from whose features Removed was left out
	Features []int // numbers, ascending
	Removed  []int // numbers, ascending

	trainedStep
	Value    float64         // weighted mean of PerQuery
	Interval metric.Interval // of Value, over queries

	Against    int               // number of the best step before it, with which it was compared
	Comparison metric.Comparison // with that step; meaningless for step 0
	Accepted   bool              // it is as good as that step

	Kept bool // loaded from Options.Keep instead of being trained
}

// trainedStep is the result of training a step, as a store keeps it.
type trainedStep struct {
	Best       int `json:"best,omitempty"`       // iteration, from 1
	Iterations int `json:"iterations,omitempty"` // that were done
	// of each validation query after Best; NaN if it does not count
	PerQuery   nullable            `json:"queries,omitempty"`
	Importance []FeatureImportance `json:"importance,omitempty"` // of the step with all features
	Seconds    float64             `json:"seconds"`              // of training, added up over parts
	Error      string              `json:"error,omitempty"`      // why there is no value; empty if there is one
}

// isComplete reports whether t can be the result of a complete training run.
func (t *trainedStep) isComplete() bool { return t.Error != "" || t.Best >= 1 && len(t.PerQuery) > 0 }

// selection is the state of a selection in progress.
type selection struct {
	begun
	data     booster.Data
	o        SelectOptions
	all      []int // features that vary, ascending
	required []int
	ranked   []int // all features, the most important first, after those that are required
	steps    []*SelectStep
}

// Select selects features for training runs with the parameters p on parts of the same data, evaluated by
// p.StopMetric. p.NumIterations is the largest number of iterations of a training run, and p.Patience stops
// training runs early. If ctx is canceled, it returns the cause; with Options.Keep, the same call continues
// from there.
func Select(ctx context.Context, p booster.Params, d Data, o SelectOptions) (*SelectResult, error) {
	s, err := newSelection(ctx, p, d, o)
	if err != nil {
		return nil, err
	}
	all, err := s.step(nil, s.all)
	if err != nil {
		return nil, err
	}
	s.rank(all.Importance)
	if o.Number > 0 {
		_, err = s.step(all, s.ranked[:o.Number])
	} else {
		err = s.shrink(all)
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
	if o.Tests == (metric.TestOptions{}) {
		b.tests.Seed = o.Seed
	}
	s := &selection{begun: b, data: d.Train, o: o}
	for _, f := range s.data.Values.Columns {
		s.all = append(s.all, int(f))
	}
	if err := s.require(); err != nil {
		return nil, err
	}
	// the results of steps include measured importances, which depend on these options
	return s, s.keep(o.Keep, o.Queries, o.Repeats, o.Seed, s.tests.Level, s.tests.Resamples, s.tests.Seed)
}

// require finds the features that are always kept, and checks the number of features.
func (s *selection) require() error {
	for _, name := range s.o.Required {
		f, err := byfeature.Find(name, s.data.Meta.Features)
		if err != nil {
			return err
		}
		if !slices.Contains(s.all, f) {
			return fmt.Errorf("feature %s has the same bin in all rows, so that no tree uses it; do not require "+
				"it", s.data.Meta.Features[f])
		}
		if !slices.Contains(s.required, f) {
			s.required = append(s.required, f)
		}
	}
	switch {
	case len(s.all) < 2:
		return fmt.Errorf("%w: %d features of the data vary, and there is nothing to choose", ErrNumber, len(s.all))
	case s.o.Number >= len(s.all):
		return fmt.Errorf("%w: %d of the %d features that vary; want fewer", ErrNumber, s.o.Number, len(s.all))
	case s.o.Number > 0 && s.o.Number < len(s.required):
		return fmt.Errorf("%w: %d, but %d are always kept; require fewer, or select more", ErrNumber,
			s.o.Number, len(s.required))
	case len(s.required) == len(s.all):
		return fmt.Errorf("%w: all %d features that vary are always kept; require fewer", ErrNumber, len(s.all))
	}
	return nil
}

// rank orders the features by the importance in the models of all of them.
func (s *selection) rank(list []FeatureImportance) {
	needed := func(i *FeatureImportance) int {
		switch {
		case slices.Contains(s.required, i.Feature):
			return 2
		case i.Split > 0:
			return 1
		}
		return 0
	}
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b FeatureImportance) int {
		return cmp.Or(needed(&b)-needed(&a), cmp.Compare(b.Drop, a.Drop), cmp.Compare(b.Size, a.Size),
			cmp.Compare(a.Feature, b.Feature))
	})
	for _, i := range list {
		s.ranked = append(s.ranked, i.Feature)
	}
}

// shrink trains on ever fewer of the most important features until a set is worse, and then looks for the
// smallest one that is not, by bisection.
func (s *selection) shrink(step *SelectStep) error {
	used := 0 // features that trees use or that are required
	for _, i := range step.Importance {
		if i.Split > 0 || slices.Contains(s.required, i.Feature) {
			used++
		}
	}
	worse := max(1, len(s.required)) - 1 // size of a set that is too small
	bisect := false
	for size := len(s.all); size-worse > 1 && !s.spent(); {
		next := max(worse+1, min(size-max(1, int(float64(s.o.Share*float64(size)))), max(1, used)))
		if bisect {
			next = (size + worse) / 2
		}
		smaller, err := s.step(step, s.ranked[:next])
		if err != nil {
			return err
		}
		if smaller.Accepted {
			step, size = smaller, next
		} else {
			worse, bisect = next, true
		}
	}
	return nil
}

// spent reports whether the budget of training runs is used up.
func (s *selection) spent() bool { return s.o.Trainings > 0 && len(s.steps) >= s.o.Trainings }

// step trains on some of the features of an earlier step, unless that was done before, and compares it with
// the best one so far. The first step also measures the importance of features.
func (s *selection) step(from *SelectStep, features []int) (*SelectStep, error) {
	next := &SelectStep{Number: len(s.steps), Features: slices.Sorted(slices.Values(features))}
	if from != nil {
		next.From = from.Number
		next.Removed = slices.DeleteFunc(slices.Clone(from.Features),
			func(f int) bool { return slices.Contains(features, f) })
	}
	entry := s.kept.job("step", next.Features)
	var err error
	if next.Kept, err = entry.load(&next.trainedStep, next.isComplete); err != nil {
		return nil, err
	}
	if !next.Kept {
		if err := s.train(next); err != nil {
			return nil, err
		}
		if err := entry.save(next.trainedStep); err != nil {
			return nil, err
		}
	}
	s.steps = append(s.steps, next)
	if next.Error == "" {
		sample := metric.SampleOf(s.metric, next.PerQuery, s.weights)
		next.Value, next.Interval = sample.Mean(), sample.Interval(s.tests)
	}
	if err := s.compare(next); err != nil {
		return nil, err
	}
	if next.Number == 0 && next.Kept {
		s.tell(note("continuing from the steps in " + s.o.Keep.Folder))
	}
	s.tell(stepEvent(next, s.metric.Name()))
	return next, nil
}

// train trains a step and evaluates it.
func (s *selection) train(step *SelectStep) error {
	parts := s.narrowed(s.parts, step.Features)
	fit, err := s.begun.train(s.params, parts)
	if errors.Is(err, errNoTree) && step.Number > 0 {
		step.Error = err.Error()
		return nil
	}
	if err != nil {
		return err
	}
	step.Best, step.Iterations, step.Seconds = fit.Best, len(fit.run.curve), fit.Seconds
	step.PerQuery = fit.PerQuery
	if step.Number == 0 {
		step.Importance, err = s.measure(fit.Parts)
	}
	return err
}

// narrowed returns parts with only these features.
func (s *selection) narrowed(parts []part, features []int) []part {
	if len(features) == len(s.all) {
		return parts
	}
	return narrowParts(parts, func(f int) bool { return slices.Contains(features, f) })
}

// compare compares a step with the best one before it, and accepts it if it is not worse: if it loses at most
// one standard error of the paired differences (L. Breiman, J. Friedman, R. Olshen, C. Stone, Classification
// and Regression Trees, 1984, section 3.4.3), or at most Options.Tolerance.
func (s *selection) compare(step *SelectStep) (err error) {
	if step.Number == 0 {
		step.Accepted = true
		return nil
	}
	best := s.best()
	if step.Against = best.Number; step.Error != "" {
		return nil
	}
	step.Comparison, err = metric.Compare(best.PerQuery, step.PerQuery, s.weights, s.tests)
	step.Accepted = -step.Comparison.Difference <= max(s.o.Tolerance, step.Comparison.StandardError)
	return err
}

// best returns the accepted step with the largest value, the earliest of equal ones.
func (s *selection) best() *SelectStep {
	best := s.steps[0]
	for _, step := range s.steps {
		if step.Accepted && step.Value > best.Value {
			best = step
		}
	}
	return best
}

// stepEvent returns the event of a step that was evaluated by the named metric.
func stepEvent(s *SelectStep, name string) Event {
	facts := report.Record{"step", s.Number, "features", len(s.Features), "left_out", len(s.Removed),
		"metric", name, "value", s.Value, "difference", s.Comparison.Difference,
		"p", s.Comparison.Randomization.P, "best_iteration", s.Best, "accepted", s.Accepted, "kept", s.Kept}
	if s.Error != "" {
		facts = append(facts, "error", s.Error)
	}
	return Event{Kind: "step", Level: 1, Text: s.text(name), Fields: facts}
}

// text describes the outcome of the step.
func (s *SelectStep) text(name string) string {
	text := fmt.Sprintf("step %d: %d features", s.Number, len(s.Features))
	if s.Error != "" {
		return text + ": worse: " + s.Error
	}
	text += fmt.Sprintf(": %s %.4f after %d iterations", name, s.Value, s.Best)
	switch {
	case s.Number == 0:
		return text
	case s.Accepted:
		return text + fmt.Sprintf(" (%+.4f): as good", s.Comparison.Difference)
	}
	return text + fmt.Sprintf(" (%+.4f): worse", s.Comparison.Difference)
}
