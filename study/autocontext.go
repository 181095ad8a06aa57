package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/tree"
)

// query_context_features=auto chooses the columns of query context as follows. It uses only the training
// data: training runs of at most trialTrees trees are cross-validated by whole queries, on trialFolds folds,
// without query context, with all columns that were asked for, and with the best of these columns.
//
//  1. The best columns are those with the largest gain in the models of the folds, at most as many as the
//     data has features that vary, so an iteration takes at most about twice the time.
//  2. They are used if nDCG@10 rises by more than its standard error over queries, as in a search ([Tune]).
//     Otherwise there is no query context.
//
// On few queries a single cross-validation is too noisy. It is repeated with other folds and seeds until
// trialQueries queries have been evaluated, and each query counts with the mean of its values.
const (
	trialFolds   = 3
	trialTrees   = 50
	trialQueries = 400
	trialRepeats = 5 // largest number of repetitions
	trialErrors  = 1
)

// The errors of query_context_features=auto.
var (
	errAutoStored = errors.New("query_context_features=auto tries columns of query context, which need " +
		"values, and the data is binned: give the text that it was made from, or name the features")
	errAutoStdin = errors.New("query_context_features=auto reads the data several times: save standard " +
		"input to a file")
	errAutoRanks = errors.New("query_context_features=auto cross-validates the training data, which one " +
		"process does: let it choose on a sample of the queries, and name its features")
)

// ErrAutoFolds means that the given folds cannot be combined with query_context_features=auto.
var ErrAutoFolds = errors.New("query_context_features=auto chooses by the judgments of all training " +
	"data, so that the values of folds would be too good: name the features")

// chosenContext is the chosen query context.
type chosenContext struct {
	like   *dataset.Meta // description of data with these columns; nil: none
	remark string        // for the user
}

// ChooseContext tries the query context that o asks for on the training data. It changes o to ask for the
// columns that were chosen, and adds a remark for the user.
func ChooseContext(ctx context.Context, p booster.Params, o *data.LoadOptions, training data.Input) error {
	c, err := choose(ctx, &p, *o, training)
	o.QueryContext, o.QueryContextFeatures, o.ContextOf, o.Choice = nil, "", c.like, c.remark
	return err
}

func choose(ctx context.Context, p *booster.Params, o data.LoadOptions,
	training data.Input) (chosenContext, error) {
	if training.Source == nil && training.Path == "-" {
		return chosenContext{}, errAutoStdin
	}
	if o.Peers.Size() > 1 {
		return chosenContext{}, errAutoRanks
	}
	kinds := o.QueryContext
	o.Loaded, o.InitialModel, o.QueryContext, o.QueryContextFeatures = nil, nil, nil, ""
	t := contextTrial{ctx: ctx, params: trialParams(p), options: o, training: training}
	raw, err := t.run(nil, nil)
	if err != nil {
		return chosenContext{}, err
	}
	whole, err := t.run(kinds, nil)
	if err != nil {
		return chosenContext{}, err
	}
	best := whole.best(raw.varying)
	if best == nil {
		return chosenContext{remark: "no column of query context is used by the models of the folds"}, nil
	}
	few, err := t.run(nil, best)
	if err != nil {
		return chosenContext{}, err
	}
	return decideContext(raw, few, best)
}

// decideContext chooses the columns of best if they improve nDCG@10 by more than its standard error.
func decideContext(raw, few *triedContext, best *dataset.Meta) (chosenContext, error) {
	rises, err := metric.Differences(raw.values, few.values, raw.weights)
	if err != nil {
		return chosenContext{}, fmt.Errorf("query_context_features=auto: %w", err)
	}
	rise, deviation := rises.Mean(), rises.StandardError()
	text := fmt.Sprintf("%d columns of query context change nDCG@10 by %+.4f ± %.4f in cross-validation "+
		"of the training data", len(best.Context.List), rise, deviation)
	if !(rise > float64(trialErrors*deviation)) {
		text += fmt.Sprintf(": that is not proven on %d queries, and none is used", len(rises.Values))
		return chosenContext{remark: text}, nil
	}
	return chosenContext{like: best, remark: text}, nil
}

// trialParams returns the parameters of short training runs. For an ensemble, these are training runs of its
// first model, and all models get the query context chosen with it.
func trialParams(p *booster.Params) booster.Params {
	t := *p
	t.QueryContext, t.QueryContextFeatures = nil, ""
	t.NumIterations = min(t.NumIterations, trialTrees)
	t.Patience, t.StopMetric, t.StopSet, t.IsTrainingMetric, t.AnyMetricStops = 0, "", "", false, false
	if len(t.ModelObjectives) > 0 {
		t.Objective = t.ModelObjectives[0]
	}
	t.NumModels, t.ModelObjectives = 1, nil
	t.Metric, t.EvalAt = []string{"ndcg"}, []int{10}
	return t
}

// contextTrial cross-validates short training runs.
type contextTrial struct {
	ctx      context.Context
	params   booster.Params
	options  data.LoadOptions
	training data.Input
}

// triedContext is the result of one query context.
type triedContext struct {
	meta    *dataset.Meta
	varying int       // features that vary
	values  []float64 // out-of-fold nDCG@10, by query, the mean of the repetitions
	weights []float64 // of the queries; nil: all are equal
	gain    []float64 // of each feature, over the models of all folds
}

// run cross-validates with the given kinds of query context of all features, or with the columns of like.
func (t *contextTrial) run(kinds []string, like *dataset.Meta) (*triedContext, error) {
	t.options.QueryContext, t.options.ContextOf = kinds, like
	d, err := data.Load(t.ctx, t.params.BinParams(), t.options, t.training)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if d.Training.Stored {
		return nil, errAutoStored
	}
	meta := d.Training.Meta
	varying, _ := d.Training.Bins.Mapper.Size()
	done := &triedContext{meta: meta, varying: varying, gain: make([]float64, meta.NumFeatures()),
		values: make([]float64, len(meta.Queries))}
	repeats := min(trialRepeats, 1+(trialQueries-1)/len(meta.Queries))
	for repeat := range repeats {
		if err := t.validate(d.Training, t.params.Seed+uint64(repeat), done); err != nil {
			return nil, fmt.Errorf("query_context_features=auto: %w", err)
		}
	}
	for q := range done.values {
		done.values[q] /= float64(repeats)
	}
	return done, nil
}

// validate cross-validates once, and adds the results to done.
func (t *contextTrial) validate(d *data.Set, seed uint64, done *triedContext) error {
	folds, err := DrawFolds(d.Meta, trialFolds, seed)
	if err != nil {
		return err
	}
	p := t.params
	p.Seed = seed
	train := booster.Data{Name: d.Name, Meta: d.Meta, Values: d.Bins}
	result, err := CrossValidate(t.ctx, p, train, folds, Options{})
	if err != nil {
		return err
	}
	done.weights = result.Judged[0].Weights
	for q, value := range result.Judged[0].PerQuery {
		done.values[q] += value
	}
	for _, fold := range result.Folds {
		for f, gain := range fold.Model.Importance(tree.ByGain) {
			done.gain[f] += gain
		}
	}
	return nil
}

// best returns the description of the data with the columns of query context that have the largest gain, at
// most this many, in the order of all columns. It returns nil if no column has any gain.
func (t *triedContext) best(most int) *dataset.Meta {
	c := t.meta.Context
	order := make([]int, len(c.List))
	for i := range order {
		order[i] = i
	}
	gain := t.gain[c.Raw:]
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(gain[b], gain[a]) })
	order = slices.DeleteFunc(order[:min(most, len(order))], func(i int) bool { return gain[i] <= 0 })
	if len(order) == 0 {
		return nil
	}
	slices.Sort(order)
	chosen := *c
	chosen.List = nil
	for _, i := range order {
		chosen.List = append(chosen.List, c.List[i])
	}
	return &dataset.Meta{Features: t.meta.Features, Context: &chosen}
}
