package study

import (
	"context"
	"fmt"
	"io"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/internal/widened"
	modelio "github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/tree"
)

// treeLearner trains boosted trees.
type treeLearner struct {
	params booster.Params
	auto   bool     // parameters that are not set are chosen by the size of the data
	given  []string // names of the parameters that are set
}

// newTrees returns LambdaMART with the defaults of training, but with enough trees for early stopping to end
// it.
func newTrees() *treeLearner {
	p := booster.DefaultParams()
	p.NumIterations, p.Patience = 1000, 50
	return &treeLearner{params: p}
}

func (t *treeLearner) table() param.Table { return t.params.Table() }

func (t *treeLearner) validate() error { return t.params.Validate() }

func (t *treeLearner) train(ctx context.Context, f *splitData, with runTerms) (*fittedRanker, error) {
	p := t.params
	with.setOn(&p.Params)
	p.LabelGain = with.judge.gain
	p.NumIterations = with.limited(p.NumIterations)
	if err := p.CheckContext(); err != nil {
		return nil, err
	}
	data, err := f.bin(ctx, &p)
	if err != nil {
		return nil, &dataError{err}
	}
	if t.auto {
		if _, err := ApplyPreset(PresetAuto, &p, data.train.Meta, true, t.given...); err != nil {
			return nil, err
		}
		p.NumIterations = with.limited(p.NumIterations)
	}
	o := booster.Options{Options: with.options(p.NumIterations)}
	result, err := booster.Train(ctx, p, data.train, []booster.Data{data.vali}, o)
	if err != nil {
		return nil, err
	}
	if len(result.Model.Trees) == 0 {
		return nil, fmt.Errorf("no tree was grown: %s", result.Stopped)
	}
	best, kept := result.Model, result.Kept
	if result.Members == nil {
		best, kept = best.Part(0, result.Best), result.Best
	} else {
		with.judged(kept, result.Evaluations)
	}
	score, err := scorerOf(best)
	if err != nil {
		return nil, err
	}
	return &fittedRanker{score: score, write: func(w io.Writer) error { return modelio.Write(w, best) },
		iterations: result.Rounds, kept: kept, stopped: string(result.Stopped), importance: gainShares(best),
		remark: p.ActiveRemark(data.train.Meta.AllRows())}, nil
}

// scorerOf returns a function that scores a query by a model.
func scorerOf(m *tree.Ensemble) (func(dst, rows []float64) error, error) {
	compiled, err := tree.Compile(m)
	if err != nil {
		return nil, err
	}
	if m.Context == nil {
		return compiled.Score, nil
	}
	used := compiled.UsedFeatures()
	return func(dst, rows []float64) error {
		return compiled.Score(dst, widened.Rows(rows, len(dst), m.Context, used))
	}, nil
}

// gainShares returns the features used by splits, with their shares of the gain.
func gainShares(e *tree.Ensemble) []gainShare {
	gains, total := e.Importance(tree.ByGain), 0.0
	for _, gain := range gains {
		total += gain
	}
	var all []gainShare
	for f, gain := range gains {
		if gain > 0 {
			all = append(all, gainShare{e.Features[f].Name, gain / total})
		}
	}
	return all
}
