package tune

import (
	"fmt"
	"io"
	"strings"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/io/stream"
	"github.com/lambdamart/lambdamart/tuning"
)

// readSpace reads a file of a space.
func readSpace(path string) (space tuning.Space, err error) {
	err = stream.ReadFile(path, func(r io.Reader, name string) error {
		space, err = tuning.ReadSpace(r, name)
		return err
	})
	return space, err
}

// resumedEvent is how much of a finished search an earlier run had done.
type resumedEvent struct {
	Trials int    `json:"trials"` // of which a step was taken from the folder
	Of     int    `json:"of"`     // all trials, the defaults included
	Folder string `json:"folder"`
}

func (e resumedEvent) Kind() string { return "resumed" }
func (e resumedEvent) Level() int   { return 1 }

func (e resumedEvent) String() string {
	return fmt.Sprintf("%d of %d trainings (trials and defaults) were taken, in whole or in part, from %s", e.Trials, e.Of, e.Folder)
}

// trialEvent is a trial that has done a step.
type trialEvent struct {
	Trial      int        `json:"trial"`
	Step       int        `json:"step"`
	Of         int        `json:"of"`
	Metric     string     `json:"metric"`
	Value      cli.Number `json:"value"`
	Best       int        `json:"best_iteration"`
	Iterations int        `json:"iterations"`
	Settings   []string   `json:"settings"`
	Kept       bool       `json:"kept"` // a step was taken from an earlier run
	Error      string     `json:"error,omitempty"`
}

func newTrialEvent(t *tuning.Trial, metric string) trialEvent {
	e := trialEvent{Trial: t.Number, Step: t.Step, Of: tuning.Steps, Metric: metric, Value: cli.Number(t.Value), Best: t.Best, Iterations: t.Rounds, Settings: []string{}, Kept: t.Kept}
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

func (e trialEvent) Kind() string { return "trial" }

// Level implements [cli.Event]: trials that are given up would bury those that are trained to the end.
func (e trialEvent) Level() int {
	if e.Step < tuning.Steps && e.Error == "" {
		return 2
	}
	return 1
}

func (e trialEvent) String() string {
	name := fmt.Sprintf("trial %d (%s)", e.Trial, strings.Join(e.Settings, " "))
	if e.Trial == 0 {
		name = "the defaults"
	}
	if e.Error != "" {
		return name + ": " + e.Error
	}
	return fmt.Sprintf("%s: step %d of %d: %s %.4f after %d of %d iterations", name, e.Step, e.Of, e.Metric, float64(e.Value), e.Best, e.Iterations)
}
