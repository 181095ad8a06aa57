package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/lambdamart/lambdamart/study"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Console writes messages: lines for people, with a progress bar on a terminal, or JSON objects for
// programs.
type Console struct {
	w         io.Writer
	json      bool
	verbosity int
	terminal  bool
	bar       *progressbar.ProgressBar // nil while there is none
	drawn     time.Time                // when the bar of training was last drawn
	metrics   string                   // the text beside the bar of training
	partly    bool                     // the last drawing showed a part of an iteration
}

// NewConsole returns a console that writes lines for people to w, until parameters say otherwise.
func NewConsole(w io.Writer) *Console {
	f, isFile := w.(*os.File)
	return &Console{w: w, verbosity: 1, terminal: isFile && term.IsTerminal(int(f.Fd()))}
}

// Terminal reports whether the messages go to a terminal.
func (c *Console) Terminal() bool { return c.terminal }

// Emit writes an event, unless the verbosity is below its level.
func (c *Console) Emit(e study.Event) {
	if e.Level() > c.verbosity {
		return
	}
	if c.json {
		c.emitJSON(e)
		return
	}
	c.clearBar()
	for line := range strings.Lines(e.String()) {
		fmt.Fprintln(c.w, Printable(shortened(strings.TrimSuffix(line, "\n"))))
	}
}

// Note emits a [study.Remark].
func (c *Console) Note(message string) { c.Emit(study.Remark{Message: message}) }

// Warn emits a [study.Warning].
func (c *Console) Warn(message string) { c.Emit(study.Warning{Message: message}) }

// emitJSON writes {"event": kind, the event's fields}.
func (c *Console) emitJSON(e study.Event) {
	fields, err := json.Marshal(e)
	if err != nil {
		fields, _ = json.Marshal(ErrorEvent{Message: err.Error()})
	}
	separator := ","
	if string(fields) == "{}" {
		separator = ""
	}
	fmt.Fprintf(c.w, "{\"event\":%q%s%s\n", e.Kind(), separator, fields[1:])
}
