package study

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/param"
)

// tuneData returns data with queries of 8 documents. Labels depend on two of five features and on noise; if
// signal is 0, on noise alone.
func tuneData(t testing.TB, seed uint64, queries int, signal float64) booster.Data {
	rng := rand.New(rand.NewPCG(seed, 0))
	return drawnData(t, queries, func() ([]float64, float64) {
		x := []float64{rng.NormFloat64(), float64(rng.IntN(4)), rng.ExpFloat64(), rng.NormFloat64(), rng.Float64()}
		return x, 1 + signal*(x[0]+0.5*x[1]) + rng.NormFloat64()
	})
}

func tuneParams() booster.Params {
	p := booster.DefaultParams()
	p.NumIterations, p.Patience, p.StopMetric, p.NumThreads = 40, 8, "ndcg@5", 1
	return p
}

func space(t testing.TB, text string) []param.Setting {
	t.Helper()
	s, err := param.ReadConfig(strings.NewReader(text), "space")
	require.NoError(t, err)
	return s
}

func dimensions(t testing.TB, text string) searchSpace {
	t.Helper()
	s, err := newSpace(space(t, text))
	require.NoError(t, err)
	return s
}

const someSpace = "learning_rate = 0.05..0.3 log\nnum_leaves = 2..31 log\nfeature_fraction = " +
	"0.3..1\nobjective = lambdarank | rank_xendcg\n"

// tuneEverything returns everything in a result except times, as text.
func tuneEverything(r *TuneResult) string {
	var b strings.Builder
	for _, t := range r.Trials {
		fmt.Fprintln(&b, t.Number, t.Settings, t.Step, t.Best, t.Value, t.Curve, t.PerQuery, t.Err)
	}
	fmt.Fprintln(&b, r.Models[0].Number, r.Comparison, r.P, r.Beats, r.Warnings)
	return b.String()
}

func TestSearchIsTheSame(t *testing.T) {
	d := tuneData(t, 1, 50, 1)
	o := TuneOptions{Space: space(t, someSpace), Trials: 14, Seed: 5}
	p := tuneParams()
	search := func(p booster.Params, o TuneOptions) *TuneResult {
		r, err := Tune(t.Context(), p, inFolds(t, d, 3, 0), o)
		require.NoError(t, err)
		return r
	}
	first := search(p, o)
	want := tuneEverything(first)
	require.Len(t, first.Trials, 15)
	o.Seed++
	assert.NotEqual(t, want, tuneEverything(search(p, o)))
	o.Seed--

	// A bracket of nine is trained on one of three folds, and the best third of it on all of them. Every curve
	// is that of a training run outside of the search.
	steps := map[int]int{}
	for _, trial := range first.Trials {
		steps[trial.Step]++
		b, err := newBegun(t.Context(), trial.params, inFolds(t, d, 3, 0), Options{}, nil)
		require.NoError(t, err)
		var whole Trained
		_, err = b.train(&whole, trial.params, b.parts[:1+2*(trial.Step-1)])
		require.NoError(t, err)
		assert.Equal(t, whole.Curve, trial.Curve)
		assert.Equal(t, whole.PerQuery, trial.PerQuery)
	}
	assert.Equal(t, map[int]int{2: 1 + 3 + 2, 1: 6 + 3}, steps)
}

// TestHalvingWithValidationSet: small training data are trained on at once. Of others, trials have a third of
// the queries first, and all are judged on the same validation queries.
func TestHalvingWithValidationSet(t *testing.T) {
	p := tuneParams()
	p.NumIterations = 4
	for queries, want := range map[int]map[int]int{40: {2: 1 + 4}, smallRows/8 + 1: {2: 1 + 2, 1: 2}} {
		whole := tuneData(t, 6, queries+20, 1)
		d, valid := selectedQueries(whole, "training", numbersBetween(0, queries)),
			selectedQueries(whole, "valid", numbersBetween(queries, queries+20))
		r, err := Tune(t.Context(), p, Data{Train: d, Valid: &valid},
			TuneOptions{Space: space(t, someSpace), Trials: 4})
		require.NoError(t, err)
		steps := map[int]int{}
		for _, trial := range r.Trials {
			steps[trial.Step]++
			assert.Len(t, trial.PerQuery, 20)
		}
		assert.Equal(t, want, steps)
	}
}

// selectedQueries returns some queries of d.
func selectedQueries(d booster.Data, name string, queries []int) booster.Data {
	return booster.Data{Name: name, Meta: d.Meta.Select(queries),
		Values: d.Values.Select(d.Meta.RowsOf(queries))}
}

func numbersBetween(from, to int) (list []int) {
	for i := from; i < to; i++ {
		list = append(list, i)
	}
	return list
}

// TestFindsBetter: if one leaf per query is not enough, the search finds more leaves and says so.
func TestFindsBetter(t *testing.T) {
	d := tuneData(t, 2, 250, 2)
	p := tuneParams()
	p.NumLeaves, p.LearningRate, p.NumIterations, p.Patience = 2, 0.01, 30, 0
	o := TuneOptions{Space: space(t, "learning_rate = 0.01..0.3 log\nnum_leaves = 2..31 log\n"), Trials: 9}
	r, err := Tune(t.Context(), p, inFolds(t, d, 3, 0), o)
	require.NoError(t, err)
	assert.True(t, r.Beats, "%v %v", r.P, r.Warnings)
	assert.Positive(t, r.Comparison.Difference)
	assert.InDelta(t, r.Models[0].Value, r.Models[0].Curve[r.Models[0].Best-1], 0.02)
	final := r.Params()
	assert.Equal(t, r.Models[0].Best, final.NumIterations)
	_, err = booster.Train(t.Context(), final, d, nil, booster.Options{})
	require.NoError(t, err)
}

var noiseSearches = flag.Int("noise-searches", 2, "searches of TestNoiseBeatsNothing")

// TestNoiseBeatsNothing: on labels that are pure noise, the searches say that something is better than the
// defaults in at most 5 of 100. bench/quality/README.md has the number for 300 searches.
func TestNoiseBeatsNothing(t *testing.T) {
	p, beats, higher := tuneParams(), 0, 0
	p.NumThreads = 2
	for seed := range *noiseSearches {
		d := inFolds(t, tuneData(t, 100+uint64(seed), 60, 0), 3, 0)
		r, err := Tune(t.Context(), p, d, TuneOptions{Trials: 20, Seed: uint64(seed)})
		require.NoError(t, err)
		if r.Beats {
			beats++
		}
		if !r.isBase() {
			higher++
		}
	}
	t.Logf("%d searches of 20 trials on pure noise: what was found is above the defaults in %d, and is said to "+
		"beat them in %d", *noiseSearches, higher, beats)
	assert.LessOrEqual(t, beats, *noiseSearches*5/100)
}

func TestSearchRefuses(t *testing.T) {
	d := tuneData(t, 3, 30, 1)
	good := space(t, someSpace)
	change := func(change func(p *booster.Params)) booster.Params {
		p := tuneParams()
		change(&p)
		return p
	}
	for text, c := range map[string]struct {
		p booster.Params
		o TuneOptions
	}{
		"0 trials: want at least 1": {tuneParams(), TuneOptions{Space: good}},
		"no parameter in it has several values": {tuneParams(),
			TuneOptions{Space: space(t, "num_leaves = 7\n"), Trials: 1}},
		"learning_rates: the search sets patience": {
			change(func(p *booster.Params) { p.LearningRates = []float64{0.1} }),
			TuneOptions{Space: good, Trials: 1}},
		"has no effect with objective=lambdarank": {tuneParams(),
			TuneOptions{Space: space(t, "lambdaloss_mu = 1..10\n"), Trials: 1}},
		" has no effect while bagging_freq=0": {tuneParams(),
			TuneOptions{Space: space(t, "bagging_fraction = 0.5..0.9\n"), Trials: 1}},
		"no tree can be grown": {change(func(p *booster.Params) { p.MinDataInLeaf = 1000 }),
			TuneOptions{Space: good, Trials: 1}},
	} {
		_, err := Tune(t.Context(), c.p, inFolds(t, d, 3, 0), c.o)
		require.Error(t, err, text)
		assert.ErrorContains(t, err, text)
	}
	_, err := Tune(t.Context(), change(func(p *booster.Params) { p.Boosting, p.Patience = booster.DART, 0 }),
		inFolds(t, d, 3, 0), TuneOptions{Space: good, Trials: 1})
	require.ErrorIs(t, err, ErrDART)
	_, err = Tune(t.Context(), tuneParams(), inFolds(t, d, 3, 0),
		TuneOptions{Space: space(t, "min_data_in_leaf = 500..600\n"), Trials: 2})
	require.ErrorContains(t, err, "no trial could be trained")
}
