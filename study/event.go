package study

import (
	"fmt"
	"sync"

	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/training"
)

// Event is what happens in a study, for people and programs that watch it. In JSON it is an object, whose
// field names do not change.
type Event interface {
	Kind() string // what happened, in a word
	Level() int   // 0: a warning; 1: what a person wants to see; 2 and more: details
	String() string
}

// Listener is told the events of a study, by one goroutine at a time. It must not keep an event.
type Listener func(Event)

// oneAtATime returns a listener that several goroutines may call. A nil listener hears nothing.
func oneAtATime(l Listener) Listener {
	if l == nil {
		return func(Event) {}
	}
	var mu sync.Mutex
	return func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		l(e)
	}
}

// foldsPlanned says how many folds there are, before the first is trained.
type foldsPlanned struct {
	Folds int `json:"folds"`
	Done  int `json:"done"` // by an earlier run
}

func (e foldsPlanned) Kind() string { return "plan" }
func (e foldsPlanned) Level() int   { return 1 }

func (e foldsPlanned) String() string {
	if e.Done == 0 {
		return fmt.Sprintf("%d folds", e.Folds)
	}
	return fmt.Sprintf("%d folds, %d of them done before", e.Folds, e.Done)
}

// RoundDone is a round of one of the runs of a study. There are many.
type RoundDone struct {
	training.Round
	Part string `json:"part"` // its name; empty if one run is done at a time
	Done int    `json:"done"` // rounds of the runs that are shown together, with those of a checkpoint
	Of   int    `json:"of"`   // rounds that these have at most
}

func (e RoundDone) Kind() string   { return "round" }
func (e RoundDone) Level() int     { return 3 }
func (e RoundDone) String() string { return fmt.Sprintf("round %d of %d", e.Done, e.Of) }

// StepDone is a part of a round that takes long.
type StepDone struct {
	Round int `json:"round"`
	Of    int `json:"of"`   // rounds
	Done  int `json:"done"` // queries of the round
	All   int `json:"all"`  // queries of a round
}

func (e StepDone) Kind() string   { return "progress" }
func (e StepDone) Level() int     { return 3 }
func (e StepDone) String() string { return fmt.Sprintf("round %d: %d of %d", e.Round, e.Done, e.All) }

// Remark is something that a person should know.
type Remark struct {
	Message string `json:"message"`
}

func (e Remark) Kind() string   { return "note" }
func (e Remark) Level() int     { return 1 }
func (e Remark) String() string { return "note: " + e.Message }

// Warning is something that a person probably did not intend.
type Warning struct {
	Message string `json:"message"`
}

func (e Warning) Kind() string   { return "warning" }
func (e Warning) Level() int     { return 0 }
func (e Warning) String() string { return "warning: " + e.Message }

// runsPlanned says how many runs a study has, before the first of them.
type runsPlanned struct {
	Trainings int `json:"trainings"`
	Done      int `json:"done"` // by an earlier run
}

func (e runsPlanned) Kind() string { return "plan" }
func (e runsPlanned) Level() int   { return 1 }

func (e runsPlanned) String() string {
	if e.Done == 0 {
		return wording.Thousands(e.Trainings) + " trainings"
	}
	return fmt.Sprintf("%s trainings, %s of them done before", wording.Thousands(e.Trainings),
		wording.Thousands(e.Done))
}

// runBegun is a run that begins.
type runBegun struct {
	Number int    `json:"number"`
	Of     int    `json:"of"`
	Name   string `json:"name"`
}

func (e runBegun) Kind() string   { return "begin" }
func (e runBegun) Level() int     { return 2 }
func (e runBegun) String() string { return fmt.Sprintf("[%d/%d] %s", e.Number, e.Of, e.Name) }
