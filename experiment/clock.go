package experiment

import (
	"context"
	"time"
)

// clock ends a training when its time is over.
type clock struct {
	seconds float64            // 0: no limit
	cancel  context.CancelFunc // of the training
	timer   *time.Timer        // nil until begin is called
}

// limited returns a context for one training, and the clock that cancels it.
func (e *Experiment) limited(ctx context.Context) (context.Context, *clock) {
	ctx, cancel := context.WithCancel(ctx)
	return ctx, &clock{seconds: e.options.MaxSeconds, cancel: cancel}
}

// begin starts the clock. Reading the data before does not count.
func (c *clock) begin() {
	if c.seconds > 0 {
		c.timer = time.AfterFunc(time.Duration(c.seconds*float64(time.Second)), c.cancel)
	}
}

// stop ends the timer and the context.
func (c *clock) stop() {
	if c.timer != nil {
		c.timer.Stop()
	}
	c.cancel()
}
