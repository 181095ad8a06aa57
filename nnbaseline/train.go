package nnbaseline

import (
	"context"
	"errors"
	"fmt"

	"github.com/lambdamart/lambdamart/training"
)

// ExplosionError says that the loss grew out of bounds.
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

// Result is a finished training. Its model has the weights of epoch Best if early stopping is on or
// the loss exploded, and the last weights otherwise.
type Result struct {
	training.Result[*Model]

	Explosion *ExplosionError // if Stopped is training.Exploded
	Skipped   Skipped
}

// ErrNothingToLearn is wrapped by the error for training data from which a loss learns nothing,
// because every query has one document or equal labels.
var ErrNothingToLearn = errors.New("no query has two documents of different labels, so there is no order to learn; check the labels and the query ids")

// Train fits a network to train. It evaluates on all valid sets, in their order, and on train itself
// if p.IsTrainingMetric is set. A round is an epoch.
//
// If ctx is cancelled, training ends after the current step, and the model so far is returned with
// the reason [training.Cancelled] and no error. If the loss explodes, the best model so far is
// returned with the reason [training.Exploded]: that of the best epoch, or of the last one if no
// metric is watched. If no epoch was completed before, the error is an [*ExplosionError].
//
// Other errors are a [*NaNError] or a [*LabelError], wrap [ErrNothingToLearn], or describe faults of p
// or data that do not fit together.
func Train(ctx context.Context, p Params, train Data, valid []Data, o training.Options) (*Result, error) {
	if err := p.Check(p.Table(), p.LabelGain, o.Metrics...); err != nil {
		return nil, err
	}
	metrics, err := p.Metrics(o.Metrics...)
	if err != nil {
		return nil, err
	}
	e, err := training.NewEvaluator(&p.Params, p.Epochs, train, valid, metrics)
	if err != nil {
		return nil, err
	}
	if p.Schedule == Plateau && len(valid) == 0 {
		return nil, errors.New("schedule=plateau goes by a metric on validation data: give valid=FILE, or another schedule")
	}
	if err := checkTraining(&p, train); err != nil {
		return nil, err
	}
	if err := checkMemory(&p, train, valid); err != nil {
		return nil, err
	}
	t, err := newTrainer(&p, train)
	if err != nil {
		return nil, err
	}
	defer t.close()
	t.onStep = o.Step
	sets := valid
	if p.IsTrainingMetric {
		sets = append([]Data{train}, valid...)
	}
	r, err := t.run(ctx, e, sets, o)
	if err != nil {
		return nil, err
	}
	facts, err := training.Provenance(train, valid, p.NumThreads, &r.Result)
	if err != nil {
		return nil, err
	}
	for _, f := range facts {
		r.Model.parameters[f.Name] = f.Value
	}
	return r, nil
}

// run checks the sets that are evaluated, and then does the epochs.
func (t *trainer) run(ctx context.Context, e *training.Evaluator, sets []Data, o training.Options) (*Result, error) {
	if err := t.evaluateOn(sets); err != nil {
		return nil, err
	}
	if err := e.Check(); err != nil {
		return nil, err
	}
	t.watched = e.Watches()
	r, err := training.Run(ctx, e, t, o)
	if err != nil {
		return nil, err
	}
	return &Result{Result: *r, Explosion: t.explosion, Skipped: t.skipped}, nil
}
