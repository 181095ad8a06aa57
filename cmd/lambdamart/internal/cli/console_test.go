package cli

import (
	"bytes"
	"errors"
	"log/slog"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/training"
)

func iteration(n int) training.Round {
	of := func(set, name string, mean float64) training.Evaluation {
		return training.Evaluation{Set: set, Result: metric.Result{Metric: name, Mean: mean}}
	}
	return training.Round{Number: n, Leaves: 31, Seconds: 0.5, Evaluations: []training.Evaluation{
		of("valid_1", "ndcg@1", 0.25), of("valid_1", "ndcg@5", 0.5), of("valid_1", "map", 0.125),
		of("valid_2", "ndcg@1", 0.75), of("valid_2", "ndcg@5", 1),
	}}
}

// writes keeps each call of Write.
type writes []string

func (w *writes) Write(b []byte) (int, error) {
	*w = append(*w, string(b))
	return len(b), nil
}

func TestAMessageIsWrittenAtOnce(t *testing.T) {
	var w writes
	NewConsole(&w).Failed(errors.New("what\nwhere\nwhy"))
	assert.Equal(t, writes{"lambdamart: what\nlambdamart: where\nlambdamart: why\n"}, w)
}

// TestLogger: a record with an event has facts, and one without is a remark, which is written once.
func TestLogger(t *testing.T) {
	for name, c := range map[string]struct {
		console *Console
		want    string
	}{
		"lines": {&Console{}, "warning: odd\nnote: so it is\n3 of 4\nend\n"},
		"details": {&Console{level: slog.LevelDebug},
			"warning: odd\nnote: so it is\n3 of 4\nbegin\nend\n"},
		"warnings": {&Console{level: slog.LevelWarn}, "warning: odd\n"},
		"objects": {&Console{json: true}, `{"event":"warning","message":"odd"}
{"event":"note","message":"so it is","by":"a"}
{"event":"step","done":3,"mean":null,"all":[1,2]}
{"event":"end","message":"why"}
`},
		"texts": {&Console{json: true, texts: true}, `{"event":"warning","message":"odd"}
{"event":"note","message":"so it is","by":"a"}
{"event":"step","message":"3 of 4","done":3,"mean":null,"all":[1,2]}
{"event":"end","message":"why"}
`},
	} {
		var out bytes.Buffer
		c.console.w = &out
		log := c.console.Logger()
		log.Warn("odd")
		log.With("by", "a").Info("so it is")
		log.Info("odd")
		log.Info("3 of 4", "event", "step", "done", 3, "mean", math.NaN(), "all", list{1, 2})
		log.Debug("begin", "event", "begin")
		log.Info("end", "event", "end", "message", "why")
		assert.Equal(t, c.want, out.String(), name)
	}
}

// list has a short form for lines of a log.
type list []int

func (list) LogValue() slog.Value { return slog.StringValue("2 numbers") }

// TestMessagesOfSeveralGoroutines are written one at a time, while a bar moves.
func TestMessagesOfSeveralGoroutines(t *testing.T) {
	var out bytes.Buffer
	c := NewConsole(&out)
	c.terminal = true
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { c.Logger().Info("text", "event", "step") })
		c.draw("iterations", 1, 3, 10, "")
	}
	all.Wait()
	assert.Equal(t, 8, strings.Count(out.String(), "text\n"))
}

func TestBarOnATerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // in which time passes only by Sleep
		var out bytes.Buffer
		c := NewConsole(&out)
		c.terminal = true
		for n := 1; n <= 3; n++ {
			c.Progress(iteration(n), 10, "ndcg@5", 1)
			time.Sleep(redraw + 10*time.Millisecond)
		}
		c.Note("a line")
		last := out.String()[strings.LastIndex(out.String(), "3/10"):]
		assert.Contains(t, last, "iterations/s")
		assert.Contains(t, last, "valid_1 ndcg@5 0.50000; valid_2 ndcg@5 1.00000")
		assert.True(t, strings.HasSuffix(last, "\rnote: a line\n"), "%q", last)
	})
}

func TestBarWithinAnEpoch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // in which time passes only by Sleep
		var out bytes.Buffer
		c := NewConsole(&out)
		c.Within(3, 10, 1, 4)
		assert.Empty(t, out.String(), "not a terminal")
		c.terminal = true
		c.Within(3, 10, 1, 4)
		assert.Contains(t, out.String(), "epoch 3: 25 %")
		c.Progress(iteration(3), 10, "map", 1)
		assert.Contains(t, out.String(), "(3/10", "an epoch is drawn at once")
		time.Sleep(redraw + 10*time.Millisecond)
		c.Within(4, 10, 2, 4)
		assert.Contains(t, out.String(), "valid_1 map 0.12500; epoch 4: 50 %")
		c.EndProgress()
		out.Reset()
		time.Sleep(redraw + 10*time.Millisecond)
		c.Within(1, 5, 1, 5)
		assert.Contains(t, out.String(), "epoch 1: 20 %")
		assert.NotContains(t, out.String(), "map", "another bar has no metrics yet")
	})
}

func TestLinesElsewhere(t *testing.T) {
	var out bytes.Buffer
	c := NewConsole(&out)
	c.Progress(iteration(3), 10, "ndcg@5", 1)
	silent := iteration(4)
	silent.Evaluations = nil
	c.Progress(silent, 10, "ndcg@5", 1)
	assert.Equal(t, "[3/10] valid_1 ndcg@1 0.25000 @5 0.50000 map 0.12500; valid_2 ndcg@1 0.75000 @5 1.00000 "+
		"(0.5 s, 31 leaves)\n", out.String())
	out.Reset()
	for n := range 10 {
		c.Progress(iteration(n+1), 10, "ndcg@5", 4)
	}
	assert.Equal(t, 3, strings.Count(out.String(), "\n"), "iterations 4 and 8, and the last")
}

// TestLongWorkIsSeenElsewhere: iterations without metrics and reading say every ten seconds how far they are.
func TestLongWorkIsSeenElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // in which time passes only by Sleep
		var out bytes.Buffer
		c := NewConsole(&out)
		read := c.Reading()
		for n := range 5 {
			silent := iteration(n + 1)
			silent.Evaluations = nil
			c.Progress(silent, 5, "ndcg@5", 1)
			time.Sleep(6 * time.Second)
		}
		assert.Equal(t, "iterations: 3 of 5\niterations: 5 of 5\n", out.String())
		out.Reset()
		read("a.txt", 5e6, 7e9)
		time.Sleep(10 * time.Second)
		read("-", 6e6, 0)
		assert.Equal(t, "MB of a.txt: 5 of 7,000\nMB of -: 6\n", out.String())
	})
}

func TestBarOfReadingBeginsAnewWhenTheFileIsReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // in which time passes only by Sleep
		var out bytes.Buffer
		c := NewConsole(&out)
		c.terminal = true
		tell := c.Reading()
		tell("train.txt", 10, 1000)
		assert.Empty(t, out.String(), "not in the first moment")
		time.Sleep(600 * time.Millisecond)
		tell("train.txt", 1000, 1000)
		time.Sleep(redraw + 10*time.Millisecond)
		tell("train.txt", 100, 1000)
		time.Sleep(redraw + 10*time.Millisecond)
		tell("train.txt", 400, 1000)
		assert.Contains(t, out.String(), "reading train.txt")
		assert.Contains(t, out.String(), "40%")
		out.Reset()
		tell("val\x1bi\n.txt", 1, 1000)
		time.Sleep(600 * time.Millisecond)
		tell("val\x1bi\n.txt", 500_001, 1_000_000)
		assert.Contains(t, out.String(), `reading val\u001bi\u000a.txt`)
		assert.NotContains(t, out.String(), "MB/s", "the bar of the next file begins now")
	})
}

func TestBarFitsTheTerminal(t *testing.T) {
	for _, c := range []struct {
		line, want     string
		columns, width int
	}{
		{"50% |██  | reading a", "50% |██  | reading a", 20, 20},
		{"50% |██  | reading a", "50% |██", 7, 7},
		{"reading 数据", "reading 数据", 12, 12}, {"reading 数据", "reading 数", 11, 10}, {"", "", 5, 0},
	} {
		line, width := fitting(c.line, c.columns)
		assert.Equal(t, c.want, line)
		assert.Equal(t, c.width, width, c.line)
	}
	passed := &bar{begun: time.Now().Add(-time.Second)}
	assert.Regexp(t, `^\(\d+, \d+ MB/s\)$`, passed.progress("MB", 1e6, 5e9, 0), "not 5e+03")
}
