package selection

import (
	"errors"
	"slices"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/metric/significance"
	"github.com/lambdamart/lambdamart/study"
)

// Step is a set of features, and what its training gave.
type Step struct {
	Number   int   // from 0, all features
	From     int   // number of the step whose features these are, without Removed
	Features []int // numbers, ascending
	Removed  []int // numbers, ascending

	Best       int                   // iteration, from 1
	Iterations int                   // that were done
	Value      float64               // weighted mean of PerQuery
	Interval   significance.Interval // of Value, over queries
	PerQuery   []float64             // value of each validation query after the best iteration; NaN for those that do not count
	Seconds    float64               // of training, added up over parts

	Against    int                     // number of the best step before it, which it was compared with
	Comparison significance.Comparison // with that step; without meaning for step 0
	Accepted   bool
	Forced     bool // accepted although it is worse, because fewer features are wanted

	Importance []Importance // of the features, in their order, if the step was accepted
	Err        error        // why it has no value; nil if it has
	Kept       bool         // whether it was taken from Options.Keep, and not trained

	fitted []study.Fitted // by part; nil once importance is measured
	parts  []study.Part
}

// step trains on a set of features, unless that was done before.
func (s *search) step(from *Step, removed []int) (*Step, error) {
	next := &Step{Number: len(s.steps), Removed: removed, Features: s.all}
	if from != nil {
		next.From = from.Number
		next.Features = slices.DeleteFunc(slices.Clone(from.Features), func(f int) bool { return slices.Contains(removed, f) })
	}
	if err := s.load(next); err != nil {
		return nil, err
	}
	if !next.Kept {
		if err := s.train(next); err != nil {
			return nil, err
		}
	}
	s.steps = append(s.steps, next)
	if next.Err != nil {
		return next, nil
	}
	sample := metric.SampleOf(s.metric, next.PerQuery, s.weights)
	next.Value, next.Interval = sample.Mean(), sample.Interval(s.tests)
	return next, nil
}

// train trains a step and judges it.
func (s *search) train(step *Step) error {
	step.parts, step.PerQuery = s.narrowed(s.parts, step.Features), nil
	fit, err := study.Train(s.ctx, s.params, step.parts)
	if errors.Is(err, study.ErrNoTree) && len(s.steps) > 0 {
		step.Err = err
		return nil
	}
	if err != nil {
		return err
	}
	step.Best, step.Iterations, step.Seconds = fit.Best, fit.Rounds, fit.Seconds
	step.fitted, step.PerQuery = fit.Parts, fit.PerQuery
	return nil
}

// narrowed returns parts with some features.
func (s *search) narrowed(parts []study.Part, features []int) []study.Part {
	if len(features) == len(s.all) {
		return parts
	}
	return study.Narrow(parts, func(f int) bool { return slices.Contains(features, f) })
}

// params returns the parameters of a training on the features of the step, with its number of iterations.
func (s *Step) params(p booster.Params) booster.Params {
	p.NumIterations, p.Patience = s.Best, 0
	return p
}
