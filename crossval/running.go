package crossval

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/training"
	"github.com/lambdamart/lambdamart/tree"
)

// running is the training on one part. It does a round when it is asked for one, and waits between
// rounds with all of its state in memory, so that continuing costs nothing.
type running struct {
	part    *Part
	params  booster.Params // Patience is 0: all parts stop together
	options booster.Options
	custom  func() objective.Objective // nil: that of params
	metric  string                     // name of the one that decides

	next func() (training.Round, bool)
	stop func()

	values  []float64 // of the metric on the validation queries after each round
	weight  float64   // of the validation queries that the metric counts
	seconds float64
	ended   bool // there are no more rounds

	released bool // by finish
	model    *tree.Ensemble
	stopped  training.StopReason
	err      error
}

// begin prepares the training; its first round begins with the first call of next.
func (r *running) begin(ctx context.Context) {
	rounds := func(yield func(training.Round) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		wanted, o := true, r.options
		o.Round = func(round training.Round) {
			if wanted = wanted && yield(round); !wanted {
				cancel()
			}
		}
		var obj objective.Objective
		if r.custom != nil {
			obj = r.custom()
		}
		valid := r.part.Validation()
		valid.Name = validName
		result, err := booster.Train(ctx, r.params, r.part.Training(), []booster.Data{valid}, obj, o)
		if r.err = err; err == nil {
			r.model, r.stopped = result.Model, result.Stopped
		}
	}
	r.next, r.stop = iter.Pull(rounds)
}

// validName is the name of the validation queries of a part in its training.
const validName = "valid"

// advance does rounds until this many are done, or there are no more.
func (r *running) advance(ctx context.Context, rounds int, seen func(training.Round)) error {
	for !r.ended && len(r.values) < rounds {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if r.next == nil {
			r.begin(ctx)
		}
		round, ok := r.next()
		if !ok {
			r.ended = true
			break
		}
		r.values = append(r.values, r.judged(round).Mean)
		r.seconds += round.Seconds
		seen(round)
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case r.err != nil:
		return fmt.Errorf("fold %s: %w", r.part.Name, r.err)
	case r.ended && len(r.values) == 0:
		return fmt.Errorf("fold %s: %w: %s", r.part.Name, ErrNoTree, r.stopped)
	}
	return nil
}

// ErrNoTree is wrapped by the error for a part on which no tree can be grown.
var ErrNoTree = errors.New("no tree was grown")

// judged returns the result of the metric that decides; those of the caller may be before it.
func (r *running) judged(round training.Round) metric.Result {
	decides := func(e training.Evaluation) bool { return e.Result.Metric == r.metric }
	return round.Evaluations[max(0, slices.IndexFunc(round.Evaluations, decides))].Result
}

// finish ends the training, if it has not ended, and releases its memory but for the model.
func (r *running) finish() error {
	if r.stop != nil && !r.released {
		r.stop()
	}
	r.ended, r.released = true, true
	return r.err
}

// value returns the value after a round, from 1. A training that has ended keeps its last one.
func (r *running) value(round int) float64 { return r.values[min(round, len(r.values))-1] }
