package nnbaseline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lambdamart/lambdamart/booster"
)

// Hooks let a caller watch a training. Nil hooks are not called. They run on the
// goroutine that called Train.
type Hooks struct {
	Epoch func(Round)               // after every epoch
	Step  func(epoch, done, of int) // after every step: how many of the epoch's queries are done
}

// Round is what one epoch did.
type Round struct {
	Epoch        int                  // from 1
	Loss         float64              // mean over the queries that teach, while they were trained on
	LearningRate float64              // of its last step
	Documents    int                  // trained on
	Seconds      float64              // with evaluation
	Evaluations  []booster.Evaluation // empty unless metrics are due (Params.MetricFreq)
}

// Exploded is the reason that training ended with an [*ExplosionError].
const Exploded booster.StopReason = "the loss exploded"

// ExplosionError tells that the loss grew out of bounds.
type ExplosionError struct {
	Epoch, Step  int     // from 1; steps count from the beginning of training
	LearningRate float64 // of that step
	Loss         float64 // of that step; NaN or infinite where the step made weights so
}

func (e *ExplosionError) Error() string {
	return fmt.Sprintf("nnbaseline: the loss exploded to %g in step %d (epoch %d) with learning_rate=%g; try learning_rate=%g, gradient_clip=1 or normalization=layer",
		e.Loss, e.Step, e.Epoch, e.LearningRate, min(DefaultParams().LearningRate, e.LearningRate/10))
}

// Skipped counts the training queries that a loss learns nothing from.
type Skipped struct {
	SingleDocument int // queries with one document
	EqualLabels    int // others, whose labels are all equal
}

// Result is a finished training.
type Result struct {
	Model     *Model // the weights of epoch Best if early stopping is on or the loss exploded, the last ones otherwise
	Epochs    int    // done, in whole
	Stopped   booster.StopReason
	Explosion *ExplosionError // if Stopped is Exploded
	Skipped   Skipped

	// Of the watched metric (Params.StopRule) on the watched set
	// (Params.StopSet); zero and empty if there is none.
	Best      int // epoch, from 1
	BestValue float64
	Watched   string // such as "ndcg@10 on vali.txt"
}

// ErrNothingToLearn is wrapped by the error for training data from which a loss
// learns nothing: every query has one document or equal labels.
var ErrNothingToLearn = errors.New("no query has two documents of different labels, so there is no order to learn; check the labels and the query ids")

// Train fits a network to train. It evaluates on all valid sets, in their order,
// and on train itself if Params.IsTrainingMetric is set.
//
// If ctx is cancelled, training ends after the step at hand, and the model so far is
// returned with the reason [booster.Cancelled] and no error. If the loss explodes,
// the best model so far is returned with the reason [Exploded]: that of the best
// epoch, or of the last one where no metric is watched. If no epoch was done, the
// error is an [*ExplosionError].
//
// Other errors are a [*NaNError] or a [*LabelError], or wrap [ErrNothingToLearn].
func Train(ctx context.Context, p Params, train Data, valid []Data, hooks Hooks) (*Result, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if err := checkData(&p, train, valid); err != nil {
		return nil, err
	}
	e, err := newEvaluator(&p, train, valid)
	if err != nil {
		return nil, err
	}
	t, err := newTrainer(&p, train)
	if err != nil {
		return nil, err
	}
	defer t.close()
	if err := e.check(t.inputs, t.pool); err != nil {
		return nil, err
	}
	reason, err := run(ctx, t, e, hooks)
	if err != nil {
		return nil, err
	}
	return t.result(reason, e)
}

// run does the epochs and returns why it stopped.
func run(ctx context.Context, t *trainer, e *evaluator, hooks Hooks) (booster.StopReason, error) {
	for epoch := 1; epoch <= t.params.Epochs; epoch++ {
		round, reason := t.epoch(ctx, epoch, hooks.Step)
		if reason != "" {
			return reason, nil
		}
		stop, err := t.judge(e, &round)
		if err != nil {
			return "", err
		}
		if hooks.Epoch != nil {
			hooks.Epoch(round)
		}
		if stop {
			return booster.StoppedEarly, nil
		}
	}
	return booster.Finished, nil
}

// judge evaluates an epoch if metrics are due, keeps its weights if they are the best
// so far, and tells whether training should end.
func (t *trainer) judge(e *evaluator, round *Round) (stop bool, err error) {
	best := !e.watches()
	if e.due(round.Epoch) && len(e.sets) > 0 {
		begin := time.Now()
		var watched float64
		if round.Evaluations, watched, err = e.evaluate(t.model(t.network)); err != nil {
			return false, err
		}
		if e.watches() {
			best, stop = e.see(round.Epoch, watched)
			t.schedule.see(round.Epoch, watched)
		}
		round.Seconds += time.Since(begin).Seconds()
	}
	if best || t.kept == nil {
		t.keep()
	}
	return stop, nil
}

// result packs up the model.
func (t *trainer) result(reason booster.StopReason, e *evaluator) (*Result, error) {
	r := &Result{Epochs: t.epochs, Stopped: reason, Skipped: t.skipped}
	if e.best > 0 {
		r.Best, r.BestValue, r.Watched = e.best, e.bestValue, e.watchMetric+" on "+e.watchSet
	}
	if reason == Exploded {
		r.Explosion = t.explosion
		if t.kept == nil {
			return nil, t.explosion
		}
	}
	n := t.network
	if reason == Exploded || t.params.Patience > 0 && e.best > 0 {
		n = t.kept
	}
	r.Model = t.model(n)
	return r, nil
}

// checkData finds data that do not fit together or cannot be learned from.
func checkData(p *Params, train Data, valid []Data) error {
	for i, d := range append([]Data{train}, valid...) {
		switch {
		case d.Meta.NumRows() == 0:
			return fmt.Errorf("data %q: no rows", d.Name)
		case d.Meta.NumRows() != d.Values.NumRows():
			return fmt.Errorf("data %q: %d labels for %d rows of values", d.Name, d.Meta.NumRows(), d.Values.NumRows())
		}
		for _, other := range valid[:max(0, i-1)] {
			if other.Name == d.Name {
				return fmt.Errorf("data %q: two validation sets of that name", d.Name)
			}
		}
	}
	if train.Values.NumFeatures() == 0 {
		return fmt.Errorf("data %q: no features", train.Name)
	}
	return checkLabels(p, train)
}
