package nnbaseline

import (
	"context"
	"errors"
	"fmt"

	"github.com/lambdamart/lambdamart/booster"
)

// Hooks let a caller watch a training. Nil hooks are not called. They run on the
// goroutine that called Train.
type Hooks struct {
	Epoch func(Round)               // after every epoch
	Step  func(epoch, done, of int) // after every step: queries done of an epoch's
}

// Round is what one epoch did.
type Round struct {
	Epoch        int     // from 1
	Loss         float64 // mean over the queries that teach, while they were trained on
	LearningRate float64 // of its last step
	Documents    int     // trained on
	Seconds      float64
	Evaluations  []booster.Evaluation // empty unless metrics are due (Params.MetricFreq)
}

// Exploded is the reason that training ended with an [*ExplosionError].
const Exploded booster.StopReason = "the loss exploded"

// ExplosionError tells that the loss grew out of bounds.
type ExplosionError struct {
	Epoch, Step  int     // from 1; steps count from the beginning of training
	LearningRate float64 // of that step
	Loss         float64 // of that step's queries, or their scores'; may be NaN
}

func (e *ExplosionError) Error() string {
	return fmt.Sprintf("nnbaseline: the loss exploded to %g in step %d (epoch %d) at learning_rate=%g; try learning_rate=%g, gradient_clip=1 or normalization=layer",
		e.Loss, e.Step, e.Epoch, e.LearningRate, e.LearningRate/10)
}

// Skipped counts the training queries that a loss learns nothing from.
type Skipped struct {
	SingleDocument int // queries with one document
	EqualLabels    int // others, whose labels are all equal
}

// Result is a finished training.
type Result struct {
	Model     *Model // the weights of epoch Best if early stopping is on or the loss exploded, those of the last epoch otherwise
	Epochs    int    // done
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
var ErrNothingToLearn = errors.New("no query has two documents of different labels: there is no order to learn; check the labels and the query ids")

// Train fits a network to train. It evaluates on all valid sets, in their order,
// and on train itself if Params.IsTrainingMetric is set.
//
// If ctx is cancelled, training ends after the step at hand, and the model so far
// is returned with the reason [booster.Cancelled] and no error. If the loss
// explodes, the best model so far is returned with the reason [Exploded]; if there
// is none yet, the error is an [*ExplosionError].
//
// Other errors are a [*NaNError], or wrap [ErrNothingToLearn].
func Train(ctx context.Context, p Params, train Data, valid []Data, hooks Hooks) (*Result, error) {
	return nil, errors.New("nnbaseline: not there yet")
}
