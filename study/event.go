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

// event is what all events of a study have; their other fields are those of their JSON.
type event struct {
	kind  string
	level int
	text  string
}

func (e event) Kind() string   { return e.kind }
func (e event) Level() int     { return e.level }
func (e event) String() string { return e.text }

// runsPlanned says how many runs a study has, before the first of them.
type runsPlanned struct {
	Folds     int `json:"folds,omitempty"`     // of a cross-validation
	Trainings int `json:"trainings,omitempty"` // of another study
	Done      int `json:"done"`                // by an earlier run
	event
}

func newRunsPlanned(folds, trainings, done int) Event {
	text, before := wording.Thousands(trainings)+" trainings", ""
	if folds > 0 {
		text = fmt.Sprintf("%d folds", folds)
	}
	if done > 0 {
		before = fmt.Sprintf(", %s of them done before", wording.Thousands(done))
	}
	return runsPlanned{folds, trainings, done, event{"plan", 1, text + before}}
}

// RoundDone is a round of one of the runs of a study. There are many.
type RoundDone struct {
	training.Round
	Part string `json:"part"` // its name; empty if one run is done at a time
	Done int    `json:"done"` // rounds of the runs that are shown together, with those of a checkpoint
	Of   int    `json:"of"`   // rounds that these have at most
	event
}

func newRoundDone(round training.Round, part string, done, of int) Event {
	return RoundDone{round, part, done, of, event{"round", 3, fmt.Sprintf("round %d of %d", done, of)}}
}

// StepDone is a part of a round that takes long.
type StepDone struct {
	Round int `json:"round"`
	Of    int `json:"of"`   // rounds
	Done  int `json:"done"` // queries of the round
	All   int `json:"all"`  // queries of a round
	event
}

// message is something that a person should know.
type message struct {
	Message string `json:"message"`
	event
}

// Note returns an event that tells a person something.
func Note(text string) Event { return message{text, event{"note", 1, "note: " + text}} }

// Warn returns an event that tells a person what was probably not intended.
func Warn(text string) Event { return message{text, event{"warning", 0, "warning: " + text}} }
