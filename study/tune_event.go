package study

import (
	"fmt"
	"strings"

	"github.com/lambdamart/lambdamart/metric"
)

// trialDone is a trial that has done a step.
type trialDone struct {
	Trial      int          `json:"trial"`
	Step       int          `json:"step"`
	Of         int          `json:"of"`
	Metric     string       `json:"metric"`
	Value      metric.Value `json:"value"`
	Best       int          `json:"best_iteration"`
	Iterations int          `json:"iterations"`
	Settings   []string     `json:"settings"`
	Kept       bool         `json:"kept"` // a step was taken from an earlier run
	Error      string       `json:"error,omitempty"`

	Source *Trial `json:"-"` // the trial, which changes in its next step
}

func newTrialDone(t *Trial, name string) trialDone {
	e := trialDone{Source: t, Trial: t.Number, Step: t.Step, Of: trialSteps, Metric: name,
		Value: metric.Value(t.Value), Best: t.Best, Iterations: t.Rounds, Settings: []string{}, Kept: t.Kept}
	for _, s := range t.Settings {
		e.Settings = append(e.Settings, s.Name+"="+s.Value)
	}
	if t.Wide {
		e.Settings = append(e.Settings, "query_context="+strings.Join(t.Params().QueryContext, ","))
	}
	if t.Err != nil {
		e.Error = t.Err.Error()
	}
	return e
}

func (e trialDone) Kind() string { return "trial" }

// Level implements [Event]: trials that are given up would bury those that are trained to the end.
func (e trialDone) Level() int {
	if e.Step < trialSteps && e.Error == "" {
		return 2
	}
	return 1
}

func (e trialDone) String() string {
	name := fmt.Sprintf("trial %d (%s)", e.Trial, strings.Join(e.Settings, " "))
	if e.Trial == 0 {
		name = "the defaults"
	}
	if e.Error != "" {
		return name + ": " + e.Error
	}
	return fmt.Sprintf("%s: step %d of %d: %s %.4f after %d of %d iterations", name, e.Step, e.Of, e.Metric,
		float64(e.Value), e.Best, e.Iterations)
}
