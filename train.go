package lambdamart

import (
	"context"
	"errors"
	"io"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/training"
	"github.com/lambdamart/lambdamart/tree"
)

// Train grows trees on the training data of d, and evaluates its validation sets after each. The
// result is the model, the best round if early stopping is on, and the reason why training ended.
// Params.StopSet may be the path of a validation set as given to [Load], or its name.
//
// Canceling ctx ends training after the current tree, and the model so far is returned without an error.
// [booster.Train] and [booster.New] list the errors. Another one is that a file of stored bins was changed
// while it was in use, [data.ErrChanged]. If a round fails, the result is that of the rounds before, or nil
// if there are none.
func Train(ctx context.Context, p Params, d *data.Loaded) (result *booster.Result, err error) {
	j, err := jobOf(p, d)
	if err != nil {
		return nil, err
	}
	defer d.Guard(&err)()
	result, err = booster.Train(ctx, j.params, treeData(d.Training), j.valid, j.options)
	if result == nil {
		return nil, err
	}
	joined, joinErr := j.withBefore(result.Model)
	if joinErr != nil {
		return nil, errors.Join(err, joinErr)
	}
	result.Model = joined
	return result, err
}

// job is a run of trees before it begins.
type job struct {
	params  booster.Params
	valid   []booster.Data
	options booster.Options
	before  *tree.Ensemble // the model that training continues from; nil if there is none
}

// jobOf returns the run of p on d.
func jobOf(p Params, d *data.Loaded) (*job, error) {
	j := &job{options: p.Options, before: d.Before}
	for _, s := range d.Validation {
		j.valid = append(j.valid, treeData(s))
		if s.Path != "" && s.Path == p.StopSet {
			p.StopSet = s.Name
		}
	}
	if d.InitialModel != p.InitialModel {
		return nil, ErrInitialModel
	}
	j.options.TreesBefore = 0
	if d.Before != nil {
		j.options.TreesBefore = len(d.Before.Trees)
	}
	if d.Training.Stored {
		p.AdoptBins(d.Params)
	}
	j.params = p.Params
	return j, nil
}

// Run is a training run of trees that its owner steps, and can therefore stop or pause after any tree. It
// must be closed after use, and before the data. One goroutine at a time may use it.
type Run struct {
	run *booster.Training
	job *job
	d   *data.Loaded
}

// Start prepares a run, but grows no tree yet. It accepts the same data and parameters as [Train], except for
// Options.Round, because Step returns the rounds. A run trains one model; Train trains ensembles
// (Params.NumModels).
func Start(p Params, d *data.Loaded) (_ *Run, err error) {
	j, err := jobOf(p, d)
	if err != nil {
		return nil, err
	}
	defer d.Guard(&err)()
	run, err := booster.New(j.params, treeData(d.Training), j.valid, j.options)
	if err != nil {
		return nil, err
	}
	return &Run{run, j, d}, nil
}

// Step grows a tree and evaluates the validation sets. The error is [io.EOF] if training has ended, and
// Reason says why; [booster.New] lists other errors.
func (r *Run) Step(ctx context.Context) (round training.Round, err error) {
	defer r.d.Guard(&err)()
	return r.run.Step(ctx)
}

// Rounds returns the results of all rounds so far, without the values of single queries.
func (r *Run) Rounds() []training.Round { return r.run.Rounds() }

// Reason returns why training has ended; empty while it goes on.
func (r *Run) Reason() training.StopReason { return r.run.Reason() }

// Model returns the model as it was after a round, from 1, or as it is now if round is 0.
func (r *Run) Model(round int) (*tree.Ensemble, error) {
	m, err := r.run.Model(round)
	if err != nil {
		return nil, err
	}
	return r.job.withBefore(m)
}

// Save writes the state after the latest round, from which Restore continues in a run of the same parameters
// and data.
func (r *Run) Save(w io.Writer) (err error) {
	defer r.d.Guard(&err)()
	return r.run.Save(w)
}

// Restore brings a run that has done no round into the state that Save wrote.
func (r *Run) Restore(from io.Reader) (err error) {
	defer r.d.Guard(&err)()
	return r.run.Restore(from)
}

// Result returns the result of the run so far, in the form that [Train] returns at the end.
func (r *Run) Result() (result *booster.Result, err error) {
	defer r.d.Guard(&err)()
	if result, err = r.run.Result(); err != nil {
		return nil, err
	}
	result.Model, err = r.job.withBefore(result.Model)
	return result, err
}

// Close releases what the run uses besides the data. Its models stay as they are.
func (r *Run) Close() { r.run.Close() }

// treeData returns a set in the form that package booster accepts.
func treeData(s *data.Set) booster.Data {
	return booster.Data{Name: s.Name, Meta: s.Meta, Values: s.Bins}
}

// TrainNetwork trains a neural ranker on the training data of d, and evaluates its validation sets
// after each epoch. Params.Ranker chooses the loss.
//
// Canceling ctx ends training after the current step, and the model so far is returned without an
// error. [nnbaseline.Train] lists the errors.
func TrainNetwork(ctx context.Context, p NetworkParams, d *NetworkData) (*nnbaseline.Result, error) {
	return nnbaseline.Train(ctx, p.Params, d.Training, d.Validation, p.Options)
}

// ErrInitialModel means that [Train] was given a different InitialModel than [Load] or [Bin] was.
var ErrInitialModel = errors.New("the data was loaded with another Params.InitialModel: load it with the " +
	"one that training continues from")

// withBefore returns m with the trees of the initial model placed before its own.
func (j *job) withBefore(m *tree.Ensemble) (*tree.Ensemble, error) {
	if j.before == nil {
		return m, nil
	}
	trained := *m
	trained.Features = append([]tree.Feature(nil), trained.Features...)
	for f := range trained.Features { // where the data has no names, those of the model remain
		trained.Features[f].Name = j.before.Features[f].Name
	}
	sameContext := *j.before
	sameContext.Context = trained.Context
	joined, err := tree.Join(&sameContext, &trained)
	if err != nil {
		return nil, err
	}
	joined.Objective, joined.LabelIndex, joined.Parameters = trained.Objective, trained.LabelIndex,
		trained.Parameters
	return joined, nil
}

// Refit returns a model with the trees of m whose leaf values are fitted to the judgments of a data
// file, as [booster.Refit] describes. The columns of a table are matched to the features of m by name.
// It uses p.Data and the fields that booster.Refit names. For data in memory, call booster.Refit.
func Refit(ctx context.Context, p Params, m *tree.Ensemble, path string, decay float64) (*tree.Ensemble,
	error) {
	o := reading(p.Data, p.NumThreads)
	src, err := data.OpenFor(m, path, data.Options{Layout: o.Layout, Workers: o.Workers, Progress: o.Progress})
	if err != nil {
		return nil, err
	}
	defer src.Close()
	return booster.Refit(ctx, p.Params, m, src, nil, decay)
}
