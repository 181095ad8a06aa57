package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/study"
)

// Console writes messages: lines for people, with a progress bar on a terminal, or JSON objects for programs.
type Console struct {
	w         io.Writer
	file      *os.File // where w leads; nil: it is none
	json      bool
	verbosity int
	terminal  bool
	bar       *bar                            // nil while there is none
	drawn     time.Time                       // when the bar was last drawn
	metrics   string                          // the text beside the bar of training
	partly    bool                            // the last drawing showed an incomplete iteration
	rounds    func(part string, done, of int) // says the number of iterations; nil before the first
	remarks   map[string]bool                 // the notes and warnings so far; each is written once

	texts   bool // JSON objects include the line for people, as "message"
	reading bool // emit events about how much of a file has been read
}

// NewConsole returns a console that writes lines for people to w, until parameters say otherwise.
func NewConsole(w io.Writer) *Console {
	f, isFile := w.(*os.File)
	return &Console{w: stream.Waiting(w), file: f, verbosity: 1,
		terminal: isFile && term.IsTerminal(int(f.Fd()))}
}

// NewEvents returns a console for a program, which receives JSON objects that include the lines for people.
func NewEvents(w io.Writer, reading bool) *Console {
	return &Console{w: w, json: true, verbosity: 1, texts: true, reading: reading}
}

// Terminal reports whether the messages go to a terminal.
func (c *Console) Terminal() bool { return c.terminal }

// Emit writes an event, unless the verbosity is below its level.
func (c *Console) Emit(e study.Event) {
	if e.Level > c.verbosity {
		return
	}
	if c.json {
		c.emitJSON(e)
		return
	}
	c.clearBar()
	var text strings.Builder
	for line := range strings.Lines(e.Text) {
		text.WriteString(Printable(shortened(strings.TrimSuffix(line, "\n"))) + "\n")
	}
	// At once: lines of several processes do not mix, and a peer of rank 1 and above keeps its last message.
	io.WriteString(c.w, text.String())
}

// Note reports information for people; each text is an event, unless the console has written it before.
func (c *Console) Note(texts ...string) {
	for _, text := range c.unwritten(texts) {
		c.Say("note", "note: "+text, "message", text)
	}
}

// Warn warns of something that is probably not intended; each text is an event, unless the console has
// written it before.
func (c *Console) Warn(texts ...string) {
	for _, text := range c.unwritten(texts) {
		c.SayAt(0, "warning", "warning: "+text, "message", text)
	}
}

// unwritten returns the remarks that the console has not written yet. Several systems or sets can have the
// same one, for example because they share a file.
func (c *Console) unwritten(texts []string) []string {
	if c.remarks == nil {
		c.remarks = map[string]bool{}
	}
	var left []string
	for _, text := range texts {
		if !c.remarks[text] {
			c.remarks[text] = true
			left = append(left, text)
		}
	}
	return left
}

// emitJSON writes an object with "event": kind, the line for people if it is wanted and no fact has it, and
// the event's facts.
func (c *Console) emitJSON(e study.Event) {
	facts := report.Record(e.Fields)
	if c.texts && !facts.Has("message") {
		facts = slices.Concat(report.Record{"message", e.Text}, facts)
	}
	line, err := json.Marshal(slices.Concat(report.Record{"event", e.Kind}, facts))
	if err != nil {
		line, _ = json.Marshal(report.Record{"event", e.Kind, "message", err.Error()})
	}
	c.w.Write(append(line, '\n'))
}

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
	c.Emit(study.Event{Kind: kind, Level: level, Text: text, Fields: facts})
}

// Stopped reports why training, or the program, ended.
func (c *Console) Stopped(text string, fields ...any) {
	c.Say("stopped", text, append([]any{"message", text}, fields...)...)
}

// Wrote lists files with results.
func (c *Console) Wrote(paths []string) {
	c.Say("wrote", "wrote "+strings.Join(paths, ", "), "paths", paths)
}

// Logger returns a logger of records with fields, for commands that run until they are ended: lines of
// key=value, or JSON objects. Its level follows verbosity; from 2 on it has every record.
func (c *Console) Logger() *slog.Logger {
	// 4 apart: error for a verbosity below 0, then warning, info and, from 2 on, debug
	options := &slog.HandlerOptions{Level: slog.LevelWarn - 4*slog.Level(max(-1, min(c.verbosity, 2)))}
	if c.json {
		return slog.New(slog.NewJSONHandler(c.w, options))
	}
	return slog.New(slog.NewTextHandler(c.w, options))
}

// Printable escapes control characters and invalid UTF-8 in a text, because the name of a feature in an
// arbitrary file must not move the cursor of a terminal or begin a line.
func Printable(text string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, unprintable) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case unprintable(r) && r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		case unprintable(r):
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			b.WriteRune(r)
		}
		text = text[size:]
	}
	return b.String()
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// longestLine is the length in bytes up to which a line of a message is shown completely.
const longestLine = 4000

// shortened removes the middle of a very long line, which the value of a parameter in an arbitrary
// configuration file can be.
func shortened(line string) string {
	if len(line) <= longestLine {
		return line
	}
	const begin, end = longestLine * 3 / 4, longestLine / 8
	return strings.ToValidUTF8(line[:begin], "") + fmt.Sprintf(" … (%d bytes) … ", len(line)-begin-end) +
		strings.ToValidUTF8(line[len(line)-end:], "")
}
