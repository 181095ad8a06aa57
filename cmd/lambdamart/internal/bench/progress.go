package bench

import (
	"fmt"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/experiment"
	"github.com/lambdamart/lambdamart/internal/digits"
	"github.com/lambdamart/lambdamart/training"
)

// progress shows the progress of a bench.
type progress struct {
	messages  *cli.Console
	metric    string
	trainings int
}

func (p *progress) hooks() experiment.Hooks {
	return experiment.Hooks{
		Plan: func(trainings, done int) {
			p.trainings = trainings
			p.messages.Emit(planEvent{trainings, done})
		},
		Begin: func(at int, name string) {
			p.messages.EndProgress()
			p.messages.Emit(beginEvent{at, p.trainings, name})
		},
		Round: p.round,
		Step:  p.messages.Within,
		End: func(at int, r *experiment.Run) {
			p.messages.EndProgress()
			p.messages.Emit(endEvent{at, p.trainings, r.Fold, r.Ranker, r.Variant, r.Seed, p.metric, cli.Number(r.Validation), cli.Number(r.Judged[0].Mean), r.Kept, r.Stopped, cli.Number(r.TrainSeconds)})
		},
		Warning: func(message string) { p.messages.Warn(message) },
	}
}

// round moves the bar on a terminal. Elsewhere the rounds of a bench are too many to be shown.
func (p *progress) round(r training.Round, of int) {
	if !p.messages.Terminal() {
		return
	}
	p.messages.Progress(cli.NewIterationEvent(r, of), p.metric)
}

// planEvent is the number of trainings of a bench.
type planEvent struct {
	Trainings int `json:"trainings"`
	Done      int `json:"done"` // by an earlier run
}

func (e planEvent) Kind() string { return "plan" }
func (e planEvent) Level() int   { return 1 }

func (e planEvent) String() string {
	if e.Done == 0 {
		return digits.Thousands(e.Trainings) + " trainings"
	}
	return fmt.Sprintf("%s trainings, %s of them done before", digits.Thousands(e.Trainings), digits.Thousands(e.Done))
}

// beginEvent is a training that begins.
type beginEvent struct {
	Number int    `json:"cli.Number"`
	Of     int    `json:"of"`
	Name   string `json:"name"`
}

func (e beginEvent) Kind() string   { return "begin" }
func (e beginEvent) Level() int     { return 2 }
func (e beginEvent) String() string { return fmt.Sprintf("[%d/%d] %s", e.Number, e.Of, e.Name) }

// endEvent is a finished training.
type endEvent struct {
	Number     int        `json:"cli.Number"`
	Of         int        `json:"of"`
	Fold       string     `json:"fold"`
	Ranker     string     `json:"ranker"`
	Variant    string     `json:"variant,omitempty"`
	Seed       int        `json:"seed"`
	Metric     string     `json:"metric"`
	Validation cli.Number `json:"validation"`
	Test       cli.Number `json:"test"`
	Kept       int        `json:"iterations_kept"`
	Stopped    string     `json:"stopped"`
	Seconds    cli.Number `json:"seconds"`
}

func (e endEvent) Kind() string { return "end" }
func (e endEvent) Level() int   { return 1 }

func (e endEvent) String() string {
	ranker := e.Ranker
	if e.Variant != "" {
		ranker += "@" + e.Variant
	}
	return fmt.Sprintf("[%d/%d] %s %s seed %d: %s vali %.4f test %.4f (%d iterations kept, %.3g s, %s)",
		e.Number, e.Of, e.Fold, ranker, e.Seed, e.Metric, float64(e.Validation), float64(e.Test), e.Kept, float64(e.Seconds), e.Stopped)
}
