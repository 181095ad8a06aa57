package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/internal/byfeature"
	"github.com/lambdamart/lambdamart/metric"
)

// selection is the state of a selection in progress.
type selection struct {
	begun
	data     booster.Data
	o        SelectOptions
	all      []int // features that vary, ascending
	required []int
	steps    []*SelectStep
}

// singleTries is the number of features that are tried one by one before the search ends.
const singleTries = 3

// Select selects features for training runs with the parameters p on parts of the same data, evaluated by
// p.StopMetric. p.NumIterations is the largest number of iterations of a training run, and p.Patience stops
// training runs early. If ctx is canceled, it returns the cause; with Options.Keep, the same call continues
// from there.
func Select(ctx context.Context, p booster.Params, d Data, o SelectOptions) (*SelectResult, error) {
	s, err := newSelection(ctx, p, d, o)
	if err != nil {
		return nil, err
	}
	if err := s.eliminate(); err != nil {
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

// least returns the number of features at which the search ends.
func (s *selection) least() int { return max(1, s.o.Number, len(s.required)) }

// spent reports whether the budget of training runs is used up.
func (s *selection) spent() bool { return s.o.Trainings > 0 && len(s.steps) >= s.o.Trainings }

// eliminate removes features step by step until none can be left out or the budget is spent.
func (s *selection) eliminate() error {
	current, err := s.step(nil, nil)
	if err != nil {
		return err
	}
	if err := s.accept(current); err != nil {
		return err
	}
	most := len(s.all)        // largest number of features that a step may leave out
	var refused []*SelectStep // rejected steps that each leave out one feature of current
	for len(current.Features) > s.least() && !s.spent() {
		order := slices.DeleteFunc(s.order(current), func(f int) bool {
			return slices.ContainsFunc(refused, func(r *SelectStep) bool { return r.Removed[0] == f })
		})
		if len(order) == 0 || len(refused) == singleTries {
			if s.o.Number == 0 {
				return nil
			}
			if current, err = s.force(refused); err != nil {
				return err
			}
			refused = nil
			continue
		}
		n := min(s.batch(current), most, len(order), len(current.Features)-s.least())
		next, err := s.step(current, slices.Sorted(slices.Values(order[:n])))
		if err != nil {
			return err
		}
		worse, err := s.compare(next)
		if err != nil {
			return err
		}
		switch {
		case !worse:
			current, most, refused = next, 2*n, nil
			err = s.accept(next)
		case n > 1:
			most = n / 2
			err = s.end(next)
		default:
			refused = append(refused, next)
			err = s.end(next)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// batch returns the number of features that are left out together in the step after an accepted one.
func (s *selection) batch(step *SelectStep) int {
	unused := 0
	for _, i := range step.Importance {
		if i.Split == 0 && !slices.Contains(s.required, i.Feature) {
			unused++
		}
	}
	return max(1, unused, int(float64(s.o.Share*float64(len(step.Features)))))
}

// compare compares a step with the best one, and reports whether it is worse.
func (s *selection) compare(step *SelectStep) (worse bool, err error) {
	best := s.best()
	step.Against = best.Number
	if step.Error != "" {
		return true, nil
	}
	step.Comparison, err = metric.Compare(best.PerQuery, step.PerQuery, s.weights, s.tests)
	return s.isWorse(&step.Comparison), err
}

// isWorse reports whether the second set of a comparison is not as good as the first: it loses more than one
// standard error of the paired differences (L. Breiman, J. Friedman, R. Olshen, C. Stone, Classification and
// Regression Trees, 1984, section 3.4.3), and more than Options.Tolerance.
func (s *selection) isWorse(c *metric.Comparison) bool {
	return -c.Difference > max(s.o.Tolerance, c.StandardError)
}

// accept measures the importance of the features of a step, so the next step can leave some out.
func (s *selection) accept(step *SelectStep) error {
	step.Accepted = true
	if step.Importance == nil {
		if step.fitted == nil { // it was rejected before
			if err := s.train(step); err != nil {
				return err
			}
		}
		var err error
		if step.Importance, err = s.measure(step); err != nil {
			return err
		}
	}
	return s.end(step)
}

// end stores the result of a step and releases its memory.
func (s *selection) end(step *SelectStep) error {
	known := step.Kept && step.fitted == nil // the stored result is complete already
	step.fitted, step.parts = nil, nil
	if step.Number == 0 && step.Kept {
		s.tell(note("continuing from the steps in " + s.o.Keep.Folder))
	}
	s.tell(stepEvent(step, s.metric.Name()))
	if known {
		return nil
	}
	return s.entry(step).save(step.trainedStep)
}

// force accepts the best of the rejected steps, each of which leaves out one feature, because fewer features
// are wanted.
func (s *selection) force(refused []*SelectStep) (*SelectStep, error) {
	trained := slices.DeleteFunc(slices.Clone(refused), func(r *SelectStep) bool { return r.Error != "" })
	if len(trained) == 0 {
		return nil, fmt.Errorf("%w: %d: without %s, %s", ErrNumber, s.o.Number,
			s.data.Meta.Features[refused[0].Removed[0]], refused[0].Error)
	}
	step := slices.MaxFunc(trained, func(a, b *SelectStep) int { return cmp.Compare(a.Value, b.Value) })
	step.Forced = true
	return step, s.accept(step)
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

// The measures of importance, values of Options.By.
const (
	ByPermutation  = "permutation" // decrease of nDCG if the values of the feature are permuted among documents
	ByContribution = "shap"        // mean absolute Shapley value of the feature, less its mean over the query
	ByGain         = "gain"        // of the splits, on training data
)

// SelectOptions are the options of [Select]. Begin with [DefaultSelectOptions].
type SelectOptions struct {
	Options // the event of a step is of kind "step"

	Number    int      // number of features to select; 0: the rule decides
	Required  []string // features that are always kept, by name or number
	By        string   // the measure of importance that decides
	Share     float64  // share of the features that a step leaves out, but at least one feature
	Tolerance float64  // loss of the mean metric that is always accepted
	Trainings int      // largest number of training runs; 0: any number
	Seed      uint64   // for the sample of queries, permutations and tests

	Queries int // the largest number of queries of each part on which importance is measured
	Repeats int // number of permutations of the values of a feature

	Test *booster.Data // queries with no part in the choice, on which the chosen set is evaluated; nil: none
}

// DefaultSelectOptions returns the default values.
func DefaultSelectOptions() SelectOptions {
	return SelectOptions{By: ByPermutation, Share: 0.2, Queries: 1000, Repeats: 5, Seed: 1}
}

// Errors of [Select], to be matched by errors.Is.
var (
	// ErrTooFewTrainings means that the allowed training runs do not suffice to reach the wanted number of
	// features.
	ErrTooFewTrainings = errors.New("the budget of training runs is too small")
	// ErrNumber means that this many features cannot be selected.
	ErrNumber = errors.New("this many features cannot be selected")
)

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

// Check returns an error for invalid options, and for parameters that are valid for training but not for
// selections. [Select] calls it; a caller may do so before it reads any data.
func (o *SelectOptions) Check(p *booster.Params) error {
	return errors.Join(o.Options.Check(p), checkSelect(p), o.checkOwn())
}

// checkOwn returns an error for invalid options that other studies do not have.
func (o *SelectOptions) checkOwn() error {
	switch {
	case o.By != ByPermutation && o.By != ByContribution && o.By != ByGain:
		return fmt.Errorf("the measure of importance is %q; want %s, %s or %s", o.By, ByPermutation, ByContribution,
			ByGain)
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
