package study

import (
	"fmt"
	"sync"

	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/training"
)

// Event reports a step of a study, for people and programs.
type Event struct {
	Kind   string // what happened, in a word
	Level  int    // 0: a warning; 1: for people; 2 and more: details
	Text   string
	Fields any // the facts, which become a JSON object whose field names do not change

	Progress *Progress // if Kind is "round" or "queries", of a run, or "part", of other work; Fields is nil then
}

// Progress is the progress of a run or of other work. The embedded Round is zero if the round is not
// finished.
type Progress struct {
	training.Round
	Part  string // name of the run's part, empty if one run is done at a time; or of the other work
	Done  int    // rounds of the runs that are shown together, including those of a checkpoint, or other steps
	Of    int    // the largest number of rounds of these runs, or of other steps
	Steps [2]int // number of queries of the next round that are done, and of all its queries
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

// plan is the event before the first run of a study: the number of its runs, and how many of them an earlier
// study has done. text is the number in words, and name its name for programs.
func plan(name, text string, runs, done int) Event {
	if done > 0 {
		text += fmt.Sprintf(", %s of them done before", wording.Thousands(done))
	}
	return Event{Kind: "plan", Level: 1, Text: text, Fields: report.Record{name, runs, "done", done}}
}

// roundDone is the event of a round of one of the runs of a study. There are many.
func roundDone(p Progress) Event {
	return Event{Kind: "round", Level: 3, Text: fmt.Sprintf("round %d of %d", p.Done, p.Of), Progress: &p}
}

// partDone is the event of a step of work beside the runs of a study. There are many.
func partDone(part string, done, of int) Event {
	return Event{Kind: "part", Level: 3, Text: fmt.Sprintf("%s: %d of %d", part, done, of),
		Progress: &Progress{Part: part, Done: done, Of: of}}
}

// note returns an event with a remark for people.
func note(text string) Event {
	return Event{Kind: "note", Level: 1, Text: "note: " + text, Fields: report.Record{"message", text}}
}

// warning returns an event with a warning about something that is probably not intended.
func warning(text string) Event {
	return Event{Kind: "warning", Text: "warning: " + text, Fields: report.Record{"message", text}}
}
