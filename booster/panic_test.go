package booster

import (
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/peers"
	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/test/aid"
	"github.com/lambdamart/lambdamart/training"
)

// faulty is an objective that panics in a round.
type faulty struct {
	objective.Objective
	in   int
	seed uint64 // of the run
}

func (f *faulty) Gradients(dst objective.Gradients, q objective.Query) {
	if q.Iteration == f.in && q.Seed == f.seed {
		panic("planted")
	}
	f.Objective.Gradients(dst, q)
}

// faultyMetric panics when it has judged some queries.
type faultyMetric struct {
	metric.Metric
	left *int
}

func (f faultyMetric) Query(labels, scores []float64) (float64, bool) {
	if *f.left--; *f.left < 0 {
		panic("planted")
	}
	return f.Metric.Query(labels, scores)
}

// panicRuns are runs of ten rounds that panic after 4 rounds.
func panicRuns(p *Params, valid Data) map[string]func(*Params, *Options) {
	plain := func() objective.Objective { return must(p.newObjective()) }
	return map[string]func(*Params, *Options){
		"objective": func(_ *Params, o *Options) { o.Objective = &faulty{plain(), 5, p.Seed} },
		"workers":   func(p *Params, o *Options) { p.NumThreads, o.Objective = 3, &faulty{plain(), 5, p.Seed} },
		"dart": func(p *Params, o *Options) {
			p.Boosting, p.SkipDrop, o.Objective = DART, 0, &faulty{plain(), 5, p.Seed}
		},
		"metric": func(p *Params, o *Options) {
			p.NumThreads = 1
			left := 5 * len(valid.Meta.Queries) // four rounds, and a check of the labels
			o.Metrics = []metric.Metric{faultyMetric{metric.NDCG(metric.Default(), 10), &left}}
		},
		"round": func(_ *Params, o *Options) {
			o.Round = func(r training.Round) {
				if r.Number == 4 {
					panic("planted")
				}
			}
		},
	}
}

// TestAPanicKeepsTheModel: after a panic, Train returns the model of the rounds before it, and the error
// names the place.
func TestAPanicKeepsTheModel(t *testing.T) {
	p := smallParams()
	data := binned(t, &p, randomTable(1, 2000), randomTable(2, 300))
	for name, change := range panicRuns(&p, data[1]) {
		t.Run(name, func(t *testing.T) {
			q, o := p, Options{}
			change(&q, &o)
			got, err := Train(t.Context(), q, data[0], data[1:], o)
			var panicked *training.PanicError
			require.ErrorAs(t, err, &panicked)
			assert.Equal(t, 4, panicked.Rounds)
			assert.Equal(t, "planted", panicked.Value)
			assert.Contains(t, panicked.Stack[0], "panic_test.go:")
			require.NotNil(t, got)
			assert.Equal(t, training.Panicked, got.Stopped)
			q.NumIterations = 4
			want, err := Train(t.Context(), q, data[0], nil, Options{})
			require.NoError(t, err)
			assert.Equal(t, want.Model.Trees, got.Model.Trees)
		})
	}
}

// TestAPanicInTheFirstRound: there is no model.
func TestAPanicInTheFirstRound(t *testing.T) {
	p := smallParams()
	data := binned(t, &p, randomTable(1, 2000))
	got, err := Train(t.Context(), p, data[0], nil,
		Options{Objective: &faulty{must(p.newObjective()), 1, p.Seed}})
	assert.ErrorContains(t, err, "panic after 0 rounds, in ")
	assert.Nil(t, got)
}

// TestAPanicOfACallbackEndsAnEnsemble: whether models are trained at once or in turn, the caller gets those
// that were complete or, in the first one, its rounds so far.
func TestAPanicOfACallbackEndsAnEnsemble(t *testing.T) {
	p := smallParams()
	p.NumModels, p.FeatureFraction = 3, 0.5
	data := binned(t, &p, randomTable(1, 2000))
	for model, trees := range map[int]int{1: 4, 2: 10, 3: 20} {
		for _, threads := range []int{1, 2, 4} {
			p.NumThreads = threads
			var o Options
			o.Round = func(r training.Round) {
				if r.Model == model && r.Number == 4 {
					panic("planted")
				}
			}
			got, err := Train(t.Context(), p, data[0], nil, o)
			require.ErrorContains(t, err, fmt.Sprintf("model %d of 3: panic after 4 rounds, in ", model))
			require.NotNil(t, got)
			assert.Len(t, got.Model.Trees, trees)
			assert.Equal(t, training.Panicked, got.Stopped)
		}
	}
}

// TestAPanicAfterTraining: the ensemble is returned, although its evaluation has panicked.
func TestAPanicAfterTraining(t *testing.T) {
	p := smallParams()
	p.NumModels, p.FeatureFraction, p.NumThreads = 2, 0.5, 1
	data := binned(t, &p, randomTable(1, 2000), randomTable(2, 300))
	left := 22 * len(data[1].Meta.Queries) // the rounds of both models, and a check of the labels by each
	got, err := Train(t.Context(), p, data[0], data[1:], Options{Options: training.Options{
		Metrics: []metric.Metric{faultyMetric{metric.NDCG(metric.Default(), 10), &left}}}})
	require.ErrorContains(t, err, "panic after 20 rounds, in ")
	require.NotNil(t, got)
	assert.Len(t, got.Model.Trees, 20)
	assert.Equal(t, training.Panicked, got.Stopped)
}

// TestAPanicLeavesNoCheckpoint: after a panic within a round, the state of the run is of no round, and a run
// continues from the checkpoint before.
func TestAPanicLeavesNoCheckpoint(t *testing.T) {
	p := smallParams()
	data := binned(t, &p, randomTable(1, 2000))
	c := &training.Checkpoints{Path: filepath.Join(t.TempDir(), "c"), Rounds: 2}
	run, err := New(p, data[0], nil, Options{Objective: &faulty{must(p.newObjective()), 6, p.Seed},
		Options: training.Options{Checkpoints: c}})
	require.NoError(t, err)
	defer run.Close()
	require.ErrorContains(t, rounds.Loop(t.Context(), run.Rounds(), run.Step, nil), "panic after 5 rounds")
	require.NoError(t, run.Checkpoint())
	assert.ErrorContains(t, run.Save(io.Discard), "panic after 5 rounds")
	c.Resume = training.Required
	again, err := New(p, data[0], nil, Options{Objective: &faulty{must(p.newObjective()), 0, p.Seed},
		Options: training.Options{Checkpoints: c}})
	require.NoError(t, err)
	defer again.Close()
	assert.Len(t, again.Rounds(), 4)
	require.NoError(t, rounds.Loop(t.Context(), again.Rounds(), again.Step, nil))
	got, err := again.Result()
	require.NoError(t, err)
	assert.Equal(t, fit(t, p, randomTable(1, 2000)).Model.Trees, got.Model.Trees)
}

// TestPeersRescueWhatIsComplete: if the objective of one peer panics, that peer and the others have the
// rounds or, of an ensemble, the models that were complete.
func TestPeersRescueWhatIsComplete(t *testing.T) {
	for _, models := range []int{1, 3} {
		p := smallParams()
		p.NumModels, p.FeatureFraction = models, 0.5
		data := binned(t, &p, randomTable(1, 2000))
		in, seed, trees := 5, p.Seed, 4
		if models > 1 {
			seed, trees = p.Seed+1, 10
		}
		var results [3]*Result
		err := aid.Peers(3, func(g peers.Group) (err error) {
			o := &faulty{must(p.newObjective()), in, seed}
			if g.Rank() != 1 {
				o.in = 0
			}
			results[g.Rank()], err = Train(t.Context(), p, divided(g, data)[0], nil, Options{Objective: o})
			return err
		})
		require.ErrorContains(t, err, "rank 1: ")
		require.ErrorContains(t, err, "panic after 4 rounds, in ")
		for rank, r := range results {
			require.NotNil(t, r, "rank %d", rank)
			assert.Len(t, r.Model.Trees, trees)
			assert.Equal(t, bytesOf(results[1].Model), bytesOf(r.Model))
		}
	}
}
