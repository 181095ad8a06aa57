package booster

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/training"
)

// outcome holds the results of a run that an interruption must not change.
type outcome struct {
	model       []byte
	best, kept  int
	value       float64
	stopped     training.StopReason
	rounds      []training.Round
	restored    int // of these, restored from a checkpoint
	checkpoints []training.CheckpointEvent
}

// trainUntil trains and cancels after the round called last; 0 never cancels.
func trainUntil(t *testing.T, p Params, last int, c *training.Checkpoints, data []Data) outcome {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var o outcome
	options := Options{Options: training.Options{Checkpoints: c, Round: func(r training.Round) {
		if r.Restored {
			o.restored++
		} else if r.Number == last {
			cancel()
		}
		r.Seconds, r.Restored = 0, false
		for i := range r.Evaluations {
			e := &r.Evaluations[i].Result // the part that checkpoints store
			*e = metric.Result{Metric: e.Metric, Convention: e.Convention, Rules: e.Rules, Mean: e.Mean,
				Queries: e.Queries, Empty: e.Empty,
				Single: e.Single, Tied: e.Tied, LeftOut: e.LeftOut, Weighted: e.Weighted, Weight: e.Weight}
		}
		o.rounds = append(o.rounds, r)
	}}}
	if c != nil {
		c.Event = func(e training.CheckpointEvent) { o.checkpoints = append(o.checkpoints, e) }
	}
	r, err := Train(ctx, p, data[0], data[1:], options)
	require.NoError(t, err)
	o.model, o.best, o.kept, o.value, o.stopped = append(bytesOf(r.Model), r.Model.Parameters...), r.Best,
		r.Kept, r.BestValue, r.Stopped
	return o
}

// resumed trains, is canceled after a round, and resumes from the checkpoint of that round.
func resumed(t *testing.T, p Params, round int, data []Data) outcome {
	t.Helper()
	c := training.Checkpoints{Path: filepath.Join(t.TempDir(), "c"), Rounds: 1}
	trainUntil(t, p, round, &c, data)
	c.Resume = training.Required
	o := trainUntil(t, p, 0, &c, data)
	assert.Equal(t, round, o.restored)
	return o
}

// fading is a context that is canceled once Err has been called a number of times, by any goroutine.
type fading struct {
	context.Context
	left atomic.Int64
}

func fadingAfter(ctx context.Context, calls int) *fading {
	c := &fading{Context: ctx}
	c.left.Store(int64(calls))
	return c
}

func (c *fading) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestDrawsAreTriedAgain: if a run is canceled between two draws of one round, of which the first gave no
// tree, the first draw is not counted. A resumed run then makes as many draws as an uninterrupted one.
func TestDrawsAreTriedAgain(t *testing.T) {
	p := smallParams()
	p.NumIterations, p.FeatureFraction, p.MinGainToSplit = 100, 0.2, 4
	data := binned(t, &p, randomTable(1, 800))
	// calls of Err per round before the run is canceled: a draw has 42, and the first round two of them
	for _, checks := range []int{0, 20, 41, 42, 60, 82, 100, 150, 200} {
		run, err := New(p, data[0], nil, Options{})
		require.NoError(t, err)
		defer run.Close()
		before := 0
		for err == nil {
			before = run.trainer.draw
			_, err = run.Step(fadingAfter(t.Context(), checks))
		}
		require.ErrorIs(t, err, io.EOF)
		assert.Equal(t, training.Canceled, run.Reason())
		assert.Equal(t, before, run.trainer.draw)
	}
}

// TestForeignCheckpoints: the error for a checkpoint of another run lists the differences, and a checkpoint
// whose scores are not the sums of its trees is refused.
func TestForeignCheckpoints(t *testing.T) {
	p := smallParams()
	train, valid := randomTable(1, 1000), randomTable(2, 200)
	data := binned(t, &p, train, valid)
	c := training.Checkpoints{Path: filepath.Join(t.TempDir(), "c"), Resume: training.Required}
	_, err := Train(t.Context(), p, data[0], data[1:], Options{Options: training.Options{Checkpoints: &c}})
	assert.ErrorIs(t, err, training.ErrNoCheckpoint)
	c.Resume = training.IfPresent
	o := trainUntil(t, p, 4, &c, data)
	require.Equal(t, training.Absent, o.checkpoints[0].Kind)
	require.Equal(t, training.Written, o.checkpoints[1].Kind)

	fails := func(p Params, data []Data, differences ...string) {
		t.Helper()
		for _, c.Resume = range []string{training.Required, training.IfPresent} {
			_, err := Train(t.Context(), p, data[0], data[1:], Options{Options: training.Options{Checkpoints: &c}})
			assert.ErrorIs(t, err, training.ErrCheckpointMismatch)
			assert.ErrorContains(t, err, " is of another training: "+strings.Join(differences, "; ")+"; use what")
		}
	}
	q := p
	q.NumLeaves, q.Metric = 9, nil
	fails(q, data, "num_leaves is 9, and was 8", "metric is \"\", and was ndcg")
	fails(p, data[:1], "validation set set 1 is not there any more")
	more := append(data[:2:2], Data{Name: "more", Meta: data[1].Meta, Values: data[1].Values})
	fails(p, more, "validation set more was not there")
	train.meta.Labels[17]++
	fails(p, data, "training data: labels differ")
	train.meta.Labels[17]--
	ones := func() []float64 { return slices.Repeat([]float64{1}, len(train.meta.Labels)) }
	for fact, change := range map[string]func(*dataset.Meta){
		"weights":        func(m *dataset.Meta) { m.Weights = ones() },
		"initial scores": func(m *dataset.Meta) { m.InitialScores = ones() },
		"second labels":  func(m *dataset.Meta) { m.More = []dataset.Labels{{Name: "other", Values: ones()}} },
		"document ids":   func(m *dataset.Meta) { m.Docs = slices.Repeat([]string{"a"}, len(m.Labels)) },
	} {
		meta := *data[0].Meta
		change(&meta)
		fails(p, []Data{{Meta: &meta, Values: data[0].Values}, data[1]}, "training data: "+fact+" differ")
	}
	valid.values[3][0] += 5
	fails(p, binned(t, &p, train, valid), "validation set set 1: values differ")
	valid.values[3][0] -= 5

	r := trainerAfter(t, &p, 3, data)
	r.trees[1].LeafValue[0] += 1e-9
	state, err := r.State()
	require.NoError(t, err)
	fresh := trainerAfter(t, &p, 0, data)
	assert.ErrorContains(t, fresh.Restore(state, 3), "do not give the scores")
	for n := range state { // no panic, whichever part is missing
		assert.ErrorIs(t, fresh.Restore(state[:n], 3), training.ErrCheckpointDamaged)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestConstraintOnUnknownLabel: the error is about the label that the constraint names, not about the
// objective.
func TestConstraintOnUnknownLabel(t *testing.T) {
	p := smallParams()
	p.Objective, p.Constraint = "lambdarank:1,lambdarank@click:0.01", []string{"ndcg@5@clicks>=0.5"}
	data := binned(t, &p, randomTable(1, 200), randomTable(2, 100))
	for i := range data {
		m := data[i].Meta
		m.More = []dataset.Labels{{Name: "click", Values: m.Labels}}
	}
	err := checkConstraints(&p, data[0].Meta, false)
	assert.ErrorIs(t, err, dataset.ErrNoLabel)
	assert.ErrorContains(t, err, "label clicks: the data has no such label; there are click.")
	p.Constraint = []string{"ndcg@5@click>=0.5"}
	assert.NoError(t, checkConstraints(&p, data[0].Meta, false))
}
