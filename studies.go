package lambdamart

import (
	"context"
	"fmt"

	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/study"
)

// Tune searches for parameters on top of p. Trials are judged on the first validation set of d or, if d has
// none, on the folds of its training data. An empty o.Space, and o.First and o.Average with it, are replaced
// by what suits the data ([study.SuggestTuning]): the result is a mean of models then, where models have one.
// Result.Params has what was found, with the numbers of iterations:
//
//	r, err := lambdamart.Tune(ctx, p, d, study.Folds{}, study.TuneOptions{Trials: 30})
//	p.Params = r.Params()
//	final, err := lambdamart.Train(ctx, p, d)
//
// If p.QueryContextFeatures is "auto", query context has to earn its place in the search (o.EarnContext). d
// has to be loaded without that "auto" then, and the final training is on d.WithoutContext() unless
// r.Context.Taken.
//
// Result.Beats says whether that is more than chance explains. [study.Tune] lists the errors.
func Tune(ctx context.Context, p Params, d *data.Loaded, folds study.Folds,
	o study.TuneOptions) (*study.TuneResult, error) {
	o.EarnContext = o.EarnContext || p.ChoosesContext()
	return studied(d, folds, func(parts []study.Part) (*study.TuneResult, error) {
		if len(o.Space) == 0 {
			usual, err := study.SuggestTuning(&p.Params, d.Training.Meta)
			if err != nil {
				return nil, err
			}
			o.Space, o.First, o.Average = usual.Space, usual.First, usual.Average
		}
		return study.Tune(ctx, p.Params, parts, o)
	})
}

// Select finds the features that trainings with p need, by backward elimination. Sets of features are judged
// on the first validation set of d or, if d has none, on the folds of its training data:
//
//	r, err := lambdamart.Select(ctx, p, d, study.Folds{}, study.DefaultSelectOptions())
//	fmt.Println(r.Features())
//	p.Params = r.Params()
//	final, err := lambdamart.Train(ctx, p, d.Narrow(r.Has))
//
// The validation value of the chosen set flatters, since these queries have chosen it: o.Test is for queries
// that have not. [study.Select] lists the errors.
func Select(ctx context.Context, p Params, d *data.Loaded, folds study.Folds,
	o study.SelectOptions) (*study.SelectResult, error) {
	return studied(d, folds, func(parts []study.Part) (*study.SelectResult, error) {
		return study.Select(ctx, p.Params, parts, o)
	})
}

// Curve trains on shares of the training queries of d, to show whether more queries would help. Shares are
// judged on the first validation set of d or, if d has none, on the folds. A share that fails is in the
// error, beside the result of the others.
func Curve(ctx context.Context, p Params, d *data.Loaded, folds study.Folds,
	o study.CurveOptions) (*study.CurveResult, error) {
	return studied(d, folds, func(parts []study.Part) (*study.CurveResult,
		error) {
		return study.Curve(ctx, p.Params, parts, o)
	})
}

// studied does a study on the parts of the data: its folds, or all of it and the first validation set.
func studied[R any](d *data.Loaded, folds study.Folds, do func(parts []study.Part) (R, error)) (result R,
	err error) {
	train := treeData(d.Training)
	var parts []study.Part
	switch {
	case len(d.Validation) == 0:
		parts, err = study.NewParts(train, folds)
	case !d.Validation[0].Meta.AnyPairs():
		err = fmt.Errorf("%s: in none of the queries is a document more relevant than another, so nothing can be "+
			"judged by it; give validation data with judgments", d.Validation[0].Name)
	default:
		parts = []study.Part{study.WithValidation(train, treeData(d.Validation[0]))}
	}
	if err != nil {
		return result, err
	}
	guarded := d.Guard(func() error {
		result, err = do(parts)
		return err
	})
	return result, guarded
}
