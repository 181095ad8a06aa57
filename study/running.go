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

// partRun is the run on one part. Between rounds, all of its state is in memory, so continuing costs nothing.
type partRun struct {
	part    *part
	params  booster.Params // Patience is 0: all parts stop together
	options booster.Options
	own     Own
	entry   *jobEntry // its place in the store
	metric  string    // name of the decisive metric
	mix     *mix      // with which it decides; nil: alone

	// nil before the first round, after the last one, and if an earlier study has finished the run
	run *booster.Training

	values   []float64 // of the metric on the validation queries after each round
	restored int       // rounds taken from a checkpoint
	weight   float64   // of the validation queries that the metric counts
	seconds  float64
	ended    bool // no more rounds follow

	model   *tree.Ensemble // of a finished run
	stopped training.StopReason
}

// validName is the name of the validation queries of a part in its run.
const validName = "valid"

// advance does rounds until the given number of rounds is done or the run has ended.
func (r *partRun) advance(ctx context.Context, rounds int, seen func(training.Round)) error {
	for !r.ended && len(r.values) < rounds && ctx.Err() == nil {
		err := training.Catch(len(r.values), func() error { return r.round(ctx, seen) })
		if err != nil {
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

// round does the next round. The first call counts the rounds of a checkpoint as done.
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
	if r.mix != nil {
		o.Metrics = append(slices.Clip(o.Metrics), r.mix.metric)
	}
	valid := r.part.validData()
	valid.Name = validName
	r.run, err = booster.New(r.params, r.part.trainData(), []booster.Data{valid}, o)
	return err
}

// take records a round.
func (r *partRun) take(round training.Round, seen func(training.Round)) {
	value := judged(round, r.metric).Mean
	if r.mix != nil {
		value = r.mix.of(value, judged(round, r.mix.metric.Name()).Mean)
	}
	r.values = append(r.values, value)
	if round.Restored {
		r.restored++
	}
	r.seconds += round.Seconds
	seen(round)
}

// errNoTree is wrapped by the error for a part on which no tree can be grown.
var errNoTree = errors.New("no tree was grown")

// judged returns the result of the metric of that name, which may follow the caller's own metrics.
func judged(round training.Round, name string) metric.Result {
	decides := func(e training.Evaluation) bool { return e.Result.Metric == name }
	return round.Evaluations[max(0, slices.IndexFunc(round.Evaluations, decides))].Result
}

// storedFold is a finished fold in a store.
type storedFold struct {
	Values  []float64 `json:"values"` // of the metric after each iteration
	Seconds float64   `json:"seconds"`
	Stopped string    `json:"stopped"`
	Model   string    `json:"model"` // text of all trees
}

// load loads the result of a fold that an earlier study has finished, and reports whether there is one.
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

// save keeps the finished fold.
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

// finish ends the run, keeps its result, and releases its memory except the model.
func (r *partRun) finish() error {
	if r.run == nil {
		return nil
	}
	defer r.release()
	var result *booster.Result
	err := training.Catch(len(r.values), func() (err error) {
		result, err = r.run.Result()
		return err
	})
	if err != nil {
		return fmt.Errorf("fold %s: %w", r.part.Name, err)
	}
	r.model, r.stopped = result.Model, result.Stopped
	return r.save()
}

// close ends the run. If it has checkpoints, it writes one from which the run can continue.
func (r *partRun) close() {
	if r.run != nil {
		_ = r.run.Checkpoint() // a failure only costs time later
		r.release()
	}
}

// release releases the memory of the run, which cannot do further rounds.
func (r *partRun) release() {
	r.run.Close()
	r.run, r.ended = nil, true
}

// value returns the value after a round, from 1. A run that has ended keeps its last value.
func (r *partRun) value(round int) float64 { return r.values[min(round, len(r.values))-1] }
