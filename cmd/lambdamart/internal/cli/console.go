package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/internal/stream"
)

// Console writes messages: lines for people, with a progress bar on a terminal, or JSON objects for programs.
type Console struct {
	w        io.Writer
	file     *os.File // where w leads; nil: it is none
	json     bool
	level    slog.Level // of the least important messages that are written
	terminal bool
	bar      *bar                            // nil while there is none
	drawn    time.Time                       // when the bar was last drawn
	metrics  string                          // the text beside the bar of training
	partly   bool                            // the last drawing showed an incomplete iteration
	rounds   func(part string, done, of int) // says the number of iterations; nil before the first

	mu      sync.Mutex // held while a message is written or the bar changes
	remarks sync.Map   // the notes and warnings that were written

	texts   bool // JSON objects include the line for people, as "message"
	reading bool // emit events about how much of a file has been read
}

// NewConsole returns a console that writes lines for people to w, until parameters say otherwise.
func NewConsole(w io.Writer) *Console {
	f, isFile := w.(*os.File)
	return &Console{w: stream.Waiting(w), file: f, terminal: isFile && term.IsTerminal(int(f.Fd()))}
}

// NewEvents returns a console for a program, which receives JSON objects that include the lines for people.
func NewEvents(w io.Writer, reading bool) *Console {
	return &Console{w: w, json: true, texts: true, reading: reading}
}

// Logger returns a logger of messages. The first attribute, "event", names the kind of a message, and the
// others are facts for programs. A record without it is a remark: a note or, from [slog.LevelWarn] on, a
// warning. Each remark is written once: several systems or sets can have the same one, for example because
// they share a file.
func (c *Console) Logger() *slog.Logger { return slog.New(handler{Console: c}) }

// handler is the [slog.Handler] of a console. It does not resolve values, so that programs get whole lists.
type handler struct {
	*Console
	facts report.Record // of WithAttrs
}

func (h handler) Enabled(_ context.Context, level slog.Level) bool { return level >= h.level }

func (h handler) WithGroup(string) slog.Handler { return h } // facts have no groups

func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	h.facts = slices.Clone(h.facts)
	for _, a := range attrs {
		h.facts = append(h.facts, a.Key, a.Value.Any())
	}
	return h
}

func (h handler) Handle(_ context.Context, r slog.Record) error {
	text, facts := r.Message, slices.Clone(h.facts)
	r.Attrs(func(a slog.Attr) bool {
		facts = append(facts, a.Key, a.Value.Any())
		return true
	})
	switch {
	case len(facts) == 0 || facts[0] != "event": // a remark
		if _, written := h.remarks.LoadOrStore(text, true); written {
			return nil
		}
		kind := "note"
		if r.Level >= slog.LevelWarn {
			kind = "warning"
		}
		text, facts = kind+": "+text, slices.Concat(report.Record{"event", kind, "message", text}, facts)
	case h.texts && (len(facts) == 2 || facts[2] != "message"):
		facts = slices.Concat(facts[:2], report.Record{"message", text}, facts[2:])
	}
	return h.write(text, facts)
}

// write writes a message in the place of the bar: as lines for people, or as an object of facts. Several
// goroutines may call it.
func (c *Console) write(text string, facts report.Record) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clearBar()
	out := lines(text)
	if c.json {
		out = object(facts)
	}
	// At once: lines of several processes do not mix, and a peer of rank 1 and above keeps its last message.
	_, err := c.w.Write(out)
	return err
}

func lines(text string) (out []byte) {
	for line := range strings.Lines(text) {
		out = append(out, Printable(shortened(strings.TrimSuffix(line, "\n")))+"\n"...)
	}
	return out
}

func object(facts report.Record) []byte {
	line, err := json.Marshal(facts)
	if err != nil {
		line, _ = json.Marshal(append(facts[:2], "message", err.Error()))
	}
	return append(line, '\n')
}

// Note reports information for people.
func (c *Console) Note(texts ...string) {
	for _, text := range texts {
		c.Logger().Info(text)
	}
}

// Warn warns of something that is probably not intended.
func (c *Console) Warn(texts ...string) {
	for _, text := range texts {
		c.Logger().Warn(text)
	}
}

// Failed reports the error that ends the program, whatever the verbosity.
func (c *Console) Failed(err error) {
	text := "lambdamart: " + strings.ReplaceAll(err.Error(), "\n", "\nlambdamart: ")
	c.SayAt(slog.LevelError, "error", text, "message", err.Error())
}

// Say writes a message of a kind. People see the text, and programs get the facts, alternating names and
// values.
func (c *Console) Say(kind, text string, facts ...any) { c.SayAt(slog.LevelInfo, kind, text, facts...) }

// SayAt is like Say, for a message of another level.
func (c *Console) SayAt(level slog.Level, kind, text string, facts ...any) {
	c.Logger().With("event", kind).Log(context.Background(), level, text, facts...)
}

// Wrote lists files with results.
func (c *Console) Wrote(paths []string) {
	c.Say("wrote", "wrote "+strings.Join(paths, ", "), "paths", paths)
}

// ServiceLogger returns a logger for commands that run until they are ended, whose records have times: lines
// of key=value, or JSON objects.
func (c *Console) ServiceLogger() *slog.Logger {
	options := &slog.HandlerOptions{Level: c.level}
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
