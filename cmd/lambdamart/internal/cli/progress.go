package cli

import (
	"fmt"
	"io"
	"log/slog"
	"math"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/training"
)

// Progress shows a round, a tree or an epoch of a network, of at most the given number: on a terminal as a
// bar with one metric, and elsewhere as a line with all metrics, every freq iterations and at the last, or
// [Console.Steadily] if there are no metrics.
func (c *Console) Progress(r training.Round, of int, metric string, freq int) {
	printed := len(r.Evaluations) > 0 && (r.Number%freq == 0 || r.Number == of)
	switch {
	case c.json || !c.Draws() && printed && !r.Restored:
		c.emitRound(r, of)
		return
	case r.Restored:
		return
	case !c.Draws():
		if c.rounds == nil {
			c.rounds = c.Steadily()
		}
		c.rounds("iterations", r.Number, of)
		return
	}
	if time.Since(c.drawn) < redraw && !c.partly {
		return
	}
	c.partly = false
	if len(r.Evaluations) > 0 {
		c.metrics = metricsOf(r, metric)
	}
	c.draw("iterations", 1, int64(r.Number), int64(of), c.metrics)
}

// Draws reports whether progress bars are drawn.
func (c *Console) Draws() bool { return c.terminal && !c.json && c.level <= slog.LevelInfo }

// Within shows the progress within an iteration, if progress bars are drawn.
func (c *Console) Within(iteration, iterations, done, of int) {
	if !c.Draws() || time.Since(c.drawn) < redraw {
		return
	}
	c.partly = true
	text := strings.TrimPrefix(fmt.Sprintf("%s; epoch %d: %d %%", c.metrics, iteration, 100*done/of), "; ")
	c.draw("iterations", 1, int64(iteration-1), int64(iterations), text)
}

// redraw is the minimum time between two drawings of a bar.
const redraw = 100 * time.Millisecond

// Reading returns a function that shows how much of a file has been read: on a terminal if reading takes more
// than a moment, and elsewhere like [Console.Steadily]. Files must be read one after the other; several
// goroutines may call the function concurrently. Programs that ask for it get events more often.
func (c *Console) Reading() func(path string, read, total int64) {
	switch {
	case c.reading:
		return c.readingEvents()
	case !c.Draws():
		say := c.Steadily()
		return func(path string, read, total int64) { say("MB of "+path, int(read/1e6), int(total/1e6)) }
	}
	const moment = time.Second / 2
	var mu sync.Mutex
	var start time.Time
	file, last := "", int64(0)
	return func(path string, read, total int64) {
		mu.Lock()
		defer mu.Unlock()
		if path != file {
			c.EndProgress()
			file, last, start = path, 0, time.Now()
		}
		if read < last/2 { // the file is being read again
			c.EndProgress()
		}
		if last = read; time.Since(start) >= moment && time.Since(c.drawn) >= redraw {
			c.draw("MB", 1e6, read, total, "reading "+path)
		}
	}
}

// readingEvents returns a function that emits how much of a file has been read, a few times a second.
func (c *Console) readingEvents() func(path string, read, total int64) {
	say := paced(200 * time.Millisecond)
	return func(path string, read, total int64) {
		say(func() {
			c.Say("reading", fmt.Sprintf("reading %s: %d bytes", path, read), "path", path, "read", read,
				"of", total) // below 1 if unknown
		})
	}
}

// Steadily returns a function that says how much of a part of long work is done, every ten seconds. of is
// below 1 if it is unknown. Several goroutines may call the function concurrently.
func (c *Console) Steadily() func(part string, done, of int) {
	say := paced(10 * time.Second)
	return func(part string, done, of int) {
		say(func() {
			c.EndProgress()
			text := fmt.Sprintf("%s: %s", part, wording.Thousands(done))
			if of > 0 {
				text += " of " + wording.Thousands(of)
			}
			c.Say("progress", text, "part", part, "done", done, "of", of)
		})
	}
}

// paced returns a function that calls say if the pause has passed since the last call of one, or since now.
// Several goroutines may call it concurrently; it calls one say at a time.
func paced(pause time.Duration) func(say func()) {
	var mu sync.Mutex
	last := time.Now()
	return func(say func()) {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); now.Sub(last) >= pause {
			last = now
			say()
		}
	}
}

// bar is a line of a terminal about work that goes on. Each drawing replaces the one before.
type bar struct {
	begun time.Time
	first int64 // steps that were done then
	width int   // of the drawing in characters; 0 if there is none
}

// draw shows how many steps are done, of a number that is below 1 if it is unknown. A unit has this many
// steps.
func (c *Console) draw(unit string, steps, done, of int64, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drawn = time.Now()
	if c.bar == nil {
		c.bar = &bar{begun: c.drawn, first: done}
	}
	columns := c.columns()
	line, width := fitting(c.bar.progress(unit, steps, done, of)+" "+Printable(text), columns)
	io.WriteString(c.w, "\r"+line+strings.Repeat(" ", max(0, min(c.bar.width, columns)-width)))
	c.bar.width = width
}

// columns returns how many characters a line may have before the terminal begins another one.
func (c *Console) columns() int {
	if c.file != nil {
		if width, _, err := term.GetSize(int(c.file.Fd())); err == nil && width > 1 {
			return width - 1
		}
	}
	return math.MaxInt
}

// fitting returns as much of a line as fits into so many columns, and how many it takes at most: wide
// characters, such as those of Chinese, take two.
func fitting(line string, columns int) (string, int) {
	width := 0
	for i, r := range line {
		next := width + 1
		if r >= 0x1100 && r != full {
			next++
		}
		if next > columns {
			return line[:i], width
		}
		width = next
	}
	return line, width
}

// full is a part of a bar that is done.
const full = '█'

// progress returns a line such as " 40% |██████        | (4/10, 2.5 iterations/s, 2s left)".
func (b *bar) progress(unit string, steps, done, of int64) string {
	text := fmt.Sprint("(", done/steps)
	if of > 0 {
		const width = 20
		share := min(1, float64(done)/float64(of))
		parts := int(share * width)
		text = fmt.Sprintf("%3.0f%% |%s%s| (%d/%d", 100*share, strings.Repeat(string(full), parts),
			strings.Repeat(" ", width-parts), done/steps, of/steps)
	}
	passed := time.Since(b.begun)
	if passed == 0 || done <= b.first {
		return text + " " + unit + ")"
	}
	rate := float64(done-b.first) / passed.Seconds()
	format := ", %.3g %s/s"
	if rate/float64(steps) >= 100 {
		format = ", %.0f %s/s"
	}
	text += fmt.Sprintf(format, rate/float64(steps), unit)
	if of > done {
		left := time.Duration(float64(of-done) / rate * float64(time.Second))
		text += fmt.Sprintf(", %v left", left.Round(time.Second))
	}
	return text + ")"
}

// clearBar removes the bar, so a line can be written in its place. The next step draws it again.
func (c *Console) clearBar() {
	if c.bar != nil && c.bar.width > 0 {
		io.WriteString(c.w, "\r"+strings.Repeat(" ", min(c.bar.width, c.columns()))+"\r")
		c.bar.width = 0
	}
}

// EndProgress removes the bar permanently.
func (c *Console) EndProgress() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clearBar()
	c.bar, c.metrics = nil, ""
}

// MetricValues returns the means of metrics on sets, for programs.
func MetricValues(evaluations []training.Evaluation) []report.Record {
	values := []report.Record{}
	for _, e := range evaluations {
		values = append(values, report.Record{"set", e.Set, "metric", e.Result.Metric, "value", e.Result.Mean})
	}
	return values
}

// emitRound emits a round of a run that has at most the given number of rounds. Rounds that an earlier run
// has shown are emitted only with a higher verbosity.
func (c *Console) emitRound(r training.Round, of int) {
	level, text, facts := slog.LevelInfo, "", report.Record{}
	if r.Model > 0 {
		text, facts = fmt.Sprintf("model %d ", r.Model), append(facts, "model", r.Model)
	}
	facts = append(facts, "iteration", r.Number)
	if r.Restored {
		level, facts = slog.LevelDebug, append(facts, "restored", true)
	}
	facts = append(facts, "of", of)
	if r.Leaves > 0 {
		facts = append(facts, "leaves", r.Leaves)
	}
	facts = append(facts, "seconds", r.Seconds, "evaluations", MetricValues(r.Evaluations))
	if len(r.Bounds) > 0 {
		facts = append(facts, "constraints", r.Bounds)
	}
	figures := wording.Count(r.Leaves, "leaf")
	if r.Documents > 0 { // an epoch
		figures = fmt.Sprintf("loss %.5g, learning rate %.3g", r.Loss, r.LearningRate)
		facts = append(facts, "network", report.Record{"loss", r.Loss, "learning_rate", r.LearningRate,
			"documents", r.Documents})
	}
	text += fmt.Sprintf("[%d/%d] %s (%.3g s, %s)", r.Number, of, metricsOf(r, ""), r.Seconds, figures)
	c.SayAt(level, "iteration", text, facts...)
}

// metricsOf lists the metrics of a round, or only one, set by set. A metric that differs from the previous
// one only in the cut-off is written without its name: "valid_1 ndcg@1 0.47417 @5 0.58693".
func metricsOf(r training.Round, only string) string {
	var b strings.Builder
	set, family := "", ""
	for _, e := range r.Evaluations {
		if only != "" && e.Result.Metric != only {
			continue
		}
		if e.Set != set {
			if set != "" {
				b.WriteString("; ")
			}
			set, family = e.Set, ""
			b.WriteString(set)
		}
		name, cutoff, hasCutoff := strings.Cut(e.Result.Metric, "@")
		if hasCutoff && name == family && !strings.Contains(cutoff, "@") { // a second @ begins a label
			b.WriteString(" @" + cutoff)
		} else {
			b.WriteString(" " + e.Result.Metric)
		}
		family = name
		fmt.Fprintf(&b, " %.5f", e.Result.Mean)
	}
	for _, c := range r.Bounds {
		fmt.Fprintf(&b, "; %s weight %.3g", c.Constraint, c.Weight)
	}
	return b.String()
}
