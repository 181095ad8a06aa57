package tree

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// editable returns a random model with names, ranges and every kind of tree.
func editable(rng *rand.Rand, trees int, average bool) *Ensemble {
	e := randomModel{trees: trees, maxLeaves: 9, features: 4, missing: true, categorical: true, linear: true,
		average: average}.make(rng)
	for f := range e.Features {
		e.Features[f].Name = fmt.Sprint("f", f)
	}
	return e
}

func scoresOf(t *testing.T, e *Ensemble, rows []float64) []float64 {
	t.Helper()
	require.NoError(t, e.Validate())
	scores := make([]float64, len(rows)/e.NumFeatures())
	require.NoError(t, e.Score(scores, rows))
	return scores
}

// TestJoinIsTheInverseOfPart: each single tree is a model, and joining them in order restores the same bits.
func TestJoinIsTheInverseOfPart(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, average := range []bool{false, true} {
		e := editable(rng, 12, average)
		rows := randomRows(rng, 50, 4)
		var parts []*Ensemble
		for i := range e.Trees {
			parts = append(parts, e.Part(i, 1))
		}
		joined, err := Join(parts...)
		require.NoError(t, err)
		assert.Equal(t, e, joined)
		requireSameBits(t, scoresOf(t, e, rows), scoresOf(t, joined, rows))
	}
}

func TestWithout(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	e := editable(rng, 6, false)
	got, err := e.Without(1, 4, 1)
	require.NoError(t, err)
	assert.Equal(t, []Tree{e.Trees[0], e.Trees[2], e.Trees[3], e.Trees[5]}, got.Trees)
	assert.Len(t, e.Trees, 6)
	for _, bad := range []int{-1, 6} {
		_, err = e.Without(0, bad)
		assert.ErrorIs(t, err, ErrNoTree)
	}
}

// TestScaled: powers of two scale every score without rounding, for sums and for means of trees.
func TestScaled(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, average := range []bool{false, true} {
		e := editable(rng, 5, average)
		rows := randomRows(rng, 50, 4)
		before := scoresOf(t, e, rows)
		scaled, err := e.Scaled(-0.25)
		require.NoError(t, err)
		after := scoresOf(t, scaled, rows)
		for i := range before {
			if math.Abs(before[i]) > 1e-300 && !math.IsInf(before[i], 0) {
				assert.Equal(t, -0.25*before[i], after[i])
			}
		}
		requireSameBits(t, before, scoresOf(t, e, rows))
		for _, bad := range []float64{0, math.NaN(), math.Inf(1), math.MaxFloat64} {
			_, err = e.Scaled(bad)
			assert.ErrorIs(t, err, ErrFactor, bad)
		}
	}
}

func TestShuffled(t *testing.T) {
	e := editable(rand.New(rand.NewPCG(4, 1)), 40, false)
	for i := range e.Trees {
		e.Trees[i].Shrinkage = float64(i)
	}
	orders := map[string]bool{}
	for seed := range uint64(20) {
		var order []int
		for _, tree := range e.Shuffled(seed).Trees {
			order = append(order, int(tree.Shrinkage))
		}
		orders[fmt.Sprint(order)] = true
		slices.Sort(order)
		for i, number := range order {
			require.Equal(t, i, number)
		}
		assert.Equal(t, e.Shuffled(seed), e.Shuffled(seed))
	}
	assert.Len(t, orders, 20)
}

func TestJoinRefusesWhatDoesNotFit(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	a, b := editable(rng, 2, false), editable(rng, 2, false)
	b.Features[2].Name = "price"
	_, err := Join(a, b)
	assert.ErrorIs(t, err, ErrOtherFeatures)
	assert.EqualError(t, err, "model 2: the models have different features: feature 2 is f2 in one and price "+
		"in the other")
	_, err = Join(a, editable(rng, 2, true))
	assert.ErrorIs(t, err, ErrNotJoinable)
	c := editable(rng, 2, false)
	a.PandasCategorical, c.PandasCategorical = `[["a"]]`, `[["b"]]`
	_, err = Join(a, c)
	assert.ErrorIs(t, err, ErrNotJoinable)
	_, err = Join()
	assert.ErrorIs(t, err, ErrNotJoinable)
}

// TestJoinedFeatures: the joined model has the features of both models, with ranges that cover both.
func TestJoinedFeatures(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	a, b := editable(rng, 1, false), editable(rng, 1, false)
	b.Features = append(b.Features, Feature{Name: "f4", Range: "[1:2]"})
	for f, ranges := range [][2]string{{"[0:1.5]", "[-1:1]"}, {"none", "[3:4]"}, {"1:2:3", "[0:1]"},
		{"[2:3]", ""}} {
		a.Features[f].Range, b.Features[f].Range = ranges[0], ranges[1]
	}
	a.Features[1].Monotone = 1
	joined, err := Join(a, b)
	require.NoError(t, err)
	assert.Equal(t, []Feature{{Name: "f0", Range: "[-1:1.5]"}, {Name: "f1", Range: "[3:4]"},
		{Name: "f2", Range: "1:2:3"},
		{Name: "f3", Range: "[2:3]"}, {Name: "f4", Range: "[1:2]"}}, joined.Features)
	assert.Len(t, a.Features, 4)
	assert.Equal(t, "[0:1.5]", a.Features[0].Range)
}
