package booster

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
)

// weighted returns random data whose rows all have the given weight, except row 7.
func weighted(weight, seventh float64) *table {
	train := randomTable(4, 2000)
	train.meta.Weights = slices.Repeat([]float64{weight}, len(train.values))
	train.meta.Weights[7] = seventh
	return train
}

func TestWeightsTooFarApart(t *testing.T) {
	p := smallParams()
	for _, weights := range [][2]float64{{1, 1e11}, {1e-200, 1}, {1, 1e300}} {
		data := binned(t, &p, weighted(weights[0], weights[1]))
		_, err := Train(t.Context(), p, data[0], nil, Options{})
		var far *weightError
		require.ErrorAs(t, err, &far)
		query := data[0].Meta.Queries[0].ID
		assert.Equal(t, weightError{"row 7 (query " + query + ")", weights[1], weights[0]}, *far)
		assert.ErrorContains(t, err, "of row 7 (query "+query+") is")
	}
	assert.ErrorIs(t, checkWeights(weighted(1e308, 1e308).meta), dataset.ErrWeightSum)
	for _, weights := range [][2]float64{{1, 1e10}, {1, 1e-300}, {1, 0}, {0, 1}} {
		assert.NoError(t, checkWeights(weighted(weights[0], weights[1]).meta), "%v", weights)
	}
	assert.Equal(t, 5.0, medianOf([]float64{3, 0, 1e-300, math.MaxFloat64, 5}, nil))
	assert.Equal(t, 5e-324, medianOf([]float64{0, 5e-324}, nil))
}

// TestOverflowingGainsAreRefused: gains are squared sums of gradients. Either they are finite or training is
// refused.
func TestOverflowingGainsAreRefused(t *testing.T) {
	for _, fraction := range []float64{1, 0.2} {
		for _, weight := range []float64{1e100, 1e160, 1e300} {
			p := smallParams()
			p.ActiveFraction = float64(fraction)
			data := binned(t, &p, weighted(weight, weight))
			r, err := Train(t.Context(), p, data[0], nil, Options{})
			if err != nil {
				var over *overflowError
				assert.ErrorAs(t, err, &over, "weight %v", weight)
				assert.Greater(t, weight, 1e100)
				continue
			}
			assert.Less(t, weight, 1e300)
			for _, fitted := range r.Model.Trees {
				for _, gain := range fitted.Gain {
					assert.True(t, gain > 0 && gain < math.Inf(1), "gain %v", gain)
				}
			}
		}
	}
}

// TestHeavyRowOfALaterBagIsNoDivergence: gradients may grow in proportion to the largest weight.
func TestHeavyRowOfALaterBagIsNoDivergence(t *testing.T) {
	for heaviest, diverges := range map[float64]bool{1: true, 1e10: false} {
		p := smallParams()
		data := binned(t, &p, weighted(1, heaviest))
		tr, err := newTrainer(&p, data[0], nil, Options{})
		require.NoError(t, err)
		defer tr.pool.Close()
		require.NoError(t, tr.checkGrowth(0, extremes{1, 1, -1}))
		tr.gradients.Lambda[7] = 5e9
		assert.Equal(t, diverges, tr.checkGrowth(1, extremes{5e9, 1, -1}) != nil)
	}
}
