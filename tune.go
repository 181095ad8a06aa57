package lambdamart

import (
	"context"
	"fmt"

	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/study"
	"github.com/lambdamart/lambdamart/study/tuning"
)

// Tune searches for parameters on top of p. Trials are judged on the first validation set of d or, if d has
// none, on the folds of its training data. An empty o.Space, and o.First and o.Average with it, are replaced
// by what suits the data ([tuning.Suggest]): the result is a mean of models then, where models have one.
// Result.Params has what was found, with the numbers of iterations:
//
//	r, err := lambdamart.Tune(ctx, p, d, study.Folds{}, tuning.Options{Trials: 30})
//	p.Params = r.Params()
//	final, err := lambdamart.Train(ctx, p, d)
//
// If p.QueryContextFeatures is "auto", query context has to earn its place in the search (o.EarnContext). d
// has to be loaded without that "auto" then, and the final training is on d.WithoutContext() unless
// r.Context.Taken.
//
// Result.Beats says whether that is more than chance explains. [tuning.Search] lists the errors.
func Tune(ctx context.Context, p Params, d *data.Loaded, folds study.Folds, o tuning.Options) (*tuning.Result, error) {
	o.EarnContext = o.EarnContext || p.choosesContext()
	parts, err := partsOf(d, folds)
	if err != nil {
		return nil, err
	}
	if len(o.Space) == 0 {
		usual, err := tuning.Suggest(&p.Params, d.Training.Meta)
		if err != nil {
			return nil, err
		}
		o.Space, o.First, o.Average = usual.Space, usual.First, usual.Average
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
func partsOf(d *data.Loaded, folds study.Folds) ([]study.Part, error) {
	train := treeData(d.Training)
	if len(d.Validation) > 0 {
		if valid := d.Validation[0]; !valid.Meta.AnyPairs() {
			return nil, fmt.Errorf("%s: in none of the queries is a document more relevant than another, so nothing can be "+
				"judged by it; give validation data with judgments", valid.Name)
		}
		return []study.Part{study.WithValidation(train, treeData(d.Validation[0]))}, nil
	}
	return study.NewParts(train, folds)
}
