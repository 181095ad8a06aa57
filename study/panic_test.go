package study

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/training"
)

// faulty is an objective that panics in a round, in one run.
type faulty struct {
	objective.Objective
	in   int
	mine bool
}

func (f *faulty) Gradients(dst objective.Gradients, q objective.Query) {
	if q.Iteration == f.in && f.mine {
		panic("planted")
	}
	f.Objective.Gradients(dst, q)
}

// faultyOnce returns objectives of which the one with this number, from 0, panics in a round.
func faultyOnce(t testing.TB, p *booster.Params, number, round int) Own {
	var made atomic.Int64
	return Own{Objective: func() objective.Objective {
		obj, err := objective.New(p.Objective, &p.AllParams)
		require.NoError(t, err)
		return &faulty{obj, round, made.Add(1)-1 == int64(number)}
	}}
}

// TestAPanicInAFold: the other folds are kept, and so is the checkpoint of the fold, from which the same call
// continues to the same result.
func TestAPanicInAFold(t *testing.T) {
	d, p := randomData(t, 1, 60), params()
	f := draw(t, d, 3, 7)
	want := everything(t, run(t, p, d, f, Options{Own: faultyOnce(t, &p, -1, 0)}))
	for number := range 4 { // the first one is made to check the parameters
		o := Options{Own: faultyOnce(t, &p, number, 20), Keep: &Store{Folder: t.TempDir(), Interval: 1}}
		_, err := CrossValidate(t.Context(), p, Data{Train: d, Folds: f}, o)
		if number > 0 {
			require.ErrorContains(t, err, "panic after 19 rounds, in ")
			require.ErrorContains(t, err, "panic_test.go:")
		}
		o.Own = faultyOnce(t, &p, -1, 0)
		log, said := logged()
		o.Log = log
		assert.Equal(t, want, everything(t, run(t, p, d, f, o)))
		if number > 0 {
			assert.Contains(t, said.String(), "3 folds, 2 of them done before")
			assert.Regexp(t, "fold . continues after iteration 1[0-9], from its checkpoint", said.String())
		}
	}
}

// TestAPanicOfAListener ends a cross-validation with an error, and not the program.
func TestAPanicOfAListener(t *testing.T) {
	d, p := randomData(t, 1, 60), params()
	_, err := CrossValidate(t.Context(), p, inFolds(t, d, 3, 7), Options{Progress: func(p Progress) {
		if p.Number == 4 {
			panic("planted")
		}
	}})
	var panicked *training.PanicError
	require.ErrorAs(t, err, &panicked)
	assert.Equal(t, "planted", panicked.Value)
}

// faultyMetric panics once the rounds of a run are done, when only models of folds are judged.
type faultyMetric struct {
	metric.Metric
	done *atomic.Bool
}

func (m faultyMetric) Name() string { return "own" }

func (m faultyMetric) Query(labels, scores []float64) (float64, bool) {
	if m.done.Load() {
		panic("planted")
	}
	return m.Metric.Query(labels, scores)
}

// TestAPanicOfAMetric in the evaluation of a finished fold's model ends a cross-validation with an error.
func TestAPanicOfAMetric(t *testing.T) {
	d, p := randomData(t, 1, 60), params()
	m := faultyMetric{metric.NDCG(metric.Default(), 5), new(atomic.Bool)}
	p.StopMetric = "own"
	o := Options{Own: Own{Metrics: []metric.Metric{m}}}
	o.Progress = func(p Progress) { m.done.Store(p.Done == p.Of) }
	_, err := CrossValidate(t.Context(), p, inFolds(t, d, 3, 7), o)
	require.ErrorContains(t, err, "panic after 30 rounds, in ")
}

// TestAPanicInATrial: the search goes on, says what to report, and does not keep the trial as a failed one.
func TestAPanicInATrial(t *testing.T) {
	d, p := tuneData(t, 1, 50, 1), tuneParams()
	log, said := logged()
	o := TuneOptions{Space: space(t, someSpace), Trials: 5, Seed: 5}
	o.Own, o.Keep = faultyOnce(t, &p, 10, 3), &Store{Folder: t.TempDir()}
	o.Log = log
	o.Space = space(t, "learning_rate = 0.05..0.3 log\nnum_leaves = 2..31 log\n")
	r, err := Tune(t.Context(), p, inFolds(t, d, 3, 0), o)
	require.NoError(t, err)
	failed := func(r *TuneResult) (n int) {
		for _, trial := range r.Trials {
			if trial.Err != nil {
				n++
			}
		}
		return n
	}
	assert.Equal(t, 1, failed(r))
	for _, text := range []string{"panic after 2 rounds, in ", ": planted", "please report", "stack: ",
		"panic_test.go:"} {
		assert.Contains(t, said.String(), text)
	}
	o.Own = faultyOnce(t, &p, -1, 0)
	r, err = Tune(t.Context(), p, inFolds(t, d, 3, 0), o)
	require.NoError(t, err)
	assert.Zero(t, failed(r))
}
