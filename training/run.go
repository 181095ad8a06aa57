package training

import (
	"context"
	"errors"
	"time"

	"github.com/lambdamart/lambdamart/ranks"
)

// Learner is a model of type M in training: what differs between trees and networks.
// [Run] calls it from one goroutine.
type Learner[M any] interface {
	// Round does round r.Number and sets the fields of r that only this kind of learner has. A reason
	// other than "" ends training: then the round was not done, or not completely.
	Round(ctx context.Context, r *Round) (StopReason, error)

	// Scores returns the scores of all rows of each set that is evaluated: of the
	// training data, if Params.IsTrainingMetric is set, and of the validation sets in
	// their order. They are only read, before the next call of Round.
	Scores() ([][]float64, error)

	// See is called after a round in which the watched metric was evaluated, with its value and
	// whether that round is the best so far.
	See(round int, value float64, best bool)

	// Model returns the model as it was after the given round, which is the latest that
	// See called the best, or the model as it is now if round is 0.
	Model(round int) M
}

// ErrAbandoned is the cause of a cancelled context whose training nobody will resume: it writes no checkpoint.
var ErrAbandoned = errors.New("the training was given up")

// Run does the rounds of a training, and evaluates them. After each it calls o.Round
// unless that is nil. If ctx is cancelled, training ends before the next round, or
// earlier if the learner says so, with the reason [Cancelled] and no error. Errors are
// the learner's, those of [metric.Evaluate], or those of o.Checkpoints, for which l must be
// [Resumable]. The other fields of o are for the learner to use.
func Run[M any](ctx context.Context, e *Evaluator, l Learner[M], o Options) (*Result[M], error) {
	k, err := newKeeper(e, l, o.Checkpoints)
	if err != nil {
		return nil, err
	}
	done, err := k.resume(o.Round)
	if err != nil {
		return nil, err
	}
	done, reason, err := doRounds(ctx, e, l, o.Round, k, done)
	if err != nil {
		return nil, err
	}
	if reason == Cancelled && !errors.Is(context.Cause(ctx), ErrAbandoned) {
		if err := k.cancelled(); err != nil {
			return nil, err
		}
	}
	r := &Result[M]{Rounds: done, Kept: done, Stopped: reason}
	if best := e.stop.round; best > 0 {
		r.Best, r.BestValue, r.Watched = best, e.stop.value, e.watched+" on "+e.sets[e.watchedSet].name
	}
	kept := 0
	if e.params.Patience > 0 || reason == Exploded {
		kept = r.Best
	}
	if kept > 0 {
		r.Kept = kept
	}
	r.Model = l.Model(kept)
	return r, nil
}

// doRounds does the rounds after the first begun ones, and returns how many are done and why it did no
// more.
func doRounds[M any](ctx context.Context, e *Evaluator, l Learner[M], hook func(Round), k *keeper, begun int) (done int, reason StopReason, err error) {
	for done = begun; done < e.rounds; {
		if ranks.Any(e.ranks, ctx.Err() != nil) {
			return done, Cancelled, nil
		}
		start, round := time.Now(), Round{Number: done + 1}
		if reason, err := l.Round(ctx, &round); reason != "" || err != nil {
			return done, reason, err
		}
		done++
		stop, err := judge(e, &round, l)
		if err != nil {
			return done, "", err
		}
		round.Seconds = time.Since(start).Seconds()
		if hook != nil {
			hook(round)
		}
		if stop {
			return done, StoppedEarly, nil
		}
		if err := k.done(&round); err != nil {
			return done, "", err
		}
	}
	return done, Finished, nil
}

// judge evaluates a round if metrics are due, and reports whether training should end.
func judge[M any](e *Evaluator, r *Round, l Learner[M]) (stop bool, err error) {
	if !e.due(r.Number) {
		return false, nil
	}
	scores, err := l.Scores()
	if err != nil {
		return false, err
	}
	var value float64
	if r.Evaluations, value, err = e.evaluate(scores); err != nil || !e.Watches() {
		return false, err
	}
	best, stop := e.stop.see(r.Number, value)
	l.See(r.Number, value, best)
	if w := e.seeOthers(r.Number, func(place int) float64 { return r.Evaluations[place].Result.Mean }); w != nil && !stop {
		e.decide(w)
		stop = true
	}
	return stop, nil
}
