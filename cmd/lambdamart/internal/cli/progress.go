package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// Progress shows an iteration: on a terminal as a bar with one metric, and elsewhere as a line with all
// metrics, every freq iterations and at the last.
func (c *Console) Progress(e IterationEvent, metric string, freq int) {
	printed := len(e.Evaluations) > 0 && (e.Iteration%freq == 0 || e.Iteration == e.Of)
	switch {
	case c.json || !c.draws() && printed && !e.Restored:
		c.Emit(e.event())
		return
	case !c.draws() || e.Restored:
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
func (c *Console) draws() bool { return c.terminal && !c.json && c.verbosity >= 1 }

// Within shows the progress within an iteration, if progress bars are drawn.
func (c *Console) Within(iteration, iterations, done, of int) {
	if !c.draws() || time.Since(c.drawn) < redraw {
		return
	}
	c.drawn, c.partly = time.Now(), true
	if c.bar == nil {
		c.bar = newBar(c.w, iterations)
	}
	c.bar.Describe(strings.TrimPrefix(fmt.Sprintf("%s; epoch %d: %d %%", c.metrics, iteration, 100*done/of),
		"; "))
}

// redraw is the minimum time between two drawings of a bar.
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

// Reading returns a function that shows on a terminal how much of a file has been read, if reading takes more
// than a moment. It returns nil if no progress bars are drawn. Files must be read one after the other;
// several goroutines may call the function concurrently. Programs that ask for it get events.
func (c *Console) Reading() func(path string, read, total int64) {
	switch {
	case c.reading:
		return c.readingEvents()
	case !c.draws():
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
		if read < last/2 { // the file is being read again
			c.EndProgress()
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

// readingEvents returns a function that emits how much of a file has been read, a few times a second.
func (c *Console) readingEvents() func(path string, read, total int64) {
	const pause = 200 * time.Millisecond
	var mu sync.Mutex
	last := time.Now()
	return func(path string, read, total int64) {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); now.Sub(last) >= pause {
			last = now
			c.Say("reading", fmt.Sprintf("reading %s: %d bytes", path, read), "path", path, "read", read,
				"of", total) // below 1 if unknown
		}
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

// clearBar removes the bar, so a line can be written in its place. The next step draws it again.
func (c *Console) clearBar() {
	if c.bar != nil {
		c.bar.Clear()
	}
}

// EndProgress removes the bar permanently.
func (c *Console) EndProgress() {
	c.clearBar()
	c.bar, c.metrics = nil, ""
}
