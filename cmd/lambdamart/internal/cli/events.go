package cli

import (
	"strings"

	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/study"
)

// Failed reports the error that ends the program, whatever the verbosity.
func (c *Console) Failed(err error) {
	const always = -1 << 31
	text := "lambdamart: " + strings.ReplaceAll(err.Error(), "\n", "\nlambdamart: ")
	c.SayAt(always, "error", text, "message", err.Error())
}

// Say emits an event. People see the text, and programs get the fields, alternating names and values.
func (c *Console) Say(kind, text string, fields ...any) { c.SayAt(1, kind, text, fields...) }

// SayAt is like Say, for an event that is shown from this verbosity on.
func (c *Console) SayAt(level int, kind, text string, facts ...any) {
	c.Emit(study.Event{Kind: kind, Level: level, Text: text, Fields: report.Record(facts)})
}

// Stopped reports why training, or the program, ended.
func (c *Console) Stopped(text string, fields ...any) {
	c.Say("stopped", text, append([]any{"message", text}, fields...)...)
}

// Wrote lists files with results.
func (c *Console) Wrote(paths []string) {
	c.Say("wrote", "wrote "+strings.Join(paths, ", "), "paths", paths)
}
