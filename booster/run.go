package booster

import (
	"context"
	"errors"
	"fmt"

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
// Step returns these errors: [ErrNoSplit] means that not even the first tree has a split; with
// p.AllowConstant it is in the Result, whose model is a constant. [ErrGradient] means that the objective gave
// a row a derivative that cannot be used. It is also an error if gradients are too large for the sums.
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
	if err := checkSame(t.trainer); err != nil {
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
	if err := checkContext(p, train.Meta); err != nil {
		return nil, err
	}
	if err := checkConstraints(p, train.Meta, o.Objective != nil); err != nil {
		return nil, err
	}
	if err := checkPairs(p, o, train, valid, metrics); err != nil {
		return nil, err
	}
	return e, errors.Join(checkNames(train.Meta.Features), checkWeights(train.Meta), checkActive(p, train.Meta),
		checkCategories(p, train))
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
func (t *Training) Result() (r *Result, err error) {
	defer training.Catch(len(t.Rounds()), &err)
	r = t.Run.Result()
	r.Constant = t.trainer.constant
	t.trainer.positions.result(r, t.trainer.train.Meta)
	r.ActiveShares = t.trainer.control.shares(r.Kept)
	r.Model.Parameters, err = t.given.provenance(t.trainer.train, t.trainer.valid, t.own, t.trainer.before, r)
	return r, err
}

// Close ends the run's goroutines. Models that it returned remain valid.
func (t *Training) Close() { t.trainer.pool.Close() }

// toEnd steps a run to its end, and returns the result; after an error, that of the rounds before it.
func (t *Training) toEnd(ctx context.Context, run interface {
	Step(ctx context.Context) (training.Round, error)
	Rounds() []training.Round
}, seen func(training.Round)) (result *Result, err error) {
	if err = training.Loop(ctx, run, seen); err == nil {
		result, err = t.Result()
	}
	if err != nil {
		return t.rescued(err), err
	}
	return result, nil
}

// rescued returns the result of the rounds before an error, or nil if there are none. It exchanges nothing
// with peers, which may be anywhere: the model does not say then how it was made.
func (t *Training) rescued(err error) *Result {
	if len(t.Rounds()) == 0 {
		return nil
	}
	result := t.Run.Result()
	if t.trainer.train.Meta.Part.Group().Size() == 1 {
		if whole, err := t.Result(); err == nil {
			result = whole
		}
	}
	result.Stopped = training.ReasonOf(err)
	return result
}
