package lambdamart

import (
	"context"
	"errors"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/nnbaseline"
)

// Train grows trees on the training data of d, and evaluates its validation sets after each. The
// result is the model, the best round if early stopping is on, and the reason why training ended.
// Params.StopSet may be the path of a validation set as given to [Load], or its name.
//
// Canceling ctx ends training after the current tree, and the model so far is returned without an error.
// [booster.Train] and [booster.New] list the errors. Another one is that a file of stored bins was changed
// while it was in use, [data.ErrChanged]. If a round fails, the result is that of the rounds before, or nil
// if there are none.
func Train(ctx context.Context, p Params, d *data.Loaded) (*booster.Result, error) {
	valid, err := p.use(d)
	if err != nil {
		return nil, err
	}
	return booster.Train(ctx, p.Params, treeData(d.Training), valid, p.Options)
}

// use makes p the parameters of a run on d, and returns its validation sets.
func (p *Params) use(d *data.Loaded) (valid []booster.Data, err error) {
	if d.InitialModel != p.InitialModel {
		return nil, ErrInitialModel
	}
	for _, s := range d.Validation {
		valid = append(valid, treeData(s))
		if s.Path != "" && s.Path == p.StopSet {
			p.StopSet = s.Name
		}
	}
	p.Options.Before, p.Options.Guard = d.Before, d.Guard
	if d.Training.Stored {
		p.AdoptBins(d.Params)
	}
	return valid, nil
}

// Start prepares a run that its owner steps, and can therefore stop or pause after any tree, but grows no
// tree yet. The run must be closed after use, and before the data. Start accepts the same data and parameters
// as [Train], except for Options.Round, because Step returns the rounds. A run trains one model; Train trains
// ensembles (Params.NumModels).
func Start(p Params, d *data.Loaded) (*booster.Training, error) {
	valid, err := p.use(d)
	if err != nil {
		return nil, err
	}
	return booster.New(p.Params, treeData(d.Training), valid, p.Options)
}

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
