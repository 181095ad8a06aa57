package nnbaseline

import (
	"context"
	"errors"
	"fmt"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/limits"
	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/training"
)

// explosionError is the error for a loss that grew out of bounds.
type explosionError struct {
	Epoch, Step  int     // from 1; steps count from the beginning of training
	LearningRate float64 // of that step
	Loss         float64 // of that step; NaN or infinite if a weight was
}

func (e *explosionError) Error() string {
	return fmt.Sprintf("the loss exploded to %g in step %d (epoch %d) with learning_rate=%g; try "+
		"learning_rate=%g, gradient_clip=1 or normalization=layer",
		e.Loss, e.Step, e.Epoch, e.LearningRate, min(DefaultParams().LearningRate, e.LearningRate/10))
}

// Result is the result of a training run. Its model has the weights of epoch Best if early stopping is on or
// the loss exploded, and the last weights otherwise.
type Result struct {
	training.Result[*Model]

	Explosion error // describes how the loss grew, if Stopped is training.Exploded

	// Training queries that the loss learns nothing from.
	SingleDocument int // queries with one document
	EqualLabels    int // others, whose labels are all equal
}

// ErrNothingToLearn is wrapped by the error for training data from which a loss learns nothing,
// because every query has one document or equal labels.
var ErrNothingToLearn = errors.New("no query has two documents of different labels, so there is no order " +
	"to learn; check the labels and the query ids")

// run trains one network. It keeps the models of the best epoch and of the latest one.
type run struct {
	*rounds.Run[*Model]
	trainer *trainer
	train   Data
	valid   []Data
}

// newRun prepares a run. It learns nothing yet, but restores the epochs of a checkpoint if o.Checkpoints asks
// for it.
func newRun(p *Params, train Data, valid []Data, o training.Options) (*run, error) {
	e, err := evaluator(p, train, valid, o)
	if err != nil {
		return nil, err
	}
	t := &run{train: train, valid: valid}
	if t.trainer, err = newTrainer(p, train); err != nil {
		return nil, err
	}
	if err := t.begin(e, o); err != nil {
		t.trainer.close()
		return nil, err
	}
	return t, nil
}

// evaluator checks parameters and data, and returns the evaluator of the epochs.
func evaluator(p *Params, train Data, valid []Data, o training.Options) (*rounds.Evaluator, error) {
	if err := rounds.Check(&p.Params, p.Table(), p.LabelGain, o.Metrics...); err != nil {
		return nil, err
	}
	metrics, err := rounds.Metrics(&p.Params, p.LabelGain, o.Metrics...)
	if err != nil {
		return nil, err
	}
	e, err := rounds.NewEvaluator(&p.Params, p.Epochs, train, valid, metrics)
	if err != nil {
		return nil, err
	}
	if p.Schedule == Plateau {
		if len(valid) == 0 {
			return nil, errors.New("schedule=plateau goes by a metric on validation data: give valid=FILE, or " +
				"another schedule")
		}
		e.EveryRound()
	}
	if train.Values.numFeatures() == 0 {
		return nil, fmt.Errorf("data %q: no features", train.Name)
	}
	if err := checkLabels(p, train); err != nil {
		return nil, err
	}
	return e, limits.Check(memoryEstimate(p, train, valid...), "training",
		"smaller hidden_layers=, fewer rows and fewer features need less")
}

// begin checks the sets that are evaluated, and makes the run.
func (t *run) begin(e *rounds.Evaluator, o training.Options) (err error) {
	sets := t.valid
	if t.trainer.params.IsTrainingMetric {
		sets = append([]Data{t.train}, t.valid...)
	}
	if err := t.trainer.evaluateOn(sets); err != nil {
		return err
	}
	t.trainer.watched, t.trainer.onStep = e.Watches(), o.Step
	t.Run, err = rounds.New(e, t.trainer, o)
	return err
}

// Step trains an epoch, and evaluates it.
func (t *run) Step(ctx context.Context) (round training.Round, err error) {
	defer t.Guard(&round, &err)
	if err := t.Begin(ctx, &round); err != nil {
		return round, err
	}
	reason, err := t.trainer.round(ctx, &round)
	err = t.Finish(&round, reason, err)
	return round, err
}

// result returns the result so far.
func (t *run) result() *Result {
	r := &Result{Result: *t.Run.Result(), SingleDocument: t.trainer.single, EqualLabels: t.trainer.equal}
	if t.trainer.explosion != nil {
		r.Explosion = t.trainer.explosion
	}
	for _, f := range rounds.Provenance(t.train, t.valid, t.trainer.params.NumThreads, &r.Result) {
		r.Model.parameters[f.Name] = f.Value
	}
	return r
}

// Train trains a network on train, and evaluates all valid sets, in their order, after each epoch, and train
// itself if p.IsTrainingMetric is set. It calls o.Round after each epoch. If ctx is canceled, training ends
// after the current step, and the model so far is returned with the reason [training.Canceled] and no error.
// If the loss explodes, the model of the best epoch, or of the last one if no metric is watched, is returned
// with the reason [training.Exploded]; if no epoch was completed before, that is an error.
//
// Errors wrap [ErrNothingToLearn], or describe values and labels that a network cannot learn from, faults of
// p, or data sets that do not fit together. If an epoch fails, the result is that of the epochs before, or
// nil if there are none. If training panics, or a function of o does, the error wraps a
// [*training.PanicError].
func Train(ctx context.Context, p Params, train Data, valid []Data, o training.Options) (*Result, error) {
	t, err := newRun(&p, train, valid, o)
	if err != nil {
		return nil, err
	}
	defer t.trainer.close()
	if err := rounds.Loop(ctx, t.Rounds(), t.Step, o.Round); err != nil {
		return t.rescued(err), err
	}
	return t.result(), nil
}

// rescued returns the result of the epochs before an error, or nil if there are none.
func (t *run) rescued(failed error) *Result {
	if len(t.Rounds()) == 0 {
		return nil
	}
	result := t.result()
	result.Stopped = rounds.ReasonOf(failed)
	return result
}

// Data is ranking data with its feature values in memory: 4 bytes for each row and feature.
type Data = training.Data[*Values]

// Read reads src once, from beginning to end, and keeps its values. name is the data's name in messages.
// Errors come from src, are about an infinite value or a feature number that is too large, or say that there
// is not enough memory for the values in addition to those of others, which are in memory already.
func Read(ctx context.Context, name string, src dataset.Source, others ...Data) (Data, error) {
	room, err := newRoom(ctx, src, others)
	if err != nil {
		return Data{}, err
	}
	values := &Values{room: room}
	meta, err := dataset.Scan(ctx, src, nil, func(_ int, row dataset.Row) error { return values.add(row) })
	if err != nil {
		return Data{}, err
	}
	if err := values.finish(meta.NumRows(), meta.NumFeatures()); err != nil {
		return Data{}, err
	}
	return Data{Name: name, Meta: meta, Values: values}, nil
}

// valueError means that a network has no input for a value.
type valueError struct {
	Row     int    // number in the data, or among the rows of the call
	Feature string // its number, and the name if it is known
	Fault   string // isNaN or isInfinite
}

// Faults of values.
const (
	isNaN      = "NaN; train with nan=mean to count the feature's mean for it, or fill it in"
	isInfinite = "infinite; networks need finite values: cap it, or leave the feature out"
)

func (e *valueError) Error() string {
	return fmt.Sprintf("feature %s of row %d is %s", e.Feature, e.Row, e.Fault)
}

// inFile adds the place of the row that an error is about, if the data was read from a file.
func inFile(m *dataset.Meta, err error) error {
	if inRow, ok := errors.AsType[*valueError](err); ok && m != nil && m.Where != nil {
		return fmt.Errorf("%s: %w", m.Place(inRow.Row), err)
	}
	return err
}

// Renumber replaces the number of the row by number of it.
func (e *valueError) Renumber(number func(row int) int) { e.Row = number(e.Row) }

// Errors of [ReadModel] about a model file wrap one of these.
var (
	// ErrForeign means that the file is not a model of this package.
	ErrForeign = errors.New("not a neural model of lambdamart")
	// ErrVersion means that another version of this package wrote the file.
	ErrVersion = errors.New("its format has another version; use the version of lambdamart that made it, or " +
		"train again")
	// ErrCut means that the end of the file is missing.
	ErrCut = errors.New("the model is cut off; copy it again")
	// ErrDamaged means that bytes have changed since the file was written.
	ErrDamaged = errors.New("the model is damaged; copy it again")
	// ErrInvalid means that the checksum is right, but that the content describes no model.
	ErrInvalid = errors.New("the model was written wrongly; train it again")
)

// fault returns an error that wraps the kind of fault. The text, if any, describes it and its place.
func fault(kind error, format string, args ...any) error {
	if format == "" {
		return kind
	}
	return fmt.Errorf(format+": %w", append(args, kind)...)
}
