package study

import (
	"errors"

	"github.com/lambdamart/lambdamart/metric"

	"github.com/lambdamart/lambdamart/training"
)

// storedTrial is a trial in a store.
type storedTrial struct {
	Curve    []float64     `json:"curve"`
	Ended    bool          `json:"ended"`             // there are no more iterations
	PerQuery metric.Values `json:"queries,omitempty"` // null for a query that does not count
	Seconds  float64       `json:"seconds"`

	Scores  []metric.Values `json:"scores,omitempty"` // by part, if a mean of models may need them
	Spreads []float64       `json:"spreads,omitempty"`

	Err string `json:"error,omitempty"`
}

// entry returns the place of a trial, which depends on whether it is on a part of the queries.
func (s *search) entry(t *Trial, step int) *jobEntry {
	return s.kept.job("trial", s.onFew(step), training.ParameterFacts(t.params.Table()))
}

// load takes over what an earlier search has done of a step, and reports whether that is all of it.
func (s *search) load(t *Trial, step int) (bool, error) {
	if t.training != nil {
		return false, nil
	}
	var stored storedTrial
	found, err := s.entry(t, step).load(&stored, func() bool {
		return len(stored.Curve) > 0 || stored.Err != ""
	})
	target := s.target(t, step)
	switch {
	case err != nil || !found:
		return false, err
	case stored.Err != "":
		t.Err, t.Seconds = errors.New(stored.Err), stored.Seconds
		return true, nil
	case step == trialSteps && (stored.PerQuery == nil || s.averages && stored.Spreads == nil), !stored.Ended &&
		len(stored.Curve) < target:
		return false, nil
	}
	t.take(&stored, target, step)
	return true, nil
}

// take sets the trial as it was after a step.
func (t *Trial) take(stored *storedTrial, target, step int) {
	t.Curve = stored.Curve[:min(target, len(stored.Curve))]
	t.Rounds, t.Seconds = len(t.Curve), stored.Seconds
	t.choose()
	if step == trialSteps {
		t.PerQuery, t.spreads, t.scores = stored.PerQuery, stored.Spreads, stored.Scores
	}
}

// save keeps what a trial has done.
func (s *search) save(t *Trial, ended bool, step int) error {
	done := storedTrial{Curve: t.Curve, Ended: ended, PerQuery: t.PerQuery, Seconds: t.Seconds,
		Scores: t.scores, Spreads: t.spreads}
	if t.Err != nil {
		done = storedTrial{PerQuery: t.PerQuery, Err: t.Err.Error(), Seconds: t.Seconds}
	}
	return s.entry(t, step).save(done)
}
