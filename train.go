package lambdamart

import (
	"context"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/training"
)

// Option adds to a training, of trees or of a network: [WithMetrics], [OnRound], [OnStep],
// [WithCheckpoints].
type Option func(*training.Options)

// TreeOption is an option of [Train]: any [Option], [WithObjective] or [WithProfile].
type TreeOption interface{ setTrees(*treeOptions) }

// treeOptions are what the options of Train amount to.
type treeOptions struct {
	objective objective.Objective
	booster   booster.Options
}

type treeOption func(*treeOptions)

func (f treeOption) setTrees(t *treeOptions) { f(t) }
func (f Option) setTrees(t *treeOptions)     { f(&t.booster.Options) }

// WithObjective trains by an objective of the caller's own, in place of the one that Params.Objective
// names. The documentation of objective.Objective says what an objective must do.
func WithObjective(o objective.Objective) TreeOption {
	return treeOption(func(t *treeOptions) { t.objective = o })
}

// WithProfile adds to p where the time of the training went.
func WithProfile(p *booster.Profile) TreeOption {
	return treeOption(func(t *treeOptions) { t.booster.Profile = p })
}

// WithMetrics evaluates metrics of the caller's own, after those that Params.Metric names. Params.Metric
// itself names metrics of package metric only. If Params.StopMetric is the Name of one of the caller's
// metrics, early stopping watches that one. Of every metric, larger values are better. The
// documentation of metric.Metric says what a metric must do.
func WithMetrics(metrics ...metric.Metric) Option {
	return func(o *training.Options) { o.Metrics = append(o.Metrics, metrics...) }
}

// OnRound calls f after every round: a tree, or an epoch of a network. f runs on the goroutine that
// called [Train], which waits for it.
func OnRound(f func(training.Round)) Option {
	return func(o *training.Options) { o.Round = f }
}

// OnStep calls f after every step of an epoch of a network with the number of the epoch, from 1, the
// number of its queries that are done, and the number of all its queries. Trees have no steps.
func OnStep(f func(epoch, done, of int)) Option {
	return func(o *training.Options) { o.Step = f }
}

// WithCheckpoints stores the state of the training as c says, and continues from it if c.Resume asks for
// that. Call c.Remove when the model is written.
func WithCheckpoints(c *training.Checkpoints) Option {
	return func(o *training.Options) { o.Checkpoints = c }
}

// Train grows trees on the training data of d, and evaluates its validation sets after each. The
// result has the model, the best round if early stopping is on, and the reason why training ended.
// Params.StopSet may be the path of a validation set as given to [Load], or its name.
//
// Cancelling ctx ends training after the current tree, and the model so far is returned without an
// error. [booster.Train] lists the errors. Another one is that a file of stored bins was changed while
// it was in use, [binned.ErrChanged].
func Train(ctx context.Context, p Params, d *data.Loaded, options ...TreeOption) (*booster.Result, error) {
	var t treeOptions
	for _, option := range options {
		option.setTrees(&t)
	}
	var valid []booster.Data
	for _, s := range d.Validation {
		valid = append(valid, treeData(s))
		if s.Path != "" && s.Path == p.StopSet {
			p.StopSet = s.Name
		}
	}
	before, err := modelBefore(&p, d)
	if err != nil {
		return nil, err
	}
	if d.Training.Stored {
		p.AdoptBins(d.Params)
	}
	var result *booster.Result
	err = d.Guard(func() (err error) {
		if before != nil {
			t.booster.TreesBefore = len(before.Trees)
		}
		result, err = booster.Train(ctx, p.Params, treeData(d.Training), valid, t.objective, t.booster)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := putBefore(result, before); err != nil {
		return nil, err
	}
	return result, nil
}

// treeData returns a set as package booster takes it.
func treeData(s *data.Set) booster.Data {
	return booster.Data{Name: s.Name, Meta: s.Meta, Values: s.Bins}
}

// TrainNetwork trains a neural ranker on the training data of d, and evaluates its validation sets
// after each epoch. Params.Ranker chooses the loss.
//
// Cancelling ctx ends training after the current step, and the model so far is returned without an
// error. [nnbaseline.Train] lists the errors.
func TrainNetwork(ctx context.Context, p NetworkParams, d *NetworkData, options ...Option) (*nnbaseline.Result, error) {
	var o training.Options
	for _, option := range options {
		option(&o)
	}
	return nnbaseline.Train(ctx, p.Params, d.Training, d.Validation, o)
}
