package booster

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/training"
)

// trainerAfter returns a trainer after the given number of rounds.
func trainerAfter(t *testing.T, p *Params, rounds int, data []Data) *trainer {
	t.Helper()
	tr, err := newTrainer(p, data[0], data[1:], Options{})
	require.NoError(t, err)
	t.Cleanup(tr.pool.Close)
	for n := range rounds {
		reason, err := tr.round(context.Background(), &training.Round{Number: n + 1})
		require.NoError(t, err)
		require.Empty(t, reason)
	}
	return tr
}

// TestModesThatAreGBDT: dart that drops nothing is gbdt, and every setting of sampledChanges changes the
// model.
func TestModesThatAreGBDT(t *testing.T) {
	s := randomTable(1, 2000)
	p := smallParams()
	want := bytesOf(fit(t, p, s).Model)
	for name, change := range map[string]func(*Params){
		"no drops":   func(p *Params) { p.Boosting, p.DropRate, p.SkipDrop = DART, 0, 0 },
		"skipped":    func(p *Params) { p.Boosting, p.DropRate, p.SkipDrop = DART, 1, 1 },
		"own seeds":  func(p *Params) { p.DropSeed, p.BaggingSeed = new(uint64(5)), new(uint64(6)) },
		"same seeds": func(p *Params) { p.DataRandomSeed, p.FeatureFractionSeed = new(uint64(0)), new(uint64(0)) },
	} {
		q := p
		change(&q)
		assert.Equal(t, want, bytesOf(fit(t, q, s).Model), name)
	}
	s = withNaN(s, 1, 0.2)
	want = bytesOf(fit(t, p, s).Model)
	for i, change := range sampledChanges {
		q := p
		change(&q)
		q.NumIterations, q.MaxDepth = p.NumIterations, min(q.MaxDepth, 2)
		assert.NotEqual(t, want, bytesOf(fit(t, q, s).Model), "sampledChanges[%d]", i)
	}
}

// TestDARTThatDropsAll: if every round drops all trees, each tree is fitted to the first gradients. The
// factors η/(1+k) and all later k/(1+k) multiply to learning_rate/n for each of n trees.
func TestDARTThatDropsAll(t *testing.T) {
	s := randomTable(1, 2000)
	p := smallParams()
	p.Boosting, p.DropRate, p.SkipDrop, p.MaxDrop = DART, 1, 0, 0
	// Its gradients are not sensitive to the last bits of the scores.
	p.NumIterations, p.Objective = 1, "query_rmse"
	one := fit(t, p, s).Model.Trees[0]
	p.UniformDrop = true
	for _, p.XGBoostDARTMode = range []bool{false, true} {
		p.NumIterations = 7
		weight := 0.0
		for n, fitted := range fit(t, p, s).Model.Trees {
			assert.Equal(t, one.Feature, fitted.Feature)
			assert.Equal(t, one.Threshold, fitted.Threshold)
			for leaf, v := range fitted.LeafValue {
				assert.InDelta(t, one.LeafValue[leaf]*fitted.Shrinkage/one.Shrinkage, v, 1e-12)
			}
			if p.XGBoostDARTMode {
				weight += fitted.Shrinkage
			} else {
				assert.InDelta(t, 0.1/7, fitted.Shrinkage, 1e-12, n)
			}
		}
		if p.XGBoostDARTMode { // the last tree's factor is η/(η+k); the others' factors multiply
			first := 0.1
			for k := 1.0; k < 7; k++ {
				first *= k / (k + 0.1)
			}
			assert.Less(t, weight, 0.1+6*first)
			assert.Greater(t, weight, 0.1)
		}
	}
}

// TestDrops checks drops against their formulas. With uniform drops the mean share is drop_rate; otherwise
// heavier trees are dropped more often. A share skip_drop of the rounds drops nothing, and max_drop bounds
// all.
func TestDrops(t *testing.T) {
	p := smallParams()
	p.Boosting, p.DropRate, p.SkipDrop, p.MaxDrop = DART, 0.2, 0, 0
	d := &dart{weights: []float64{0.1, 0.05, 0.1, 0.01, 0.04}}
	count := func() (counts []float64, most, empty int) {
		counts = make([]float64, 5)
		for draw := range 20000 {
			dropped := d.choose(&p, draw)
			require.True(t, slices.IsSorted(dropped))
			most = max(most, len(dropped))
			if len(dropped) == 0 {
				empty++
			}
			for _, n := range dropped {
				counts[n] += 1.0 / 20000
			}
		}
		return counts, most, empty
	}
	heavy, _, _ := count()
	for n, w := range d.weights {
		assert.InDelta(t, 0.2*w*5/0.3, heavy[n], 0.01)
	}
	p.UniformDrop = true
	uniform, most, _ := count()
	for n := range d.weights {
		assert.InDelta(t, 0.2, uniform[n], 0.01)
	}
	assert.Greater(t, most, 2)
	p.MaxDrop = 1
	bounded, most, _ := count()
	assert.Equal(t, 1, most)
	assert.InDelta(t, 0.2, bounded[0], 0.01)
	p.SkipDrop, p.DropRate, p.MaxDrop = 0.7, 1, 0
	_, _, empty := count()
	assert.InDelta(t, 0.7, float64(empty)/20000, 0.01)
}

func TestRowBags(t *testing.T) {
	p := smallParams()
	p.BaggingFraction, p.BaggingFreq, p.BaggingByQuery = 0.3, 2, false
	a, b, c := rowBag(nil, &p, 0, 10000, 0), rowBag(nil, &p, 0, 10000, 1), rowBag(nil, &p, 0, 10000, 2)
	assert.Equal(t, a, b)
	assert.NotEqual(t, a, c)
	assert.InDelta(t, 3000, len(a), 150)
	p.BaggingSeed = new(uint64(9))
	assert.NotEqual(t, a, rowBag(nil, &p, 0, 10000, 0))
}

// TestSeeds: each seed changes only its own draws, and setting each of them to the value of seed changes
// nothing.
func TestSeeds(t *testing.T) {
	p := smallParams()
	p.BaggingFraction, p.BaggingFreq, p.FeatureFraction, p.Boosting, p.SkipDrop = 0.5, 1, 0.5, DART, 0
	p.LambdarankTies, p.BinConstructSampleCnt, p.Seed, p.ExtraTrees = "draw", 300, 4, true
	model := func(p Params) string { return string(bytesOf(fit(t, p, randomTable(1, 2000)).Model)) }
	same := p
	same.Seeds = Seeds{new(uint64(4)), new(uint64(4)), new(uint64(4)), new(uint64(4)), new(uint64(4)),
		new(uint64(4))}
	require.Equal(t, model(p), model(same))
	seen := map[string]bool{model(p): true}
	for _, name := range []string{"data_random_seed", "bagging_seed", "feature_fraction_seed", "drop_seed",
		"objective_seed", "extra_seed"} {
		q := p
		require.NoError(t, set(&q, name, "7"))
		seen[model(q)] = true
		require.NoError(t, set(&q, name, "seed"))
		require.Equal(t, p.Seeds, q.Seeds)
		assert.Error(t, set(&q, name, "-1"))
	}
	assert.Len(t, seen, 7)
}

// TestRemovedKindsOfBoostingAreRefused: each is an error that says what to do instead.
func TestRemovedKindsOfBoostingAreRefused(t *testing.T) {
	for value, text := range map[string]string{"rf": "num_models", "random_forest": "num_models",
		"goss": "active_fraction", "gblinear": "must be one of gbdt, dart"} {
		p := smallParams()
		assert.ErrorContains(t, set(&p, "boosting", value), text, value)
	}
}

// TestSeedsOfMembers: a seed that is given counts up with the models, as seed does.
func TestSeedsOfMembers(t *testing.T) {
	p := smallParams()
	p.NumModels, p.Seed, p.BaggingSeed = 2, 3, new(uint64(8))
	second := p.Member(1)
	assert.Equal(t, Seeds{BaggingSeed: new(uint64(9))}, second.Seeds)
}

func TestCautionsOfModes(t *testing.T) {
	for text, settings := range map[string][]string{
		"drop_rate=0.5 has no effect with boosting=gbdt":        {"drop_rate", "0.5"},
		"patience=5 has no effect with boosting=dart":           {"boosting", "dart", "patience", "5"},
		"bagging_by_query=false has no effect without bags":     {"bagging_by_query", "false"},
		"bagging_seed=3 has no effect without bags":             {"bagging_seed", "3"},
		"feature_fraction_seed=3 has no effect while":           {"feature_fraction_seed", "3"},
		"objective_seed=3 has no effect with an objective that": {"objective_seed", "3"},
		"truncation_level=9 has no effect with lambdarank_pair_method=mean": {"lambdarank_pair_method", "mean",
			"lambdarank_truncation_level", "9", "lambdarank_num_pair_per_sample", "2"},
		"truncation_level=9 has no effect with lambdarank_num_pair_per_sample=2": {
			"lambdarank_truncation_level", "9", "lambdarank_num_pair_per_sample", "2"},
		"lambdarank_num_pair_per_sample=2 has no effect with lambdarank_pair_method=all": {
			"lambdarank_pair_method", "all", "lambdarank_num_pair_per_sample", "2"},
	} {
		p := smallParams()
		for i := 0; i < len(settings); i += 2 {
			require.NoError(t, set(&p, settings[i], settings[i+1]))
		}
		assert.Contains(t, fmt.Sprint(p.Cautions()), text)
	}
	p := smallParams()
	assert.Empty(t, p.Cautions())
	require.NoError(t, set(&p, "objective_seed", "3"))
	require.NoError(t, set(&p, "num_models", "2"))
	require.NoError(t, set(&p, "model_objectives", "query_rmse,rank_xendcg"))
	assert.Empty(t, p.Cautions(), "rank_xendcg draws")
}

// TestScoresOfConstant: the scores of a constant model are the initial score, for every kind of boosting and
// after resuming.
func TestScoresOfConstant(t *testing.T) {
	table := randomTable(1, 400)
	for row := range table.values {
		table.values[row] = []float64{1, 1}
	}
	for _, boosting := range []string{GBDT, DART} {
		p := smallParams()
		p.Boosting, p.Objective, p.AllowConstant, p.IsTrainingMetric = boosting, "regression", true, true
		p.BaggingFraction, p.BaggingFreq = 0.5, 1
		data := binned(t, &p, table, table)
		var state []byte
		for _, resumed := range []bool{false, true} {
			tr, err := newTrainer(&p, data[0], data[1:], Options{})
			require.NoError(t, err)
			if resumed {
				require.NoError(t, tr.Restore(state, 1), boosting)
			} else {
				stopped, err := tr.round(t.Context(), &training.Round{Number: 1})
				require.NoError(t, err)
				require.Empty(t, stopped)
				state, err = tr.State()
				require.NoError(t, err)
			}
			all, err := tr.Scores()
			require.NoError(t, err)
			for set, scores := range all {
				assert.Equal(t, slices.Repeat([]float64{tr.initial}, 400), scores, "%s, set %d", boosting, set)
			}
			tr.pool.Close()
		}
	}
}

// TestDARTDoesNotStopEarly: dart turns early stopping off, so the model has all trees.
func TestDARTDoesNotStopEarly(t *testing.T) {
	p := smallParams()
	p.Boosting, p.Patience, p.NumIterations = DART, 1, 20
	r := fit(t, p, randomTable(1, 500), randomTable(2, 100))
	assert.Len(t, r.Model.Trees, 20)
	assert.Equal(t, training.Finished, r.Stopped)
}
