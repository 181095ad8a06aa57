package study

import (
	"errors"
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/metric"
)

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
	Accepted   bool
	Forced     bool // accepted although it is worse, because fewer features are wanted

	Kept bool // loaded from Options.Keep instead of being trained

	fitted []fittedPart // by part; nil once importance is measured
	parts  []part
}

// trainedStep is the result of training a step, as a store keeps it.
type trainedStep struct {
	Best       int `json:"best,omitempty"`       // iteration, from 1
	Iterations int `json:"iterations,omitempty"` // that were done
	// of each validation query after Best; NaN if it does not count
	PerQuery nullable `json:"queries,omitempty"`
	// of the features, in their order, if the step was accepted
	Importance []FeatureImportance `json:"importance,omitempty"`
	Seconds    float64             `json:"seconds"`         // of training, added up over parts
	Error      string              `json:"error,omitempty"` // why there is no value; empty if there is one
}

// isComplete reports whether t can be the result of a complete training run.
func (t *trainedStep) isComplete() bool { return t.Error != "" || t.Best >= 1 && len(t.PerQuery) > 0 }

// entry returns the place of a step in the store.
func (s *selection) entry(step *SelectStep) *jobEntry { return s.kept.job("step", step.Features) }

// step trains on a set of features, unless that was done before.
func (s *selection) step(from *SelectStep, removed []int) (*SelectStep, error) {
	next := &SelectStep{Number: len(s.steps), Removed: removed, Features: s.all}
	if from != nil {
		next.From = from.Number
		next.Features = slices.DeleteFunc(slices.Clone(from.Features),
			func(f int) bool { return slices.Contains(removed, f) })
	}
	var err error
	if next.Kept, err = s.entry(next).load(&next.trainedStep, next.isComplete); err != nil {
		return nil, err
	}
	if !next.Kept {
		if err := s.train(next); err != nil {
			return nil, err
		}
	}
	s.steps = append(s.steps, next)
	if next.Error != "" {
		return next, nil
	}
	sample := metric.SampleOf(s.metric, next.PerQuery, s.weights)
	next.Value, next.Interval = sample.Mean(), sample.Interval(s.tests)
	return next, nil
}

// train trains a step and evaluates it.
func (s *selection) train(step *SelectStep) error {
	step.parts, step.PerQuery = s.narrowed(s.parts, step.Features), nil
	fit, err := s.begun.train(s.params, step.parts)
	if errors.Is(err, errNoTree) && len(s.steps) > 0 {
		step.Error = err.Error()
		return nil
	}
	if err != nil {
		return err
	}
	step.Best, step.Iterations, step.Seconds = fit.Best, len(fit.run.curve), fit.Seconds
	step.fitted, step.PerQuery = fit.Parts, fit.PerQuery
	return nil
}

// narrowed returns parts with only these features.
func (s *selection) narrowed(parts []part, features []int) []part {
	if len(features) == len(s.all) {
		return parts
	}
	return narrowParts(parts, func(f int) bool { return slices.Contains(features, f) })
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
		return text + ": undone: " + s.Error
	}
	text += fmt.Sprintf(": %s %.4f after %d iterations", name, s.Value, s.Best)
	state := "undone"
	switch {
	case s.Number == 0:
		return text
	case s.Accepted:
		state = "accepted"
	}
	return text + fmt.Sprintf(" (%+.4f): %s", s.Comparison.Difference, state)
}
