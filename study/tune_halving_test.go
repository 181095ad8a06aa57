package study

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/internal/random"

	"github.com/lambdamart/lambdamart/training"
)

// selectedQueries returns some queries of d.
func selectedQueries(d booster.Data, name string, queries []int) booster.Data {
	return booster.Data{Name: name, Meta: d.Meta.Select(queries), Values: d.Values.Select(d.Meta.RowsOf(queries))}
}

func numbersBetween(from, to int) (list []int) {
	for i := from; i < to; i++ {
		list = append(list, i)
	}
	return list
}

// curveOf returns the metric on valid after each round of a training run outside a study.
func curveOf(t testing.TB, p booster.Params, rounds int, train, valid booster.Data) (curve []float64) {
	t.Helper()
	p.NumIterations, p.Patience, p.Metric = rounds, 0, nil
	_, err := booster.Train(t.Context(), p, train, []booster.Data{valid}, booster.Options{Options: training.Options{Round: func(r training.Round) {
		curve = append(curve, r.Evaluations[0].Result.Mean)
	}}})
	require.NoError(t, err)
	return curve
}

// TestFirstStepOnSomeQueries: above the limit of rows, first steps train on randomly drawn queries. The
// defaults and later steps train on all queries, and every step is evaluated on the same validation
// queries.
func TestFirstStepOnSomeQueries(t *testing.T) {
	const queries, rows = 120, 960
	whole := tuneData(t, 6, queries+30, 1)
	d, valid := selectedQueries(whole, "training", numbersBetween(0, queries)), selectedQueries(whole, "valid", numbersBetween(queries, queries+30))
	limits := rowLimits{many: rows - 1, fewest: rows / 4}
	p, o := tuneParams(), TuneOptions{Space: space(t, someSpace), Trials: 9, Seed: 3}
	key := random.New(o.Seed, random.QueryShare, 0)
	few := slices.DeleteFunc(numbersBetween(0, queries), func(query int) bool { return key.Float64(query) >= 0.25 })
	require.InDelta(t, queries/4, len(few), 12)

	search := func(p booster.Params, limits rowLimits, o TuneOptions) *TuneResult {
		r, err := searchWithin(t.Context(), limits, p, Data{Train: d, Valid: &valid}, o)
		require.NoError(t, err)
		return r
	}
	r := search(p, limits, o)
	steps := map[int]int{}
	for _, trial := range r.Trials {
		train := d
		if trial.Step == 1 {
			train = selectedQueries(d, "few", few)
		}
		want := curveOf(t, trial.params, trial.Rounds, train, valid)
		assert.Equal(t, want, trial.Curve, "trial %d, step %d", trial.Number, trial.Step)
		steps[trial.Step]++
	}
	assert.Equal(t, map[int]int{1: 6, 2: 2, 3: 1 + 1}, steps)
	assert.Len(t, r.Models[0].PerQuery, 30)

	// Neither the number of threads nor stored trials change the result.
	want := tuneEverything(r)
	p.NumThreads, o.Keep = 3, &Store{Folder: t.TempDir(), Program: "test"}
	for _, kept := range []int{0, 10} {
		again := search(p, limits, o)
		assert.Equal(t, want, tuneEverything(again))
		assert.Equal(t, kept, again.kept())
	}
	limits.many = rows
	other := search(p, limits, o)
	assert.NotEqual(t, want, tuneEverything(other), "at the limit, all steps have all queries")
	assert.Equal(t, tuneEverything(other), tuneEverything(search(p, trialLimits, TuneOptions{Space: o.Space, Trials: 9, Seed: 3})), "what was kept of the few queries is not mixed with that of all")
}

// TestSameQueriesInAllFolds: a drawn query is used in every fold that trains on it, and validation queries
// are never
// sampled.
func TestSameQueriesInAllFolds(t *testing.T) {
	d := tuneData(t, 7, 90, 1)
	all := parts(t, d, 3, 0)
	s, err := newSearch(t.Context(), rowLimits{many: 100, fewest: 360}, tuneParams(), inFolds(t, d, 3, 0), TuneOptions{Space: space(t, someSpace), Trials: 1})
	require.NoError(t, err)
	require.Len(t, s.views[0].few, 3)
	drawn := map[int]bool{}
	for _, part := range s.views[0].few {
		for _, query := range part.Train {
			drawn[query] = true
		}
	}
	for i, part := range s.views[0].few {
		assert.Equal(t, all[i].Valid, part.Valid)
		assert.Equal(t, slices.DeleteFunc(slices.Clone(all[i].Train), func(query int) bool { return !drawn[query] }), part.Train)
	}
	assert.Len(t, all[0].Train, 60, "the parts of the caller stay as they are")
}

func TestShareOfQueries(t *testing.T) {
	for rows, want := range map[int]float64{200_000: 1, 250_000: 0.4, 800_000: 0.125, 10_000_000: 0.125} {
		assert.Equal(t, want, trialLimits.share(rows), "%d rows", rows)
	}
}
