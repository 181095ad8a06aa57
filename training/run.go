package training

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
)

// Learner is the part of training a model of type M that differs between trees and networks. A [Run] calls it
// from one goroutine at a time.
type Learner[M any] interface {
	// Round does round r.Number and sets the fields of r that are specific to this kind of learner. A reason
	// other than "" ends training and means that the round was not done, or only in part.
	Round(ctx context.Context, r *Round) (StopReason, error)

	// Scores returns the scores of all rows of each set that is evaluated: of the training data, if
	// Params.IsTrainingMetric is set, and of the validation sets in their order. The caller only reads them,
	// before the next call of Round.
	Scores() ([][]float64, error)

	// See is called after a round in which the watched metric was evaluated, with its value and
	// whether that round is the best so far.
	See(round int, value float64, best bool)

	// Model returns the model as it was after the given round, or as it is now if round is 0. Unless
	// KeepsRounds returns true, round is 0 or the latest round for which See was called with best.
	Model(round int) M

	// KeepsRounds reports whether the model of every round is still available after later rounds.
	KeepsRounds() bool
}

// Run is a training run that advances by one round at each call of Step. Between calls all of its state is in
// memory, so it can pause for any time. Its learner and its evaluator must not be used by another run. One
// goroutine at a time may use it.
type Run[M any] struct {
	history
	learner Learner[M]
	files   *keeper // nil: without checkpoints
	reason  StopReason
	failed  error
}

// NewRun returns a run that has done no round yet or, if o.Checkpoints asks for it, the rounds of a
// checkpoint. With checkpoints, the run writes them as they become due, and l must be [Resumable]. NewRun
// uses only Checkpoints of o; the caller, who makes e and l and steps the run, handles the other fields. The
// error is about checkpoints, or about data that cannot be evaluated, such as labels that a metric cannot
// judge.
func NewRun[M any](e *Evaluator, l Learner[M], o Options) (*Run[M], error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	r := &Run[M]{history: history{evaluator: e}, learner: l}
	r.resumable, _ = l.(Resumable)
	if o.Checkpoints == nil {
		return r, nil
	}
	if r.resumable == nil {
		return nil, fmt.Errorf("%w: %T", ErrNotResumable, l)
	}
	var err error
	if r.files, err = newKeeper(o.Checkpoints, &r.history); err != nil {
		return nil, err
	}
	r.reason, err = r.files.resume()
	return r, err
}

// Step does the next round, and evaluates it if metrics are due. The error is [io.EOF] if there are no more
// rounds, and Reason then returns why. If ctx is canceled, the error is also io.EOF: the reason is
// [Canceled], the learner may have abandoned its round, and a checkpoint is written if the run has any. Other
// errors come from the learner, from [metric.Evaluate] or from writing a checkpoint, and end the run: Reason
// then returns [Failed] or, after a panic, whose error is [*PanicError], [Panicked].
func (r *Run[M]) Step(ctx context.Context) (round Round, err error) {
	if r.failed != nil {
		return round, r.failed
	}
	defer func() {
		if err != nil && err != io.EOF {
			round, r.reason, r.failed = Round{}, ReasonOf(err), err
		}
	}()
	defer Catch(r.done(), &err)
	if r.reason != "" {
		return round, io.EOF
	}
	if err := r.files.saveIfDue(); err != nil {
		return round, err
	}
	switch {
	case r.done() == r.evaluator.rounds:
		return round, r.end(Finished)
	case r.evaluator.part.Group().Any(ctx.Err() != nil):
		return round, r.end(Canceled)
	}
	start := time.Now()
	round.Number = r.done() + 1
	if reason, err := r.learner.Round(ctx, &round); reason != "" || err != nil {
		if err == nil {
			err = r.end(reason)
		}
		return Round{}, err
	}
	stop, err := r.judge(&round)
	if err != nil {
		return round, err
	}
	round.Seconds = time.Since(start).Seconds()
	if stop {
		r.reason = StoppedEarly
	}
	return round, r.note(&round)
}

// end ends the run. It returns io.EOF, or the error of writing the checkpoint of a canceled run.
func (r *Run[M]) end(reason StopReason) error {
	r.reason = reason
	if reason == Canceled {
		if err := r.Checkpoint(); err != nil {
			return err
		}
	}
	return io.EOF
}

// judge evaluates a round if metrics are due, and reports whether training should end.
func (r *Run[M]) judge(round *Round) (stop bool, err error) {
	e := r.evaluator
	if !e.due(round.Number) {
		return false, nil
	}
	scores, err := r.learner.Scores()
	if err != nil {
		return false, err
	}
	if round.Evaluations, err = e.Evaluate(scores); err != nil {
		return false, err
	}
	mean := func(place int) float64 { return round.Evaluations[place].Result.Mean }
	if l, ok := any(r.learner).(constrained); ok && e.bounds.all != nil {
		round.Bounds = e.bounds.after(mean, l.Weights())
		parts, _ := e.bounds.shortfalls(mean)
		l.Shortfalls(parts)
	}
	if !e.Watches() {
		return false, nil
	}
	value := mean(e.placeOf(e.decides))
	best, stop := e.see(round.Number, mean)
	r.learner.See(round.Number, value, best)
	return stop, nil
}

// Checkpoint writes a checkpoint of the latest round, if the run has checkpoints and this one is not yet
// written. A caller that stops stepping a run calls it, so that another run can continue. After an error of
// Step it writes nothing, because the learner may have done a part of a round.
func (r *Run[M]) Checkpoint() error {
	if r.failed != nil {
		return nil
	}
	return r.files.saveLatest()
}

// Save writes a checkpoint of the state after the latest round, in the format of the files of [Checkpoints].
// It is an error if no round is done, or if Step has failed, which may leave a part of a round. The error
// wraps [ErrNotResumable] if the learner has no checkpoints.
func (r *Run[M]) Save(w io.Writer) error {
	if r.failed != nil {
		return fmt.Errorf("a run that has failed has no checkpoint: %w", r.failed)
	}
	b, err := r.encode()
	if err == nil {
		_, err = w.Write(b)
	}
	return err
}

// done returns the number of rounds that are done, including the rounds of the checkpoint that the run
// continued from.
func (r *Run[M]) done() int { return len(r.header.Rounds) }

// Rounds returns all rounds that are done, as if they were restored from a checkpoint: evaluations have no
// values of single queries.
func (r *Run[M]) Rounds() []Round {
	all := make([]Round, r.done())
	for number := range all {
		all[number] = r.restored(number)
	}
	return all
}

// Reason returns why there are no more rounds; it is empty as long as there may be more.
func (r *Run[M]) Reason() StopReason { return r.reason }

// Model returns the model as it was after a round, from 1, or as it is now if round is 0. It is an error if
// the round is not done, or if the learner no longer has its model; it always keeps the models of the latest
// and the best round. The model may share memory with the run, but does not change when the run continues.
func (r *Run[M]) Model(round int) (M, error) {
	var none M
	switch {
	case round < 0 || round > r.done():
		return none, fmt.Errorf("there is no model of round %d: %s %s done", round,
			wording.Count(r.done(), "round"), wording.Agree(r.done(), "is", "are"))
	case round == r.evaluator.decides.round || r.learner.KeepsRounds():
		return r.learner.Model(round), nil
	case round == 0 || round == r.done():
		return r.learner.Model(0), nil
	}
	return none, fmt.Errorf("the model of round %d is not kept: only that of the latest round (%d) and of "+
		"the best one (%d) are", round, r.done(), r.evaluator.decides.round)
}

// Result returns the result so far. Its model is that of the best round if early stopping is on, there are
// constraints, or the loss exploded, and the latest one otherwise.
func (r *Run[M]) Result() *Result[M] {
	e, done := r.evaluator, r.done()
	all := &Result[M]{Rounds: done, Kept: done, Stopped: r.reason}
	if w := e.decides; w.round > 0 {
		all.Best, all.BestValue = w.round, e.rising(e.placeOf(w), w.value)
		all.Watched = e.metrics[w.metric].Name() + " on " + e.sets[w.set].name
	}
	kept := 0
	if e.params.Patience > 0 || e.bounds.all != nil || r.reason == Exploded {
		kept = all.Best
	}
	if kept == 0 && r.failed != nil && r.learner.KeepsRounds() {
		kept = done // the learner may have done a part of the next round
	}
	if kept > 0 {
		all.Kept = kept
	}
	all.Model = r.learner.Model(kept)
	if e.bounds.all != nil && all.Kept > 0 {
		all.Bounds = r.restored(all.Kept - 1).Bounds
	}
	return all
}

// Loop steps a run to its end. It calls seen, unless that is nil, for each round, first for those that were
// restored from a checkpoint.
func Loop(ctx context.Context, r interface {
	Step(ctx context.Context) (Round, error)
	Rounds() []Round
}, seen func(Round)) error {
	show := func(round Round) (err error) {
		defer Catch(round.Number, &err)
		if seen != nil {
			seen(round)
		}
		return nil
	}
	for _, round := range r.Rounds() {
		if err := show(round); err != nil {
			return err
		}
	}
	for {
		round, err := r.Step(ctx)
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		if err := show(round); err != nil {
			return err
		}
	}
}

// Round describes one round of a training run, which grew a tree or was an epoch of a network.
type Round struct {
	Number      int          // from 1
	Model       int          // of an ensemble, from 1; 0 if there is only one model
	Seconds     float64      // including evaluation
	Evaluations []Evaluation // empty if none are due (Params.MetricFreq)

	Bounds []Bound // the constraints of the run

	// Restored means that the round was done by an earlier run, whose checkpoint this one continued
	// from. Its evaluations have no values of single queries.
	Restored bool

	// For a tree; 0 for an epoch.
	Leaves int

	// For an epoch; 0 for a tree.
	Loss         float64 // mean over the queries trained on, each computed in its step
	LearningRate float64 // of its last step
	Documents    int     // number of documents trained on
}

// Evaluation is a metric on a set of data after a round.
type Evaluation struct {
	Set    string // Data.Name
	Result metric.Result
}

// Options lets a caller observe a training run, and evaluate additional metrics. The zero value does neither,
// and nil functions are not called. Functions run on the goroutine that called Train, which waits for them,
// except that the second and later models of an ensemble may be trained before the calls for them.
type Options struct {
	// Round is called after every round, and for the rounds that a checkpoint restored.
	Round func(Round)

	// Step is called after every step of an epoch with the epoch's number, from 1, the
	// number of its queries that are done, and the number of all its queries. Trees
	// have no steps.
	Step func(round, done, of int)

	// Metrics are evaluated after those that Params.Metric names. Their names must be distinct, and
	// Params.StopMetric may be one of them; larger values are better.
	Metrics []metric.Metric

	// Checkpoints lets a training run that was interrupted continue; nil: there are none.
	Checkpoints *Checkpoints
}

// Result is the result of a training run of a model of type M.
type Result[M any] struct {
	// Model is the state of the best round if early stopping is on or there are constraints, and of the last
	// round otherwise.
	Model M

	Rounds int // number of rounds that were completed
	Kept   int // the round whose state Model has

	// Constant is the reason why all documents have the same score, which is an error unless a parameter
	// allows it; nil if scores differ.
	Constant error

	Stopped StopReason

	// About the watched metric (Params.StopRule) on the watched set (Params.StopSet). All are zero if nothing
	// is watched, or if training ended before the first evaluation.
	Best      int // round, from 1
	BestValue float64
	Watched   string // such as "ndcg@10 on vali.txt"

	// PositionBiases are what training has learned about the positions of the training data
	// (dataset.Meta.Positions), in all rounds; nil if there are none, or if the objective does not use them.
	PositionBiases []PositionBias

	// ActiveShares are the shares of the rows that the trees of Model grew on, in their order, if training chose
	// them; otherwise nil.
	ActiveShares []float64

	Bounds []Bound // the constraints, as they are in Model; nil if there are none

	// For an ensemble of several models; nil for a single model. Its members have Best, BestValue and Watched.
	Members     []Member[M]
	Evaluations []Evaluation // of the ensemble, as in a Round
}

// PositionBias is the amount that a position adds to a document's score in the model of clicks.
type PositionBias struct {
	Position string
	Bias     float64
}

// Member is a model of an ensemble.
type Member[M any] struct {
	Result[M] // of the run of this model alone

	Objective string
	Seed      uint64
	Spread    float64 // standard deviation of the scores within queries of the training data
	Factor    float64 // that multiplies the model's values in the ensemble
}

// StopReason is the reason why training ended.
type StopReason string

// The values of StopReason.
const (
	Finished       StopReason = "all iterations done"
	StoppedEarly   StopReason = "stopped early"
	Canceled       StopReason = "cancelled"
	NoSplitsRemain StopReason = "no split gains any more" // of trees
	Panicked       StopReason = "panic"                   // with a [*PanicError]
	Failed         StopReason = "error"                   // with another error
	Exploded       StopReason = "the loss exploded"       // of networks
)

// ReasonOf returns the reason why a run ended with an error: [Panicked] or [Failed].
func ReasonOf(err error) StopReason {
	var panicked *PanicError
	if errors.As(err, &panicked) {
		return Panicked
	}
	return Failed
}
