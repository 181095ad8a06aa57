package booster

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/training"
	"github.com/lambdamart/lambdamart/tree"
)

// Training is a run that trains one model and that the caller steps: each Step grows a tree. Between calls
// all of its state is in memory, so it can pause for any time. One goroutine at a time may use it. Close it
// after use.
type Training struct {
	run     *rounds.Run[*tree.Ensemble]
	trainer *trainer
	given   Params
	options Options
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
func New(p Params, train Data, valid []Data, o Options) (_ *Training, err error) {
	defer o.use(&err)()
	if err := p.Validate(o.Objective, o.Metrics...); err != nil {
		return nil, err
	}
	switch {
	case p.NumModels > 1:
		return nil, fmt.Errorf("num_models=%d: a run that is stepped trains one model, and Train trains "+
			"ensembles", p.NumModels)
	case o.Round != nil:
		return nil, errors.New("Options.Round is for Train: Step returns the rounds")
	}
	t := &Training{given: p, options: o}
	e, err := evaluator(&p, train, valid, o)
	if err != nil {
		return nil, err
	}
	if t.trainer, err = newTrainer(&p, train, valid, o); err != nil {
		return nil, err
	}
	if err := t.begin(e, o); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// begin checks that all peers agree, and makes the run.
func (t *Training) begin(e *rounds.Evaluator, o Options) (err error) {
	if err := checkSame(t.trainer); err != nil {
		return err
	}
	t.trainer.observe(o.Profile)
	t.run, err = rounds.New(e, t.trainer, o.Options)
	return err
}

// evaluator checks parameters and data, and returns the evaluator of the rounds.
func evaluator(p *Params, train Data, valid []Data, o Options) (*rounds.Evaluator, error) {
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
	e, err := rounds.NewEvaluator(&p.Params, p.NumIterations, train, valid, metrics)
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

// Step grows a tree, and evaluates it if metrics are due. The error is [io.EOF] if there are no more rounds,
// and Reason then returns why. If ctx is canceled, the error is also io.EOF, the reason is
// [training.Canceled], and a checkpoint is written if the run has any. Any other error ends the run: Reason
// then returns [training.Failed] or, after a panic, whose error is [*training.PanicError],
// [training.Panicked].
func (t *Training) Step(ctx context.Context) (round training.Round, err error) {
	defer t.options.use(&err)()
	defer t.run.Guard(&round, &err)
	t.trainer.clock.lap(PhaseOther)
	if err := t.run.Begin(ctx, &round); err != nil {
		return round, err
	}
	reason, err := t.trainer.round(ctx, &round)
	if err := t.run.Finish(&round, reason, err); err != nil {
		return round, err
	}
	if len(round.Evaluations) > 0 {
		t.trainer.clock.lap(PhaseValidation)
	}
	t.trainer.clock.iteration()
	return round, nil
}

// Rounds returns all rounds that are done, as if they were restored from a checkpoint: evaluations have no
// values of single queries.
func (t *Training) Rounds() []training.Round { return t.run.Rounds() }

// Reason returns why there are no more rounds; it is empty as long as there may be more.
func (t *Training) Reason() training.StopReason { return t.run.Reason() }

// Model returns the model as it was after a round, from 1, or as it is now if round is 0. With dart, only
// those of the latest and of the best round are kept. The model does not change when the run continues.
func (t *Training) Model(round int) (*tree.Ensemble, error) {
	m, err := t.run.Model(round)
	if err != nil {
		return nil, err
	}
	return t.options.withBefore(m)
}

// withBefore returns m with the trees of the model that training continues from before its own.
func (o *Options) withBefore(m *tree.Ensemble) (*tree.Ensemble, error) {
	if o.Before == nil {
		return m, nil
	}
	trained := *m
	trained.Features = append([]tree.Feature(nil), trained.Features...)
	for f := range trained.Features { // where the data has no names, those of the model remain
		trained.Features[f].Name = o.Before.Features[f].Name
	}
	sameContext := *o.Before
	sameContext.Context = trained.Context
	joined, err := tree.Join(&sameContext, &trained)
	if err != nil {
		return nil, err
	}
	joined.Objective, joined.LabelIndex, joined.Parameters = trained.Objective, trained.LabelIndex,
		trained.Parameters
	return joined, nil
}

// Checkpoint writes a checkpoint of the latest round, if the run has checkpoints and this one is not yet
// written. A caller that stops stepping a run calls it, so that another run can continue.
func (t *Training) Checkpoint() (err error) {
	defer t.options.use(&err)()
	return t.run.Checkpoint()
}

// Save writes a checkpoint of the state after the latest round. It is an error if no round is done, or if
// Step has failed.
func (t *Training) Save(w io.Writer) (err error) {
	defer t.options.use(&err)()
	return t.run.Save(w)
}

// Restore puts a new run, which has done no round, into the state that Save wrote. The error wraps
// [training.ErrCheckpointMismatch] if Save was called on a run with other data or parameters; for other
// faults it wraps [training.ErrCheckpointDamaged] or [training.ErrCheckpointVersion]. After an error the run
// must not be used.
func (t *Training) Restore(from io.Reader) (err error) {
	defer t.options.use(&err)()
	return t.run.Restore(from)
}

// Result returns the result of the run so far. If early stopping is on, the model has the trees up to the
// best iteration.
func (t *Training) Result() (r *Result, err error) {
	defer t.options.use(&err)()
	defer rounds.Catch(len(t.Rounds()), &err)
	r = t.run.Result()
	r.Constant = t.trainer.constant
	t.trainer.positions.result(r, t.trainer.train.Meta)
	r.ActiveShares = t.trainer.control.shares(r.Kept)
	r.Model.Parameters, err = t.given.provenance(t.trainer.train, t.trainer.valid, t.options.Objective,
		t.trainer.before, r)
	if err == nil {
		r.Model, err = t.options.withBefore(r.Model)
	}
	return r, err
}

// Close ends the run's goroutines. Models that it returned remain valid.
func (t *Training) Close() { t.trainer.pool.Close() }

// ended returns the result of a run whose rounds have ended with this error; nil if there was none.
func (t *Training) ended(err error) (result *Result, _ error) {
	if err == nil {
		result, err = t.Result()
	}
	if err != nil {
		return t.rescued(err)
	}
	return result, nil
}

// rescued returns an error and the result of the rounds before it, or nil if there are none. It exchanges
// nothing with peers, which may be anywhere: the model does not say then how it was made.
func (t *Training) rescued(err error) (result *Result, _ error) {
	if len(t.Rounds()) == 0 {
		return nil, err
	}
	alone, failed := t.trainer.train.Meta.Part.Group().Size() == 1, error(nil)
	if alone {
		result, failed = t.Result()
	}
	if !alone || failed != nil {
		result = t.run.Result()
		result.Model, failed = t.options.withBefore(result.Model)
	}
	if failed != nil {
		return nil, errors.Join(err, failed)
	}
	result.Stopped = rounds.ReasonOf(err)
	return result, err
}
