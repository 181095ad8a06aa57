package main

import (
	"fmt"
	"strings"

	"github.com/lambdamart/lambdamart/experiment"
	"github.com/lambdamart/lambdamart/training"
)

// benchProgress shows what a bench does.
type benchProgress struct {
	messages  *console
	metric    string
	trainings int
}

func (p *benchProgress) hooks() experiment.Hooks {
	return experiment.Hooks{
		Plan: func(trainings, done int) {
			p.trainings = trainings
			p.messages.emit(benchPlanEvent{trainings, done})
		},
		Begin: func(at int, name string) {
			p.messages.endProgress()
			p.messages.emit(benchBeginEvent{at, p.trainings, name})
		},
		Round: p.round,
		Step:  p.messages.within,
		End: func(at int, r *experiment.Run) {
			p.messages.endProgress()
			p.messages.emit(benchEndEvent{at, p.trainings, r.Fold, r.Ranker, r.Variant, r.Seed, p.metric, number(r.Validation), number(r.Judged[0].Mean), r.Kept, r.Stopped, number(r.TrainSeconds)})
		},
		Warning: func(message string) { p.messages.emit(warningEvent{Message: message}) },
	}
}

// round moves the bar on a terminal. Elsewhere the rounds of a bench are too many to be shown.
func (p *benchProgress) round(r training.Round, of int) {
	if !p.messages.terminal {
		return
	}
	p.messages.progress(newIterationEvent(r, of), p.metric)
}

// benchPlanEvent says how many trainings a bench has.
type benchPlanEvent struct {
	Trainings int `json:"trainings"`
	Done      int `json:"done"` // by an earlier run
}

func (e benchPlanEvent) kind() string { return "plan" }
func (e benchPlanEvent) level() int   { return 1 }

func (e benchPlanEvent) String() string {
	if e.Done == 0 {
		return thousands(e.Trainings) + " trainings"
	}
	return fmt.Sprintf("%s trainings, %s of them done before", thousands(e.Trainings), thousands(e.Done))
}

// benchBeginEvent is a training that begins.
type benchBeginEvent struct {
	Number int    `json:"number"`
	Of     int    `json:"of"`
	Name   string `json:"name"`
}

func (e benchBeginEvent) kind() string   { return "begin" }
func (e benchBeginEvent) level() int     { return 2 }
func (e benchBeginEvent) String() string { return fmt.Sprintf("[%d/%d] %s", e.Number, e.Of, e.Name) }

// benchEndEvent is a finished training.
type benchEndEvent struct {
	Number     int    `json:"number"`
	Of         int    `json:"of"`
	Fold       string `json:"fold"`
	Ranker     string `json:"ranker"`
	Variant    string `json:"variant,omitempty"`
	Seed       int    `json:"seed"`
	Metric     string `json:"metric"`
	Validation number `json:"validation"`
	Test       number `json:"test"`
	Kept       int    `json:"iterations_kept"`
	Stopped    string `json:"stopped"`
	Seconds    number `json:"seconds"`
}

func (e benchEndEvent) kind() string { return "end" }
func (e benchEndEvent) level() int   { return 1 }

func (e benchEndEvent) String() string {
	ranker := e.Ranker
	if e.Variant != "" {
		ranker += "@" + e.Variant
	}
	return fmt.Sprintf("[%d/%d] %s %s seed %d: %s vali %.4f test %.4f (%d iterations kept, %.3g s, %s)",
		e.Number, e.Of, e.Fold, ranker, e.Seed, e.Metric, float64(e.Validation), float64(e.Test), e.Kept, float64(e.Seconds), e.Stopped)
}

// benchWroteEvent lists the files of results.
type benchWroteEvent struct {
	Paths []string `json:"paths"`
}

func (e benchWroteEvent) kind() string   { return "wrote" }
func (e benchWroteEvent) level() int     { return 1 }
func (e benchWroteEvent) String() string { return "wrote " + strings.Join(e.Paths, ", ") }
