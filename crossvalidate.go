package lambdamart

import (
	"context"

	"github.com/lambdamart/lambdamart/crossval"
	"github.com/lambdamart/lambdamart/io/data"
)

// CrossValidate trains on all folds of the training data of d but one, as often as there are folds, and
// judges each fold by the model that has not seen it. The result has the best number of iterations, the
// mean with its interval, out-of-fold scores and the models of the folds; Result.Average is their mean
// as one model, and Result.Final the parameters of a training on all data:
//
//	folds, err := crossval.Draw(d.Training.Meta, 5, 0)
//	r, err := lambdamart.CrossValidate(ctx, p, d, folds, crossval.Options{})
//	p.Params = r.Final(p.Params)
//	final, err := lambdamart.Train(ctx, p, d)
//
// With boosting=dart, the best number of iterations is p.NumIterations, and Patience is refused. Validation
// sets of d are not used. [crossval.Run] lists the errors.
func CrossValidate(ctx context.Context, p Params, d *data.Loaded, folds crossval.Folds, o crossval.Options) (*crossval.Result, error) {
	if p.choosesContext() {
		return nil, errAutoFolds
	}
	if err := crossval.Check(&p.Params); err != nil {
		return nil, err
	}
	var r *crossval.Result
	err := d.Guard(func() (err error) {
		r, err = crossval.Run(ctx, p.Params, treeData(d.Training), folds, o)
		return err
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}
