package lambdamart

import (
	"context"

	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/study"
)

// CrossValidate trains one model per fold, on all other folds of the training data of d, and judges each fold
// by the model that has not seen it. The result has the best number of iterations, the mean metric with its
// confidence interval, out-of-fold scores and the models of the folds; Result.Average combines these models
// into one that returns their mean, and Result.Final returns the parameters for a training run on all data:
//
//	folds, err := study.DrawFolds(d.Training.Meta, 5, 0)
//	r, err := lambdamart.CrossValidate(ctx, p, d, folds, study.Options{})
//	p.Params = r.Final(p.Params)
//	final, err := lambdamart.Train(ctx, p, d)
//
// With boosting=dart, the best number of iterations is p.NumIterations, and Patience is refused. Validation
// sets of d are not used. [study.CrossValidate] lists the errors.
func CrossValidate(ctx context.Context, p Params, d *data.Loaded, folds study.Folds,
	o study.Options) (*study.CVResult, error) {
	if p.ChoosesContext() {
		return nil, study.ErrAutoFolds
	}
	var r *study.CVResult
	err := d.Guard(func() (err error) {
		r, err = study.CrossValidate(ctx, p.Params, treeData(d.Training), folds, o)
		return err
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}
