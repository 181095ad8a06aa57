// Package rounds has the parts of training that boosted trees and neural rankers share: rounds, their
// evaluation on sets of data, early stopping, checkpoints, and the parameters for these. A round grows one
// tree (package booster) or is one epoch of a network (package nnbaseline).
//
//	training data and validation sets (training.Data)
//	    │
//	    ▼
//	Run.Begin                the step of a run begins a round
//	    │
//	    ▼
//	the learner              grows a tree, or trains one epoch
//	    │
//	    ▼
//	Run.Finish
//	    │
//	    ▼
//	Learner.Scores           scores of the rows of all evaluated sets
//	    │
//	    ▼
//	Evaluator                metrics of each set; is the round the
//	    │                    best so far by the watched metric?
//	    ▼
//	training.Round           is returned to the caller, who steps again, waits, or asks for the Result
//
// Begin and Finish return io.EOF when all rounds are done, the watched metric has not risen for
// Params.Patience rounds, the context is canceled, or the learner ends training (StopReason). Before a round,
// Begin writes a checkpoint of the previous round if one is due.
//
// A learner implements [Learner]. It makes an [Evaluator] from its data, which checks that the data sets fit
// together, and passes both to [New]. For checkpoints it implements [Resumable] too.
package rounds

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/training"
)

// Learner is the part of training a model of type M that differs between trees and networks. A [Run] calls it
// from one goroutine at a time.
type Learner[M any] interface {
	// Scores returns the scores of all rows of each set that is evaluated: of the training data, if
	// Params.IsTrainingMetric is set, and of the validation sets in their order. The caller only reads them,
	// before the next round.
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
	files   *keeper   // nil: without checkpoints
	begun   time.Time // the latest round
	reason  training.StopReason
	failed  error
}

// New returns a run that has done no round yet or, if o.Checkpoints asks for it, the rounds of a
// checkpoint. With checkpoints, the run writes them as they become due, and l must be [Resumable]. New
// uses only Checkpoints of o; the caller, who makes e and l and steps the run, handles the other fields. The
// error is about checkpoints, or about data that cannot be evaluated, such as labels that a metric cannot
// judge.
func New[M any](e *Evaluator, l Learner[M], o training.Options) (*Run[M], error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	r := &Run[M]{history: history{evaluator: e}, learner: l}
	r.resumable, _ = l.(Resumable)
	if o.Checkpoints == nil {
		return r, nil
	}
	if r.resumable == nil {
		return nil, fmt.Errorf("%w: %T", training.ErrNotResumable, l)
	}
	var err error
	if r.files, err = newKeeper(o.Checkpoints, &r.history); err != nil {
		return nil, err
	}
	r.reason, err = r.files.resume()
	return r, err
}

// Begin begins the next round, which the learner then does, and [Run.Finish] ends. The caller defers
// [Run.Guard] before. The error is [io.EOF] if there are no more rounds, and Reason then returns why. If ctx
// is canceled, the error is also io.EOF: the reason is [training.Canceled], and a checkpoint is written if
// the run has any. Another error is that of an earlier round, or of writing a checkpoint.
func (r *Run[M]) Begin(ctx context.Context, round *training.Round) error {
	switch {
	case r.failed != nil:
		return r.failed
	case r.reason != "":
		return io.EOF
	}
	if err := r.files.saveIfDue(); err != nil {
		return err
	}
	switch {
	case r.done() == r.evaluator.rounds:
		return r.end(training.Finished)
	case r.evaluator.part.Group().Any(ctx.Err() != nil):
		return r.end(training.Canceled)
	}
	r.begun, round.Number = time.Now(), r.done()+1
	return nil
}

// Finish ends a round, and evaluates it if metrics are due. reason and err are what the learner returned: a
// reason other than "" ends training, as in Begin, and means that the round was not done, or only in part.
// Other errors come from the learner, from [metric.Evaluate] or from writing a checkpoint.
func (r *Run[M]) Finish(round *training.Round, reason training.StopReason, err error) error {
	switch {
	case err != nil:
		return err
	case reason != "":
		return r.end(reason)
	}
	stop, err := r.judge(round)
	if err != nil {
		return err
	}
	round.Seconds = time.Since(r.begun).Seconds()
	if stop {
		r.reason = training.StoppedEarly
	}
	return r.note(round)
}

// Guard is to be deferred by whoever does a round. An error other than [io.EOF] ends the run: Reason then
// returns [training.Failed] or, after a panic, for which it sets err to a [*training.PanicError],
// [training.Panicked].
func (r *Run[M]) Guard(round *training.Round, err *error) {
	if Caught(recover(), r.done(), err); *err == nil {
		return
	}
	*round = training.Round{}
	if *err != io.EOF {
		r.reason, r.failed = ReasonOf(*err), *err
	}
}

// end ends the run. It returns io.EOF, or the error of writing the checkpoint of a canceled run.
func (r *Run[M]) end(reason training.StopReason) error {
	r.reason = reason
	if reason == training.Canceled {
		if err := r.Checkpoint(); err != nil {
			return err
		}
	}
	return io.EOF
}

// judge evaluates a round if metrics are due, and reports whether training should end.
func (r *Run[M]) judge(round *training.Round) (stop bool, err error) {
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

// Save writes a checkpoint of the state after the latest round, in the format of the files of
// [training.Checkpoints]. It is an error if no round is done, or if Step has failed, which may leave a part
// of a round. The error wraps [training.ErrNotResumable] if the learner has no checkpoints.
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
func (r *Run[M]) Rounds() []training.Round {
	all := make([]training.Round, r.done())
	for number := range all {
		all[number] = r.restored(number)
	}
	return all
}

// Reason returns why there are no more rounds; it is empty as long as there may be more.
func (r *Run[M]) Reason() training.StopReason { return r.reason }

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
func (r *Run[M]) Result() *training.Result[M] {
	e, done := r.evaluator, r.done()
	all := &training.Result[M]{Rounds: done, Kept: done, Stopped: r.reason}
	if w := e.decides; w.round > 0 {
		all.Best, all.BestValue = w.round, e.rising(e.placeOf(w), w.value)
		all.Watched = e.metrics[w.metric].Name() + " on " + e.sets[w.set].name
	}
	kept := 0
	if e.params.Patience > 0 || e.bounds.all != nil || r.reason == training.Exploded {
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

// Loop does the rounds of a run until step returns io.EOF. It calls seen, unless that is nil, for each round,
// first for those that were restored from a checkpoint.
func Loop(ctx context.Context, restored []training.Round, step func(context.Context) (training.Round, error),
	seen func(training.Round)) error {
	show := func(round training.Round) (err error) {
		defer Catch(round.Number, &err)
		if seen != nil {
			seen(round)
		}
		return nil
	}
	for _, round := range restored {
		if err := show(round); err != nil {
			return err
		}
	}
	for {
		round, err := step(ctx)
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

// ReasonOf returns the reason why a run ended with an error: [training.Panicked] or [training.Failed].
func ReasonOf(err error) training.StopReason {
	var panicked *training.PanicError
	if errors.As(err, &panicked) {
		return training.Panicked
	}
	return training.Failed
}

// Catch is to be deferred. It sets err to a [*training.PanicError] if the function panics; rounds is the
// number of rounds that are complete. A fault in memory that was mapped from a file remains a panic:
// whoever mapped the file knows which one it was.
func Catch(rounds int, err *error) { Caught(recover(), rounds, err) }

// Caught is what [Catch] does with the value of a panic; nil is none.
func Caught(v any, rounds int, err *error) {
	var fault interface{ Addr() uintptr }
	switch cause, _ := v.(error); {
	case v == nil:
	case errors.As(cause, &fault):
		panic(v)
	default:
		*err = panicOf(v, rounds)
	}
}

// panicOf returns the error for the value of a panic. It is called while the stack that panicked is still
// there; that of another goroutine is in the value.
func panicOf(v any, rounds int) *training.PanicError {
	if worker, ok := v.(*par.Panic); ok {
		return &training.PanicError{Value: worker.Value, Stack: framesOf(string(worker.Stack)), Rounds: rounds}
	}
	buffer := make([]byte, 1<<16)
	stack := framesOf(string(buffer[:runtime.Stack(buffer, false)]))
	return &training.PanicError{Value: v, Stack: stack, Rounds: rounds}
}

// framesOf returns the functions of a stack that debug.Stack has formatted, from the one that panicked on.
func framesOf(stack string) (frames []string) {
	lines := strings.Split(stack, "\n")
	for i := 1; i+1 < len(lines); i += 2 {
		name := lines[i]
		if end := strings.LastIndexByte(name, '('); end > 0 {
			name = name[:end]
		}
		if name == "panic" { // the frames before are those of handling it
			frames = nil
			continue
		}
		at, _, _ := strings.Cut(strings.TrimSpace(lines[i+1]), " +0x")
		frames = append(frames, strings.TrimPrefix(name, "created by ")+" "+at)
	}
	for len(frames) > 0 && strings.HasPrefix(frames[0], "runtime.") { // such as goPanicIndex
		frames = frames[1:]
	}
	return frames
}
