package selecting

import (
	"fmt"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/selection"
)

// stepEvent is a step that has been judged.
type stepEvent struct {
	Step       int        `json:"step"`
	Features   int        `json:"features"`
	LeftOut    int        `json:"left_out"`
	Metric     string     `json:"metric"`
	Value      cli.Number `json:"value"`
	Difference cli.Number `json:"difference"`
	P          cli.Number `json:"p"`
	Best       int        `json:"best_iteration"`
	Accepted   bool       `json:"accepted"`
	Kept       bool       `json:"kept"` // it was taken from an earlier run
	Error      string     `json:"error,omitempty"`
}

func newStepEvent(s *selection.Step, metric string) stepEvent {
	e := stepEvent{Step: s.Number, Features: len(s.Features), LeftOut: len(s.Removed), Metric: metric, Value: cli.Number(s.Value), Best: s.Best, Accepted: s.Accepted, Kept: s.Kept,
		Difference: cli.Number(s.Comparison.Difference), P: cli.Number(s.Comparison.Randomization.P)}
	if s.Err != nil {
		e.Error = s.Err.Error()
	}
	return e
}

func (e stepEvent) Kind() string { return "step" }
func (e stepEvent) Level() int   { return 1 }

func (e stepEvent) String() string {
	text := fmt.Sprintf("step %d: %d features", e.Step, e.Features)
	switch {
	case e.Error != "":
		return text + ": undone: " + e.Error
	case e.Step == 0:
		return fmt.Sprintf("%s: %s %.4f after %d iterations", text, e.Metric, float64(e.Value), e.Best)
	}
	state := "undone"
	if e.Accepted {
		state = "accepted"
	}
	return fmt.Sprintf("%s: %s %.4f after %d iterations (%+.4f): %s", text, e.Metric, float64(e.Value), e.Best, float64(e.Difference), state)
}
