package lambdamart

import (
	"context"
	"errors"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/tree"
)

// ErrInitialModel means that [Train] was given a different InitialModel than [Load] or [Bin] was.
var ErrInitialModel = errors.New("the data was loaded with another Params.InitialModel: load it with the " +
	"one that training continues from")

// modelBefore returns the model that a training run on d continues from, or nil if there is none. It is an
// error if p.InitialModel is a different one.
func modelBefore(p *Params, d *data.Loaded) (*tree.Ensemble, error) {
	if d.InitialModel != p.InitialModel {
		return nil, ErrInitialModel
	}
	return d.Before, nil
}

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
