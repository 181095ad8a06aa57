package booster

import (
	"context"
	"errors"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/histogram"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/training"
	"github.com/lambdamart/lambdamart/tree"
)

// Options lets a caller observe a training, and evaluate metrics of their own.
type Options struct {
	training.Options

	// Profile receives the times of the phases, unless it is nil. Measuring reads the clock a few
	// times for each leaf.
	Profile *Profile

	// TreesBefore is the number of trees of the model that training continues from; their scores are
	// part of the initial scores of the data. Random draws are those of the iterations after them, so
	// that no bag is drawn again, and a training in two parts is the same as one in whole.
	TreesBefore int
}

// Result is a finished training.
type Result = training.Result[*tree.Ensemble]

// Train fits a model to train by the objective obj or, if that is nil, by the built-in one that
// p.Objective names. It evaluates on all valid sets, in their order, and on train itself if
// p.IsTrainingMetric is set. If early stopping is on, the model keeps the trees up to the best
// iteration.
//
// If ctx is cancelled, training ends after the current iteration, and the model so far is returned
// with the reason [training.Cancelled] and no error. A [*NoSplitError] means that not even the first
// tree has a split; with p.AllowConstant it is in the Result, whose model is a constant. A [*GradientError]
// means that the objective gave a row a derivative that cannot be used. A [*WeightError] or an [*OverflowError] means that weights or gradients lie too far apart or are
// too large for the arithmetic. Other errors describe faults of p, or data that do not fit together.
//
// If p.NumModels is above 1, the result is an ensemble of this many models. Its Members are the results of
// single trainings, Rounds and Kept their sums, and Evaluations its metrics. An [*EnsembleError] says that
// models would not be different, or have no common scale. With few rows, models are trained at once, and
// the functions of o are called later for all but the first ([AtOnce]). If ctx is cancelled, the ensemble has the
// first models, as far as all were complete, or what there is of the first one.
//
// If obj is given, p.Objective and the parameters of built-in objectives are neither used nor
// checked, except that LabelGain decides the gains of metrics. [objective.ModelNameOf] returns what the
// model's file calls the objective.
func Train(ctx context.Context, p Params, train Data, valid []Data, obj objective.Objective, o Options) (*Result, error) {
	if err := p.validateFor(obj, o.Metrics); err != nil {
		return nil, err
	}
	if err := p.checkRanks(train, obj, o.Metrics); err != nil {
		return nil, err
	}
	if p.NumModels > 1 {
		return trainEnsemble(ctx, p, train, valid, obj, o)
	}
	given := p
	if !p.StopsEarly() {
		p.Patience = 0
	}
	metrics, err := p.Metrics(o.Metrics...)
	if err != nil {
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
	if err := errors.Join(checkNames(train.Meta.Features), checkWeights(train.Meta), p.checkActive(train.Meta), p.checkForest(train, valid, o.TreesBefore), p.checkCategories(train)); err != nil {
		return nil, err
	}
	own := obj
	if own == nil {
		if obj, err = p.NewObjective(); err != nil {
			return nil, err
		}
	}
	t, err := newTrainer(&p, train, valid, obj)
	if err != nil {
		return nil, err
	}
	t.positions = newPositionBias(&p, train.Meta, obj, own != nil)
	t.before, t.draw = o.TreesBefore, o.TreesBefore
	defer t.close()
	if err := t.checkSame(); err != nil {
		return nil, err
	}
	if err := e.Check(); err != nil {
		return nil, err
	}
	t.observe(o.Profile)
	o.Round = t.timed(o.Round)
	r, err := training.Run(ctx, e, t, o.Options)
	if err != nil {
		return nil, err
	}
	r.Constant = t.constant
	t.positions.result(r, train.Meta)
	r.Model.Parameters, err = given.provenance(train, valid, own, o.TreesBefore, r)
	return r, err
}

// features returns the names of the model's columns and the ranges of their values.
func features(train Data) []tree.Feature {
	all := make([]tree.Feature, len(train.Meta.Features))
	for f, name := range train.Meta.Features {
		all[f] = tree.Feature{Name: name, Range: train.Values.Mapper.Features[f].Range()}
	}
	return all
}

// BinParams returns the part of p that package histogram needs.
func (p *Params) BinParams() histogram.BinParams {
	b := histogram.BinParams{MaxBin: p.MaxBin, MinDataInBin: p.MinDataInBin, SampleCount: p.BinConstructSampleCnt, Seed: p.DataRandomSeed.or(p.Seed), Categorical: p.CategoricalFeature, MaxBinByFeature: p.MaxBinByFeature, ForcedBinsFilename: p.ForcedBinsFilename, Sparse: p.EnableSparse}
	switch {
	case p.UseMissing && p.ZeroAsMissing:
		b.Missing = histogram.MissingZero
	case p.UseMissing:
		b.Missing = histogram.MissingNaN
	}
	return b
}

// AdoptBins gives p the parameters of bins that are stored already: it is the inverse of BinParams, but
// for the seed, which no longer matters.
func (p *Params) AdoptBins(b histogram.BinParams) {
	p.MaxBin, p.MinDataInBin, p.BinConstructSampleCnt = b.MaxBin, b.MinDataInBin, b.SampleCount
	p.CategoricalFeature, p.MaxBinByFeature, p.ForcedBinsFilename = b.Categorical, b.MaxBinByFeature, b.ForcedBinsFilename
	p.EnableSparse = b.Sparse
	p.UseMissing, p.ZeroAsMissing = b.Missing != histogram.MissingNone, b.Missing == histogram.MissingZero
}

// NewObjective returns the built-in objective that p names, with its parameters.
func (p *Params) NewObjective() (objective.Objective, error) {
	return objective.New(p.Objective, &p.AllParams)
}

// MemoryEstimate returns about how many bytes a training on these data takes, including the bins of
// all data.
func MemoryEstimate(p *Params, m *histogram.Mapper, train *dataset.Meta, valid ...*dataset.Meta) int {
	s := ShapeOf(m, train.NumRows())
	bytes := s.memoryOfRows(p, s.Rows) + p.mostOpen()*s.Bins*bytesOfSum
	for _, v := range valid {
		bytes += m.Bytes(v.NumRows()) + v.NumRows()*(8+8+4)
	}
	return bytes
}
