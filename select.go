package lambdamart

import (
	"context"

	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/study"
	"github.com/lambdamart/lambdamart/study/selection"
)

// Select finds the features that trainings with p need, by backward elimination. Sets of features are judged
// on the first validation set of d or, if d has none, on the folds of its training data:
//
//	r, err := lambdamart.Select(ctx, p, d, study.Folds{}, selection.DefaultOptions())
//	fmt.Println(r.Features())
//	p.Params = r.Params()
//	final, err := lambdamart.Train(ctx, p, d.Narrow(r.Has))
//
// The validation value of the chosen set flatters, since these queries have chosen it: o.Test is for queries
// that have not. [selection.Run] lists the errors.
func Select(ctx context.Context, p Params, d *data.Loaded, folds study.Folds, o selection.Options) (*selection.Result, error) {
	parts, err := partsOf(d, folds)
	if err != nil {
		return nil, err
	}
	var r *selection.Result
	err = d.Guard(func() (err error) {
		r, err = selection.Run(ctx, p.Params, treeData(d.Training), parts, o)
		return err
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}
