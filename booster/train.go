package booster

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/training"
	"github.com/lambdamart/lambdamart/tree"
)

// Options lets a caller observe a run, and train with their own objective and metrics.
type Options struct {
	training.Options

	// Objective is the caller's own objective. If it is not nil, Params.Objective and the parameters of
	// built-in objectives are neither used nor checked, except that LabelGain sets the gains of metrics.
	// [objective.ModelNameOf] returns what the model's file calls the objective.
	Objective objective.Objective

	// Profile, if not nil, receives the times of the phases. Measuring reads the clock a few times for each
	// leaf.
	Profile *Profile

	// TreesBefore is the number of trees of the model that training continues from; their scores are part of
	// the initial scores of the data. Random draws continue after those of these trees, so a run in two parts
	// gives the same trees as a single run, unless active_fraction=auto chooses the share of rows of each tree:
	// it starts anew, since models do not keep what it has measured.
	TreesBefore int
}

// Result is a finished run.
type Result = training.Result[*tree.Ensemble]

// Training is a run that trains one model and that the caller steps: each Step grows a tree. It has the
// methods of [training.Run]. Close it after use.
type Training struct {
	*training.Run[*tree.Ensemble]
	trainer *trainer
	given   Params
	own     objective.Objective // the caller's; nil if there is none
}

// New prepares a run on train that evaluates the sets of valid, in their order, and train itself if
// p.IsTrainingMetric is set. It grows no tree yet, but restores the trees of a checkpoint if o.Checkpoints
// asks for it. Errors describe faults of p, or of the data, such as weights whose ratio is too large for sums
// of integers.
//
// Step returns these errors: a [*NoSplitError] means that not even the first tree has a split; with
// p.AllowConstant it is in the Result, whose model is a constant. A [*GradientError] means that the objective
// gave a row a derivative that cannot be used. It is also an error if gradients are too large for the sums.
//
// An ensemble (p.NumModels above 1) consists of several runs, and [Train] trains it.
func New(p Params, train Data, valid []Data, o Options) (*Training, error) {
	if err := p.ValidateFor(o.Objective, o.Metrics); err != nil {
		return nil, err
	}
	switch {
	case p.NumModels > 1:
		return nil, fmt.Errorf("num_models=%d: a run that is stepped trains one model, and Train trains "+
			"ensembles", p.NumModels)
	case o.Round != nil:
		return nil, errors.New("Options.Round is for Train: Step returns the rounds")
	}
	t := &Training{given: p, own: o.Objective}
	e, err := t.evaluator(&p, train, valid, o)
	if err != nil {
		return nil, err
	}
	if t.trainer, err = t.prepare(&p, train, valid, o); err != nil {
		return nil, err
	}
	if err := t.begin(e, o); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// begin checks that all peers agree, and makes the run.
func (t *Training) begin(e *training.Evaluator, o Options) (err error) {
	if err := t.trainer.checkSame(); err != nil {
		return err
	}
	t.trainer.observe(o.Profile)
	t.Run, err = training.NewRun(e, t.trainer, o.Options)
	return err
}

// evaluator checks parameters and data, and returns the evaluator of the rounds.
func (t *Training) evaluator(p *Params, train Data, valid []Data, o Options) (*training.Evaluator, error) {
	if !p.StopsEarly() {
		p.Patience = 0
	}
	metrics, err := p.Metrics(p.LabelGain, o.Metrics...)
	if err != nil {
		return nil, err
	}
	if err := checkPeers(train, o.Objective, metrics); err != nil {
		return nil, err
	}
	e, err := training.NewEvaluator(&p.Params, p.NumIterations, train, valid, metrics)
	if err != nil {
		return nil, err
	}
	if err := checkBins(train, valid); err != nil {
		return nil, err
	}
	if err := p.checkData(train.Meta); err != nil {
		return nil, err
	}
	if err := p.checkConstraints(train.Meta, o.Objective != nil); err != nil {
		return nil, err
	}
	return e, errors.Join(checkNames(train.Meta.Features), checkWeights(train.Meta), p.checkActive(train.Meta),
		p.checkCategories(train))
}

// prepare returns the trainer of a run.
func (t *Training) prepare(p *Params, train Data, valid []Data, o Options) (*trainer, error) {
	obj := o.Objective
	if obj == nil {
		var err error
		if obj, err = p.newObjective(); err != nil {
			return nil, err
		}
	}
	r, err := newTrainer(p, train, valid, obj)
	if err != nil {
		return nil, err
	}
	r.positions = newPositionBias(p, train.Meta, o.Objective != nil)
	r.before, r.draw, r.own = o.TreesBefore, o.TreesBefore, o.Objective != nil
	return r, nil
}

// Step grows a tree, as [training.Run] describes.
func (t *Training) Step(ctx context.Context) (training.Round, error) {
	t.trainer.clock.lap(PhaseOther)
	round, err := t.Run.Step(ctx)
	if err != nil {
		return round, err
	}
	if len(round.Evaluations) > 0 {
		t.trainer.clock.lap(PhaseValidation)
	}
	t.trainer.clock.iteration()
	return round, nil
}

// Result returns the result of the run so far. If early stopping is on, the model has the trees up to the
// best iteration.
func (t *Training) Result() (*Result, error) {
	r := t.Run.Result()
	r.Constant = t.trainer.constant
	t.trainer.positions.result(r, t.trainer.train.Meta)
	var err error
	r.ActiveShares = t.trainer.control.shares(r.Kept)
	r.Model.Parameters, err = t.given.provenance(t.trainer.train, t.trainer.valid, t.own, t.trainer.before, r)
	return r, err
}

// Close ends the run's goroutines. Models that it returned remain valid.
func (t *Training) Close() { t.trainer.pool.Close() }

// Train steps a run ([New]) to its end, and calls o.Round after each iteration. If ctx is canceled, training
// ends after the current one, and the model so far is returned with the reason [training.Canceled] and no
// error.
//
// If a round fails, the result is that of the rounds before, or nil if there are none. If training panics, or
// a function of o does, the error wraps a [*training.PanicError].
//
// If p.NumModels is above 1, the result is an ensemble of this many models. Members has the results of the
// single runs, Rounds and Kept are their sums, and Evaluations has the metrics of the ensemble. It is an
// error if two models would be the same, or if the scores of models have no common scale. With at most
// 200,000 rows, several models are trained at once, and the functions of o are called for one model after the
// other. If ctx is canceled, the ensemble has the complete models or, if there are none, the first one as
// far as it was trained.
func Train(ctx context.Context, p Params, train Data, valid []Data, o Options) (*Result, error) {
	if p.NumModels > 1 {
		return trainEnsemble(ctx, p, train, valid, o)
	}
	seen := o.Round
	o.Round = nil
	t, err := New(p, train, valid, o)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	return t.toEnd(ctx, t, seen)
}

// toEnd steps a run to its end, and returns the result; after an error, that of the rounds before it.
func (t *Training) toEnd(ctx context.Context, run interface {
	Step(ctx context.Context) (training.Round, error)
	Rounds() []training.Round
}, seen func(training.Round)) (result *Result, err error) {
	if err = training.Loop(ctx, run, seen); err == nil {
		err = training.Catch(len(t.Rounds()), func() (err error) {
			result, err = t.Result()
			return err
		})
	}
	if err != nil {
		return t.rescued(err), err
	}
	return result, nil
}

// rescued returns the result of the rounds before an error, or nil if there are none. It exchanges nothing
// with peers, which may be anywhere: the model does not say then how it was made.
func (t *Training) rescued(err error) *Result {
	rounds := len(t.Rounds())
	if rounds == 0 {
		return nil
	}
	result := t.Run.Result()
	if t.trainer.train.Meta.Part.Group().Size() == 1 {
		_ = training.Catch(rounds, func() error {
			whole, err := t.Result()
			if err == nil {
				result = whole
			}
			return err
		})
	}
	result.Stopped = training.ReasonOf(err)
	return result
}

// features returns the names of the model's columns and the ranges of their values.
func features(train Data) []tree.Feature {
	all := make([]tree.Feature, len(train.Meta.Features))
	for f, name := range train.Meta.Features {
		all[f] = tree.Feature{Name: name, Range: rangeOf(&train.Values.Mapper.Features[f])}
	}
	return all
}

// rangeOf returns a feature's entry in the feature_infos of a LightGBM model: "[min:max]" of the sampled
// values; the categories of all bins, such as "-1:3:0:7", with -1 for bin 0; or "none" for a constant
// feature.
func rangeOf(f *histogram.FeatureBins) string {
	if f.Constant() {
		return "none"
	}
	if f.IsCategorical() {
		text := []byte("-1")
		for _, c := range f.Categories {
			text = strconv.AppendInt(append(text, ':'), int64(c), 10)
		}
		return string(text)
	}
	format := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	return "[" + format(f.Min) + ":" + format(f.Max) + "]"
}

// BinParams returns the part of p by which bins are found.
func (p *Params) BinParams() BinParams {
	b := BinParams{MaxBin: p.MaxBin, MinDataInBin: p.MinDataInBin,
		SampleCount: p.BinConstructSampleCnt, Seed: seedOr(p.DataRandomSeed, p.Seed),
		Categorical: p.CategoricalFeature, MaxBinByFeature: p.MaxBinByFeature,
		Sparse: p.EnableSparse}
	switch {
	case p.UseMissing && p.ZeroAsMissing:
		b.Missing = histogram.MissingZero
	case p.UseMissing:
		b.Missing = histogram.MissingNaN
	}
	return b
}

// AdoptBins sets the binning parameters of p from existing bins. It is the inverse of BinParams, except for
// the seed, which no longer matters.
func (p *Params) AdoptBins(b BinParams) {
	p.MaxBin, p.MinDataInBin, p.BinConstructSampleCnt = b.MaxBin, b.MinDataInBin, b.SampleCount
	p.CategoricalFeature, p.MaxBinByFeature = b.Categorical, b.MaxBinByFeature
	p.EnableSparse = b.Sparse
	p.UseMissing, p.ZeroAsMissing = b.Missing != histogram.MissingNone, b.Missing == histogram.MissingZero
}

// newObjective returns the built-in objective that p names, with its parameters.
func (p *Params) newObjective() (objective.Objective, error) {
	return objective.New(p.Objective, &p.AllParams)
}

// Bins are the bins of the rows of a data set, which package io/data makes of data in any form, and BinParams
// say how they are found.
type (
	Bins      = histogram.Matrix
	BinParams = histogram.BinParams
)

// Data is ranking data whose Values are bins. All data of a run must be loaded together, so that it has the
// bins of the training data.
type Data = training.Data[*Bins]

// checkNames returns an error for names of features that a model file cannot hold.
func checkNames(names []string) error {
	for f, name := range names {
		if fits := dataset.FeatureName(name); name == "" || fits != name {
			return fmt.Errorf("feature %d has the name %q, and names in models have at least one character, no "+
				"blanks and no control characters (dataset.FeatureName replaces them)", f, name)
		}
	}
	return nil
}

// checkBins returns an error for validation data that was binned by another mapper than the training data,
// and for more bins than an int32 can count.
func checkBins(train Data, valid []Data) error {
	if _, bins := train.Values.Mapper.Size(); bins > math.MaxInt32 {
		return fmt.Errorf("the features have %d bins in all, and %d is the most; bin the data with a smaller "+
			"max_bin", bins, math.MaxInt32)
	}
	for _, d := range valid {
		if d.Values.Mapper != train.Values.Mapper {
			return fmt.Errorf("data %q: binned by another mapper than the training data", d.Name)
		}
	}
	return nil
}
