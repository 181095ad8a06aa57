package tree

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// stump returns a tree that compares feature 0 at one node; its values are 1 on the left and 2 on the right.
func stump(threshold float64, d Decision) *Tree {
	return &Tree{
		Feature: []int32{0}, Threshold: []float64{threshold}, Decision: []Decision{d}, Gain: []float64{1},
		Left: []int32{^0}, Right: []int32{^1},
		InternalValue: []float64{0}, InternalWeight: []float64{2}, InternalCount: []int64{2},
		LeafValue: []float64{1, 2}, LeafWeight: []float64{1, 1}, LeafCount: []int64{1, 1}, Shrinkage: 1,
	}
}

// TestNumericDecisions tests the rules and constants of LightGBM's Tree::NumericalDecision (its
// include/LightGBM/tree.h), applied by hand.
func TestNumericDecisions(t *testing.T) {
	nan, inf, negativeZero := math.NaN(), math.Inf(1), math.Copysign(0, -1)
	justZero := ZeroThreshold // 1e-35f, above 1e-35
	notZero := math.Nextafter(justZero, 1)
	for _, c := range []struct {
		d         Decision
		threshold float64
		left      []float64
		right     []float64
	}{
		{MissingNone, 1, []float64{1, -inf, nan, negativeZero}, []float64{math.Nextafter(1, 2), inf}},
		{MissingNone | DefaultLeft, -1, []float64{-1, -inf}, []float64{0, nan, inf}},
		{MissingNone, 0, []float64{0, negativeZero, nan}, []float64{5e-324}},
		{MissingNone, negativeZero, []float64{0, negativeZero, nan}, []float64{5e-324}},
		{MissingNone, inf, []float64{inf, nan}, nil},
		{MissingZero, 1, []float64{notZero, -notZero, 1, -inf},
			[]float64{0, negativeZero, justZero, -justZero, 1e-36, nan, 2, inf}},
		{MissingZero | DefaultLeft, -1, []float64{0, negativeZero, justZero, -justZero, nan, -1},
			[]float64{notZero, -notZero, inf}},
		{MissingNaN, 1, []float64{0, 1, -inf}, []float64{nan, inf}},
		{MissingNaN | DefaultLeft, -1, []float64{nan, -1, -inf}, []float64{0, inf}},
	} {
		tree := stump(c.threshold, c.d)
		require.NoError(t, tree.Validate(1))
		for _, x := range c.left {
			assert.Equal(t, 1.0, tree.Score([]float64{x}), "%v <= %v, decision %d", x, c.threshold, c.d)
		}
		for _, x := range c.right {
			assert.Equal(t, 2.0, tree.Score([]float64{x}), "%v <= %v, decision %d", x, c.threshold, c.d)
		}
	}
}

// TestCategoricalDecisions tests the rules of LightGBM's Tree::CategoricalDecision.
func TestCategoricalDecisions(t *testing.T) {
	tree := stump(1, Categorical)
	tree.CategoryStart = []int32{0, 1, 3}
	tree.Categories = []uint32{1 << 7, 1<<0 | 1<<3 | 1<<31, 1 << 1} // the second set is {0, 3, 31, 33}
	require.NoError(t, tree.Validate(1))
	for _, x := range []float64{0, math.Copysign(0, -1), -0.99, 0.5, 3, 3.99, 31, 33} {
		assert.Equal(t, 1.0, tree.Score([]float64{x}), x)
	}
	for _, x := range []float64{1, 7, 32, 34, 64, 1e9, 1 << 31, 1<<32 + 3, -1, -3, math.Inf(1), math.Inf(-1),
		math.NaN(), 1e300} {
		assert.Equal(t, 2.0, tree.Score([]float64{x}), x)
	}
}

func TestLinearLeaves(t *testing.T) {
	tree := stump(0, MissingNone)
	tree.Linear = &LinearLeaves{
		Const:       []float64{10, 20},
		Feature:     [][]int32{{1, 0}, nil},
		Coefficient: [][]float64{{3, 0.5}, nil},
	}
	require.NoError(t, tree.Validate(2))
	assert.Equal(t, 10+3*7+0.5*-2, tree.Score([]float64{-2, 7}))
	assert.Equal(t, 20.0, tree.Score([]float64{2, math.NaN()}), "the right leaf uses no feature")
	assert.Equal(t, 1.0, tree.Score([]float64{-2, math.NaN()}), "NaN falls back to the leaf value")
}

func TestScoreChecksShapes(t *testing.T) {
	e := &Ensemble{Trees: []Tree{*stump(0, 0)}, Features: make([]Feature, 2)}
	assert.EqualError(t, e.Score(make([]float64, 2), make([]float64, 3)),
		"rows has length 3, want 4 (2 rows × 2 features)")
	assert.EqualError(t, e.Leaves(make([]int32, 3), make([]float64, 4), 2),
		"dst has length 3, want 2 (2 rows × 1 trees)")
	assert.ErrorContains(t, e.Leaves(nil, nil, -1), " has length ")
	_, err := e.ScoreRow([]float64{1})
	assert.ErrorContains(t, err, " has length 1, want 2 ")
	assert.NoError(t, e.Score(nil, nil))
}

func TestAverageAndFirst(t *testing.T) {
	e := &Ensemble{Trees: []Tree{*stump(0, 0), *stump(1, 0), *stump(2, 0)}, Features: make([]Feature, 1)}
	for _, c := range []struct {
		n       int
		average bool
		want    float64
	}{{0, false, 5}, {1, false, 2}, {2, false, 4}, {3, false, 5}, {9, false, 5}, {0, true,
		5.0 / 3}, {2, true, 2}} {
		e.Average = c.average
		got, err := e.Part(0, c.n).ScoreRow([]float64{1.5})
		require.NoError(t, err)
		assert.Equal(t, c.want, got, "%+v", c)
	}
	got, err := (&Ensemble{Average: true}).ScoreRow(nil)
	require.NoError(t, err)
	assert.Equal(t, 0.0, got, "no trees: no division by their number")
}

func TestImportance(t *testing.T) {
	e := &Ensemble{Trees: []Tree{*stump(0, 0), *stump(1, 0), *stump(2, 0)}, Features: make([]Feature, 2)}
	e.Trees[0].Gain[0] = 2.5
	e.Trees[2].Gain[0] = 0 // does not count
	assert.Equal(t, []float64{2, 0}, e.Importance(BySplit))
	assert.Equal(t, []float64{3.5, 0}, e.Importance(ByGain))
}
