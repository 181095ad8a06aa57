package selection

import (
	"errors"
	"fmt"
	"io"

	"github.com/lambdamart/lambdamart/internal/digits"
	"github.com/lambdamart/lambdamart/study"
)

// storedStep is a step in a store.
type storedStep struct {
	Best       int           `json:"best,omitempty"`
	Iterations int           `json:"iterations,omitempty"`
	PerQuery   digits.Values `json:"queries,omitempty"` // null for a query that does not count
	Importance []Importance  `json:"importance,omitempty"`
	Seconds    float64       `json:"seconds"`
	Err        string        `json:"error,omitempty"`
}

// identify writes what all steps depend on: the data, the parts, the parameters and how importance is
// measured.
func (s *search) identify(w io.Writer) {
	fmt.Fprintln(w, s.o.Queries, s.o.Repeats, s.o.Seed, s.tests.Level, s.tests.Resamples, s.tests.Seed)
	study.ByParts(&s.params, s.parts)(w)
}

// load takes over what an earlier selection has done of a step.
func (s *search) load(step *Step) error {
	var stored storedStep
	found, err := s.kept.Job("step", step.Features).Load(&stored, func() bool {
		return stored.Err != "" || stored.Best >= 1 && len(stored.PerQuery) > 0
	})
	if err != nil || !found {
		return err
	}
	step.Kept, step.Best, step.Iterations, step.PerQuery, step.Seconds, step.Importance = true, stored.Best, stored.Iterations, stored.PerQuery, stored.Seconds, stored.Importance
	if stored.Err != "" {
		step.Err = errors.New(stored.Err)
	}
	return nil
}

// save keeps a step.
func (s *search) save(step *Step) error {
	done := storedStep{Best: step.Best, Iterations: step.Iterations, PerQuery: step.PerQuery,
		Importance: step.Importance, Seconds: step.Seconds}
	if step.Err != nil {
		done.Err = step.Err.Error()
	}
	return s.kept.Job("step", step.Features).Save(done)
}
