package experiment

import (
	"context"
	"time"
)

// clock ends a training some time after it began.
type clock struct {
	seconds float64 // 0 is no limit
	cancel  context.CancelFunc
	timer   *time.Timer // nil before it runs
}

// limited returns a context that ends with the time of a training.
func (e *Experiment) limited(ctx context.Context) (context.Context, *clock) {
	ctx, cancel := context.WithCancel(ctx)
	return ctx, &clock{seconds: e.options.MaxSeconds, cancel: cancel}
}

// begin starts the clock, when data has been read.
func (c *clock) begin() {
	if c.seconds > 0 {
		c.timer = time.AfterFunc(time.Duration(c.seconds*float64(time.Second)), c.cancel)
	}
}

// stop frees what the clock holds.
func (c *clock) stop() {
	if c.timer != nil {
		c.timer.Stop()
	}
	c.cancel()
}
