package study

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/training"
	"github.com/lambdamart/lambdamart/tree"
)

// partRun is the run on one part. Between rounds, all of its state is in memory, so continuing costs nothing.
type partRun struct {
	joint *jointRun // of which it is a part
	part  *part
	entry *jobEntry // its place in the store

	// nil before the first round, after the last one, and if an earlier study has finished the run
	run *booster.Training

	values  []float64 // of the metric on the validation queries after each round
	seconds float64
	ended   bool // no more rounds follow

	model   *tree.Ensemble // of a finished run
	stopped training.StopReason
}

// advance does rounds until this many are done or the run has ended. The first call prepares the run, and
// counts the rounds of a checkpoint as done. A run that has done all rounds releases its memory.
func (r *partRun) advance(to int) (err error) {
	defer func() {
		if v := recover(); v != nil {
			rounds.Caught(v, len(r.values), &err)
			err = r.named(err)
		}
	}()
	ctx := r.joint.study.ctx
	for err == nil && !r.ended && len(r.values) < to && ctx.Err() == nil {
		if r.run == nil {
			err = r.begin()
			continue
		}
		var round training.Round
		switch round, err = r.run.Step(ctx); err {
		case nil:
			r.take(round)
		case io.EOF:
			r.ended, r.stopped, err = true, r.run.Reason(), nil
		}
	}
	switch {
	case err != nil:
		return r.named(err)
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case r.ended && len(r.values) == 0:
		return r.named(fmt.Errorf("%w: %s", errNoTree, r.stopped))
	case to == r.joint.params.NumIterations:
		return r.finish()
	}
	return nil
}

// named returns an error of the part, with its name.
func (r *partRun) named(err error) error { return fmt.Errorf("%s: %w", r.part.called(), err) }

// begin prepares the run.
func (r *partRun) begin() (err error) {
	b, valid := r.joint.study, r.part.validData()
	var o booster.Options
	o.Objective, o.Checkpoints = b.own.NewObjective(), r.entry.checkpoints()
	o.Metrics = slices.Concat(b.own.Metrics, b.deciding()[1:])
	valid.Name = "valid"
	if r.run, err = booster.New(r.joint.inner, r.part.trainData(), []booster.Data{valid}, o); err != nil {
		return err
	}
	restored := r.run.Rounds()
	if len(restored) > 0 {
		b.log.Info(fmt.Sprintf("%s continues after iteration %d, from its checkpoint", r.part.called(),
			len(restored)))
	}
	for _, round := range restored {
		r.take(round)
	}
	return nil
}

// take records and reports a round.
func (r *partRun) take(round training.Round) {
	t, by := r.joint, r.joint.study.deciding()
	value := t.study.value(judged(round, by[0].Name()).Mean, judged(round, by[len(by)-1].Name()).Mean)
	r.values, r.seconds = append(r.values, value), r.seconds+round.Seconds
	t.progress(Progress{Round: round, Part: r.part.Name, Done: int(t.shown.Add(1)),
		Of: len(t.parts) * t.params.NumIterations})
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
func (r *partRun) load() (found bool) {
	var f storedFold
	found = r.entry.load(&f, func() (complete bool) {
		var err error
		r.model, _, err = model.Read(strings.NewReader(f.Model))
		return err == nil && len(f.Values) > 0
	})
	if found {
		r.values, r.seconds, r.ended, r.stopped = f.Values, f.Seconds, true, training.StopReason(f.Stopped)
	}
	return found
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
	result, err := r.run.Result()
	if err != nil {
		return r.named(err)
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

// judge evaluates the model of the run after a round, from 1.
func (r *partRun) judge(round int) (f fittedPart, err error) {
	defer rounds.Catch(len(r.values), &err)
	b := r.joint.study
	f.Model = r.model.Part(0, round)
	if err := f.score(r.part.validData(), r.joint.inner.NumThreads, b.deciding()...); err != nil {
		return f, err
	}
	value := b.value(f.Result.Mean, f.Other.Mean)
	// dart adds up scores in another order, so rounding may break or create ties
	if was := r.value(round); math.Abs(value-was) > 1e-6 && !r.joint.lastDecides() {
		return f, fmt.Errorf("%s: the first %s have %s %.6f, and training had %.6f after as many "+
			"iterations: it changes trees after they were grown, so that no iteration before the last has a model; "+
			"leave that out", r.part.called(), wording.Count(round, "tree"), b.metric.Name(), value, was)
	}
	return f, nil
}
