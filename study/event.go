package study

import (
	"fmt"
	"sync"

	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/training"
)

// Event reports something that happens in a study, for people and programs.
type Event struct {
	Kind   string // what happened, in a word
	Level  int    // 0: a warning; 1: for people; 2 and more: details
	Text   string
	Fields any // the facts, as an object in JSON, whose field names do not change

	Progress *Progress // of a run, if Kind is "round" or "queries"; Fields is nil then
}

// Progress is the progress of a run. The embedded Round is zero if only a part of a round is done.
type Progress struct {
	training.Round
	Part  string // name of the run's part; empty if one run is done at a time
	Done  int    // rounds of the runs that are shown together, including those of a checkpoint
	Of    int    // the largest number of rounds of these runs
	Steps [2]int // queries of the next round that are done, and all of its queries
}

// oneAtATime returns a listener that several goroutines may call. A nil listener ignores events.
func oneAtATime(listener func(Event)) func(Event) {
	if listener == nil {
		return func(Event) {}
	}
	var mu sync.Mutex
	return func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		listener(e)
	}
}

// runsPlanned is the number of runs of a study, reported before the first of them.
type runsPlanned struct {
	Folds     int `json:"folds,omitempty"`     // of a cross-validation
	Trainings int `json:"trainings,omitempty"` // of another study
	Done      int `json:"done"`                // by an earlier run
}

func (r runsPlanned) event() Event {
	text, before := wording.Thousands(r.Trainings)+" training runs", ""
	if r.Folds > 0 {
		text = fmt.Sprintf("%d folds", r.Folds)
	}
	if r.Done > 0 {
		before = fmt.Sprintf(", %s of them done before", wording.Thousands(r.Done))
	}
	return Event{Kind: "plan", Level: 1, Text: text + before, Fields: r}
}

// roundDone is the event of a round of one of the runs of a study. There are many.
func roundDone(p Progress) Event {
	return Event{Kind: "round", Level: 3, Text: fmt.Sprintf("round %d of %d", p.Done, p.Of), Progress: &p}
}

// message is a text for people.
type message struct {
	Message string `json:"message"`
}

// note returns an event with a remark for people.
func note(text string) Event {
	return Event{Kind: "note", Level: 1, Text: "note: " + text, Fields: message{text}}
}

// warning returns an event with a warning about something that is probably not intended.
func warning(text string) Event {
	return Event{Kind: "warning", Text: "warning: " + text, Fields: message{text}}
}
