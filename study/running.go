package study

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/training"
	"github.com/lambdamart/lambdamart/tree"
)

// partRun is the run on one part. It does a round when it is asked for one, and waits between rounds with all
// of its state in memory, so that continuing costs nothing.
type partRun struct {
	part    *part
	params  booster.Params // Patience is 0: all parts stop together
	options booster.Options
	own     Own
	entry   *jobEntry // where it is kept
	metric  string    // name of the one that decides

	// nil before the first round and after the last one, and for what an earlier study has finished
	run *booster.Training

	values   []float64 // of the metric on the validation queries after each round
	restored int       // of these rounds, those of a checkpoint
	weight   float64   // of the validation queries that the metric counts
	seconds  float64
	ended    bool // there are no more rounds

	model   *tree.Ensemble // of a finished run
	stopped training.StopReason
}

// validName is the name of the validation queries of a part in its run.
const validName = "valid"

// advance does rounds until this many are done, or there are no more.
func (r *partRun) advance(ctx context.Context, rounds int, seen func(training.Round)) error {
	for !r.ended && len(r.values) < rounds && ctx.Err() == nil {
		if err := r.round(ctx, seen); err != nil {
			return fmt.Errorf("fold %s: %w", r.part.Name, err)
		}
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case r.ended && len(r.values) == 0:
		return fmt.Errorf("fold %s: %w: %s", r.part.Name, errNoTree, r.stopped)
	}
	return nil
}

// round does the next round; the first time, it takes those of a checkpoint as done.
func (r *partRun) round(ctx context.Context, seen func(training.Round)) error {
	if r.run == nil {
		if err := r.begin(); err != nil {
			return err
		}
		for _, round := range r.run.Rounds() {
			r.take(round, seen)
		}
		return nil
	}
	round, err := r.run.Step(ctx)
	switch {
	case err == io.EOF:
		r.ended, r.stopped = true, r.run.Reason()
		return nil
	case err != nil:
		return err
	}
	r.take(round, seen)
	return nil
}

// begin prepares the run.
func (r *partRun) begin() (err error) {
	o := r.options
	o.Objective, o.Metrics = r.own.NewObjective(), r.own.Metrics
	valid := r.part.validData()
	valid.Name = validName
	r.run, err = booster.New(r.params, r.part.trainData(), []booster.Data{valid}, o)
	return err
}

// take notes a round that was done.
func (r *partRun) take(round training.Round, seen func(training.Round)) {
	r.values = append(r.values, r.judged(round).Mean)
	if round.Restored {
		r.restored++
	}
	r.seconds += round.Seconds
	seen(round)
}

// errNoTree is wrapped by the error for a part on which no tree can be grown.
var errNoTree = errors.New("no tree was grown")

// judged returns the result of the metric that decides; those of the caller may be before it.
func (r *partRun) judged(round training.Round) metric.Result {
	decides := func(e training.Evaluation) bool { return e.Result.Metric == r.metric }
	return round.Evaluations[max(0, slices.IndexFunc(round.Evaluations, decides))].Result
}

// storedFold is a finished fold in a store.
type storedFold struct {
	Values  []float64 `json:"values"` // of the metric after each iteration
	Seconds float64   `json:"seconds"`
	Stopped string    `json:"stopped"`
	Model   string    `json:"model"` // text of all trees
}

// load takes what an earlier study has finished, and reports whether it has.
func (r *partRun) load() (bool, error) {
	var f storedFold
	found, err := r.entry.load(&f, func() bool { return len(f.Values) > 0 })
	if err != nil || !found {
		return false, err
	}
	r.values, r.seconds, r.ended, r.stopped = f.Values, f.Seconds, true, training.StopReason(f.Stopped)
	if r.model, _, err = model.Read(strings.NewReader(f.Model)); err != nil {
		return false, fmt.Errorf("fold %s, of an earlier run: %w", r.part.Name, err)
	}
	return true, nil
}

// save keeps what is finished.
func (r *partRun) save() error {
	if r.entry == nil {
		return nil
	}
	var text strings.Builder
	if err := model.Write(&text, r.model); err != nil {
		return err
	}
	return r.entry.save(storedFold{r.values, r.seconds, string(r.stopped), text.String()})
}

// finish ends the run, keeps what it did, and releases its memory but for the model.
func (r *partRun) finish() error {
	if r.run == nil {
		return nil
	}
	defer r.release()
	result, err := r.run.Result()
	if err != nil {
		return fmt.Errorf("fold %s: %w", r.part.Name, err)
	}
	r.model, r.stopped = result.Model, result.Stopped
	return r.save()
}

// close ends the run where it is. If it has checkpoints, one is written, so that another one can continue.
func (r *partRun) close() {
	if r.run != nil {
		_ = r.run.Checkpoint() // one that cannot be written only costs time
		r.release()
	}
}

// release gives the memory of the run back, which does no more rounds.
func (r *partRun) release() {
	r.run.Close()
	r.run, r.ended = nil, true
}

// value returns the value after a round, from 1. A training run that has ended keeps its last one.
func (r *partRun) value(round int) float64 { return r.values[min(round, len(r.values))-1] }
