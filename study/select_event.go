package study

import (
	"fmt"

	"github.com/lambdamart/lambdamart/metric"
)

// stepJudged is a step that has been judged.
type stepJudged struct {
	Step       int          `json:"step"`
	Features   int          `json:"features"`
	LeftOut    int          `json:"left_out"`
	Metric     string       `json:"metric"`
	Value      metric.Value `json:"value"`
	Difference metric.Value `json:"difference"`
	P          metric.Value `json:"p"`
	Best       int          `json:"best_iteration"`
	Accepted   bool         `json:"accepted"`
	Kept       bool         `json:"kept"` // it was taken from an earlier run
	Error      string       `json:"error,omitempty"`

	Source *SelectStep `json:"-"` // the step
}

func newStepJudged(s *SelectStep, name string) stepJudged {
	return stepJudged{Source: s, Step: s.Number, Features: len(s.Features), LeftOut: len(s.Removed),
		Metric: name, Value: metric.Value(s.Value), Best: s.Best, Accepted: s.Accepted, Kept: s.Kept,
		Error:      s.Error,
		Difference: metric.Value(s.Comparison.Difference), P: metric.Value(s.Comparison.Randomization.P)}
}

func (e stepJudged) Kind() string { return "step" }
func (e stepJudged) Level() int   { return 1 }

func (e stepJudged) String() string {
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
	return fmt.Sprintf("%s: %s %.4f after %d iterations (%+.4f): %s", text, e.Metric, float64(e.Value),
		e.Best, float64(e.Difference), state)
}
