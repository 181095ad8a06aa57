package lambdamart

import (
	"context"

	"github.com/lambdamart/lambdamart/crossval"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/preset"
	"github.com/lambdamart/lambdamart/tuning"
)

// Tune searches for parameters on top of p. Trials are judged on the first validation set of d or, if d has
// none, on the folds of its training data. An empty o.Space is replaced by
// one that suits the data ([tuning.DefaultSpace]), and without o.First the settings of preset.Auto are tried first.
// The best parameters and their number of iterations are
// Result.Best.Params:
//
//	r, err := lambdamart.Tune(ctx, p, d, crossval.Folds{}, tuning.Options{Trials: 30})
//	p.Params = r.Best.Params()
//	final, err := lambdamart.Train(ctx, p, d)
//
// Result.Beats says whether that is more than chance explains. [tuning.Search] lists the errors.
func Tune(ctx context.Context, p Params, d *data.Loaded, folds crossval.Folds, o tuning.Options) (*tuning.Result, error) {
	parts, err := partsOf(d, folds)
	if err != nil {
		return nil, err
	}
	if len(o.Space) == 0 {
		if o.Space, err = tuning.DefaultSpace(d.Training.Meta); err != nil {
			return nil, err
		}
	}
	if o.First == nil {
		var settings []param.Setting
		for _, c := range preset.Choose(d.Training.Meta, true) {
			settings = append(settings, c.Setting)
		}
		o.First = append(o.First, settings)
	}
	var r *tuning.Result
	err = d.Guard(func() (err error) {
		r, err = tuning.Search(ctx, p.Params, treeData(d.Training), parts, o)
		return err
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// partsOf returns the parts on which trials are judged.
func partsOf(d *data.Loaded, folds crossval.Folds) ([]crossval.Part, error) {
	train := treeData(d.Training)
	if len(d.Validation) > 0 {
		return []crossval.Part{crossval.WithValidation(train, treeData(d.Validation[0]))}, nil
	}
	return crossval.NewParts(train, folds)
}
