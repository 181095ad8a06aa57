package lambdamart

import (
	"context"

	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/study"
)

// Tune searches for parameters on top of p. Trials are judged on the first validation set of d or, if d has
// none, on the folds of its training data. If o.Space is empty, a space that suits the data is searched, and,
// if the models can be averaged, the result is a mean of models. Result.Params returns the best parameters,
// with the number of iterations:
//
//	r, err := lambdamart.Tune(ctx, p, d, study.Folds{}, study.TuneOptions{Trials: 30})
//	p.Params = r.Params()
//	final, err := lambdamart.Train(ctx, p, d)
//
// Result.Beats reports whether the gain is larger than chance would explain. [study.Tune] lists the errors.
func Tune(ctx context.Context, p Params, d *data.Loaded, folds study.Folds,
	o study.TuneOptions) (_ *study.TuneResult, err error) {
	defer d.Guard(&err)()
	return study.Tune(ctx, p.Params, judged(d, folds), o)
}

// Select finds the features that training runs with p need. Sets of features are judged on the first
// validation set of d or, if d has none, on the folds of its training data:
//
//	r, err := lambdamart.Select(ctx, p, d, study.Folds{}, study.SelectOptions{})
//	fmt.Println(r.Features())
//	p.Params = r.Params()
//	final, err := lambdamart.Train(ctx, p, d.Narrow(r.Chosen.Features))
//
// The validation value of the chosen set is too optimistic, because its queries were used to choose the set.
// [study.Select] lists the errors.
func Select(ctx context.Context, p Params, d *data.Loaded, folds study.Folds,
	o study.SelectOptions) (_ *study.SelectResult, err error) {
	defer d.Guard(&err)()
	return study.Select(ctx, p.Params, judged(d, folds), o)
}

// Curve trains on shares of the training queries of d, to show whether more queries would help. Shares are
// judged on the first validation set of d or, if d has none, on the folds. If a share fails, the error
// describes it, and the result of the others is returned as well.
func Curve(ctx context.Context, p Params, d *data.Loaded, folds study.Folds,
	o study.CurveOptions) (_ *study.CurveResult, err error) {
	defer d.Guard(&err)()
	return study.Curve(ctx, p.Params, judged(d, folds), o)
}

// Tradeoff trains with mixtures of the objectives o.A and o.B, and shows how well each does by the metrics of
// both. They are judged as in [Curve].
func Tradeoff(ctx context.Context, p Params, d *data.Loaded, folds study.Folds,
	o study.TradeoffOptions) (_ *study.TradeoffResult, err error) {
	defer d.Guard(&err)()
	return study.Tradeoff(ctx, p.Params, judged(d, folds), o)
}

// judged returns the training data of a study, judged by the first validation set or, if there is none, by
// folds.
func judged(d *data.Loaded, folds study.Folds) study.Data {
	all := study.Data{Train: treeData(d.Training), Folds: folds}
	if len(d.Validation) > 0 {
		valid := treeData(d.Validation[0])
		all.Valid = &valid
	}
	return all
}

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
	o study.Options) (_ *study.CVResult, err error) {
	defer d.Guard(&err)()
	return study.CrossValidate(ctx, p.Params, treeData(d.Training), folds, o)
}
