package booster

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/training"
	"github.com/lambdamart/lambdamart/tree"
)

// requireMinimum requires that every leaf of a model has the minimum number of rows and the minimum Hessian
// that p sets.
func requireMinimum(t testing.TB, p *Params, model *tree.Ensemble) {
	t.Helper()
	for i := range model.Trees {
		for leaf, rows := range model.Trees[i].LeafCount {
			require.GreaterOrEqual(t, rows, int64(p.MinDataInLeaf), "tree %d, leaf %d: min_data_in_leaf", i, leaf)
			require.GreaterOrEqual(t, model.Trees[i].LeafWeight[leaf], p.MinSumHessianInLeaf,
				"tree %d, leaf %d: min_sum_hessian_in_leaf", i, leaf)
			require.Positive(t, model.Trees[i].LeafWeight[leaf])
		}
	}
}

// TestEmptyDrawsDoNotEndTraining: a bag in which no query has different grades, or a draw of features that
// do not vary, gives no tree, but the next draw may.
func TestEmptyDrawsDoNotEndTraining(t *testing.T) {
	for name, change := range map[string]func(*Params){
		"bags":        func(p *Params) { p.BaggingFraction, p.BaggingFreq = 0.02, 1 },
		"shared bags": func(p *Params) { p.BaggingFraction, p.BaggingFreq = 0.02, 7 },
		"features":    func(p *Params) { p.FeatureFraction = 0.01; p.MinGainToSplit = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			p := smallParams()
			p.NumIterations = 40
			change(&p)
			data := binned(t, &p, randomTable(8, 1000))
			r, err := Train(t.Context(), p, data[0], nil, Options{})
			require.NoError(t, err)
			assert.Equal(t, training.Finished, r.Stopped)
			assert.Len(t, r.Model.Trees, 40)
		})
	}
}

// TestEmptyDrawsEndTraining: training ends if no draw can be split any more.
func TestEmptyDrawsEndTraining(t *testing.T) {
	p := smallParams()
	p.NumIterations, p.LearningRate, p.MinGainToSplit = 1000, 0.5, 20
	for name, change := range map[string]func(*Params){
		"no draws": func(*Params) {},
		"bags":     func(p *Params) { p.BaggingFraction, p.BaggingFreq = 0.5, 3 },
		"features": func(p *Params) { p.FeatureFraction = 0.5 },
		"rounding": func(p *Params) { p.ActiveFraction = 0.5 },
	} {
		t.Run(name, func(t *testing.T) {
			p := p
			change(&p)
			data := binned(t, &p, randomTable(8, 1000))
			r, err := Train(t.Context(), p, data[0], nil, Options{})
			require.NoError(t, err)
			assert.Equal(t, training.NoSplitsRemain, r.Stopped)
			assert.Greater(t, len(r.Model.Trees), 1)
		})
	}
}

// TestStatedGainsAreWhole: a split's gain in the model is the full decrease of the loss, without subtracting
// min_gain_to_split, as in LightGBM's models.
func TestStatedGainsAreWhole(t *testing.T) {
	data := randomTable(3, 300)
	p := smallParams()
	p.NumIterations = 1
	free := fit(t, p, data).Model.Trees[0]
	p.MinGainToSplit = slices.Min(free.Gain) / 2
	bounded := fit(t, p, data).Model.Trees[0]
	assert.Equal(t, free.Threshold, bounded.Threshold)
	assert.InDeltaSlice(t, free.Gain, bounded.Gain, 1e-9)
}
