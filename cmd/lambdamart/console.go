package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// console writes messages: lines for people, with a progress bar on a terminal, or JSON objects for
// programs.
type console struct {
	w         io.Writer
	json      bool
	verbosity int
	terminal  bool
	bar       *progressbar.ProgressBar // nil while there is none
	drawn     time.Time                // when the bar of training was last drawn
	metrics   string                   // the text beside the bar of training
	partly    bool                     // the last drawing showed a part of an iteration
}

func newConsole(w io.Writer) *console {
	f, isFile := w.(*os.File)
	return &console{w: w, verbosity: 1, terminal: isFile && term.IsTerminal(int(f.Fd()))}
}

func (c *console) configure(asJSON bool, verbosity int) {
	c.json, c.verbosity = asJSON, verbosity
}

// event is a message for the user.
type event interface {
	kind() string // the value of "event" in JSON
	level() int   // the smallest verbosity at which it is written
	String() string
}

// emit writes an event, unless the verbosity is below its level.
func (c *console) emit(e event) {
	if e.level() > c.verbosity {
		return
	}
	if c.json {
		c.emitJSON(e)
		return
	}
	c.clearBar()
	for line := range strings.Lines(e.String()) {
		fmt.Fprintln(c.w, strings.TrimSuffix(line, "\n"))
	}
}

// emitJSON writes {"event": kind, …the event's fields…}.
func (c *console) emitJSON(e event) {
	fields, err := json.Marshal(e)
	if err != nil {
		fields, _ = json.Marshal(errorEvent{Message: err.Error()})
	}
	separator := ","
	if string(fields) == "{}" {
		separator = ""
	}
	fmt.Fprintf(c.w, "{\"event\":%q%s%s\n", e.kind(), separator, fields[1:])
}

// progress shows an iteration: on a terminal by the bar, with one metric, and elsewhere by a line with
// all metrics.
func (c *console) progress(e iterationEvent, metric string) {
	if !c.draws() {
		if len(e.Evaluations) > 0 || c.json {
			c.emit(e)
		}
		return
	}
	if c.bar == nil {
		c.bar = newBar(c.w, e.Of)
	}
	if time.Since(c.drawn) < redraw && !c.partly {
		return
	}
	c.drawn, c.partly = time.Now(), false
	if len(e.Evaluations) > 0 {
		c.metrics = e.only(metric).short()
		c.bar.Describe(c.metrics)
	}
	c.bar.Set(e.Iteration)
}

// draws reports whether progress bars are drawn.
func (c *console) draws() bool { return c.terminal && !c.json && c.verbosity >= 1 }

// within shows how much of an iteration is done, if progress bars are drawn.
func (c *console) within(iteration, iterations, done, of int) {
	if !c.draws() || time.Since(c.drawn) < redraw {
		return
	}
	c.drawn, c.partly = time.Now(), true
	if c.bar == nil {
		c.bar = newBar(c.w, iterations)
	}
	c.bar.Describe(strings.TrimPrefix(fmt.Sprintf("%s; epoch %d: %d %%", c.metrics, iteration, 100*done/of), "; "))
}

// redraw is the least time between two drawings of a bar.
const redraw = 100 * time.Millisecond

func newBar(w io.Writer, iterations int) *progressbar.ProgressBar {
	return progressbar.NewOptions(iterations,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetWidth(20),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionSetItsString("iterations"),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionShowDescriptionAtLineEnd(),
		progressbar.OptionClearOnFinish(),
	)
}

// reading returns a function that shows on a terminal how much of a file has been read, if reading takes
// longer than a moment. It returns nil if no progress bars are drawn. Files are read one after the other;
// several goroutines may call the function at once.
func (c *console) reading() func(path string, read, total int64) {
	if !c.draws() {
		return nil
	}
	const moment = time.Second / 2
	var mu sync.Mutex
	var start time.Time
	file, last := "", int64(0)
	return func(path string, read, total int64) {
		mu.Lock()
		defer mu.Unlock()
		if path != file {
			file, last, start = path, 0, time.Now()
		}
		if read < last/2 { // the file is read a second time
			c.endProgress()
		}
		if last = read; time.Since(start) < moment {
			return
		}
		if c.bar == nil {
			c.bar = newReadingBar(c.w, path, total)
		}
		c.bar.Set64(read)
	}
}

func newReadingBar(w io.Writer, path string, total int64) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetWidth(20),
		progressbar.OptionShowBytes(true),
		progressbar.OptionSetDescription("reading "+path),
		progressbar.OptionThrottle(redraw),
		progressbar.OptionClearOnFinish(),
	)
}

// clearBar removes the bar, so that a line can be written in its place. The next step draws it again.
func (c *console) clearBar() {
	if c.bar != nil {
		c.bar.Clear()
	}
}

// endProgress removes the bar for good.
func (c *console) endProgress() {
	c.clearBar()
	c.bar, c.metrics = nil, ""
}

// number is a float64 that JSON can hold: NaN and infinities become null.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}
