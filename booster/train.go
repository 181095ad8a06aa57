package booster

import (
	"context"
	"fmt"
	"time"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/histogram"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/tree"
)

// Hooks let a caller watch a training. Nil hooks are not called. They run
// between iterations, on the goroutine that called Train.
type Hooks struct {
	Round func(Round) // after every iteration

	// Profile, if not nil, is told where the time goes. It costs some clock
	// readings a leaf.
	Profile *Profile
}

// Round is what one iteration did.
type Round struct {
	Iteration   int // from 1
	Leaves      int // of its tree
	Seconds     float64
	Evaluations []Evaluation // empty unless metrics are due (Params.MetricFreq)
}

// Evaluation is a metric on a set of data after an iteration.
type Evaluation struct {
	Set    string // Data.Name
	Result metric.Result
}

// Result is a finished training.
type Result struct {
	Model      *tree.Ensemble // the trees up to Best if early stopping is on, all of them otherwise
	Iterations int            // trees grown
	Stopped    StopReason

	// Of the watched metric (Params.StopRule) on the watched set
	// (Params.StopSet); zero and empty if there is none.
	Best      int // iteration, from 1
	BestValue float64
	Watched   string // such as "ndcg@10 on vali.txt"
}

// Train fits a model to train. It evaluates on all valid sets, in their order,
// and on train itself if Params.IsTrainingMetric is set.
//
// If ctx is cancelled, training ends after the iteration at hand, and the model
// so far is returned with the reason [Cancelled] and no error. A
// [*NoSplitError] tells that not even the first tree has a split.
//
// obj is the objective; if it is nil, the built-in one that p names. Where obj is given,
// p.Objective and the parameters of built-in objectives are neither used nor checked
// (LabelGain decides the gains of metrics all the same). [objective.ModelName] says what the
// model's file will call the objective.
func Train(ctx context.Context, p Params, train Data, valid []Data, obj objective.Objective, hooks Hooks) (*Result, error) {
	obj, err := p.objectiveOr(obj)
	if err != nil {
		return nil, err
	}
	if err := checkData(train, valid); err != nil {
		return nil, err
	}
	e, err := newEvaluator(&p, train, valid)
	if err != nil {
		return nil, err
	}
	t, err := newTrainer(&p, train, valid, obj)
	if err != nil {
		return nil, err
	}
	defer t.close()
	t.observe(hooks.Profile)
	reason, err := run(ctx, t, e, hooks)
	if err != nil {
		return nil, err
	}
	return t.result(reason, e), nil
}

// objectiveOr checks the parameters, and returns the objective that is given or, if it is nil, the
// one that p names.
func (p *Params) objectiveOr(given objective.Objective) (objective.Objective, error) {
	if given != nil {
		return given, p.validateRest()
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return p.NewObjective()
}

// run does the iterations and returns why it stopped.
func run(ctx context.Context, t *trainer, e *evaluator, hooks Hooks) (StopReason, error) {
	for iteration := 1; iteration <= t.params.NumIterations; iteration++ {
		if ctx.Err() != nil {
			return Cancelled, nil
		}
		start := time.Now()
		grown, err := t.step()
		switch {
		case err != nil:
			return "", err
		case !grown && iteration == 1:
			return "", t.whyNoSplit()
		case !grown:
			return NoSplitsRemain, nil
		}
		round := Round{Iteration: iteration, Leaves: t.trees[iteration-1].NumLeaves()}
		stop := false
		if e.due(iteration) {
			if round.Evaluations, stop, err = e.evaluate(iteration, t); err != nil {
				return "", err
			}
			t.watch.lap(PhaseValidation)
		}
		round.Seconds = time.Since(start).Seconds()
		if hooks.Round != nil {
			hooks.Round(round)
		}
		t.watch.iteration()
		if stop {
			return StoppedEarly, nil
		}
	}
	return Finished, nil
}

// result packs up the model.
func (t *trainer) result(reason StopReason, e *evaluator) *Result {
	r := &Result{Iterations: len(t.trees), Stopped: reason}
	if e.watches() {
		r.Best, r.BestValue, r.Watched = e.stop.iteration, e.stop.value, e.watched()
	}
	trees := t.trees
	if t.params.Patience > 0 && r.Best > 0 {
		trees = trees[:r.Best]
	}
	r.Model = &tree.Ensemble{Trees: trees, Objective: objective.ModelName(t.objective.Name()), Features: features(t.train), LabelIndex: t.train.Meta.LabelColumn}
	return r
}

// features names the model's columns and their ranges.
func features(train Data) []tree.Feature {
	all := make([]tree.Feature, len(train.Meta.Features))
	for f, name := range train.Meta.Features {
		all[f] = tree.Feature{Name: name, Range: train.Bins.Mapper.Features[f].Range()}
	}
	return all
}

// checkData finds data that do not fit together.
func checkData(train Data, valid []Data) error {
	for i, d := range append([]Data{train}, valid...) {
		switch {
		case d.Meta.NumRows() == 0:
			return fmt.Errorf("data %q: no rows", d.Name)
		case d.Meta.NumRows() != d.Bins.NumRows():
			return fmt.Errorf("data %q: %d labels for %d binned rows", d.Name, d.Meta.NumRows(), d.Bins.NumRows())
		case d.Bins.Mapper != train.Bins.Mapper:
			return fmt.Errorf("data %q: binned by another mapper than the training data", d.Name)
		}
		for _, other := range valid[:max(0, i-1)] {
			if other.Name == d.Name {
				return fmt.Errorf("data %q: two validation sets of that name", d.Name)
			}
		}
	}
	return nil
}

// BinParams returns the part of p that package histogram needs.
func (p *Params) BinParams() histogram.BinParams {
	b := histogram.BinParams{MaxBin: p.MaxBin, MinDataInBin: p.MinDataInBin, SampleCount: p.BinConstructSampleCnt, Seed: p.Seed}
	switch {
	case p.UseMissing && p.ZeroAsMissing:
		b.Missing = histogram.MissingZero
	case p.UseMissing:
		b.Missing = histogram.MissingNaN
	}
	return b
}

// NewObjective returns the built-in objective that p names, with its parameters.
func (p *Params) NewObjective() (objective.Objective, error) {
	return objective.New(p.Objective, &p.AllParams)
}

// MemoryEstimate returns about how many bytes Train takes for rows of training
// data, with the bins of all data included.
func MemoryEstimate(p *Params, m *histogram.Mapper, train *dataset.Meta, valid ...*dataset.Meta) int {
	const (
		perRow = 8 + 8 + 16 + 4 + 4 // label, score, gradients, bag, leaf
		perSum = 8                  // of a bin
	)
	rows := train.NumRows()
	share := p.ActiveFraction.of(rows)
	active := int(share * float64(rows))
	bytes := m.Bytes(rows) + rows*perRow + active*(8+16) + p.NumLeaves*m.NumBins()*perSum
	bytes += m.Bytes(active) // planes
	if share < 1 {
		bytes += m.Bytes(active) // gathered
	}
	for _, v := range valid {
		bytes += m.Bytes(v.NumRows()) + v.NumRows()*(8+8+4)
	}
	return bytes
}
