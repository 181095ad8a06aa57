package booster

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/lambdamart/lambdamart/objective"
)

// withHeavyRow multiplies the gradient of one row with a nonzero gradient by weight.
func withHeavyRow(g objective.Gradients, weight float64) objective.Gradients {
	g.Lambda[1] = weight
	g.Hessian[1] = weight
	return g
}

// TestHeavyRowLeavesOthersActive: one row with most of Σ|g| does not reduce the share of other rows that are
// active.
func TestHeavyRowLeavesOthersActive(t *testing.T) {
	const rows, share = 300_000, 0.125 // more than one worker fills at a time
	for _, weight := range []float64{1, 1e6, 1e8, 1e9} {
		g := withHeavyRow(heavyTailed(rand.New(rand.NewPCG(2, 2)), rows), weight)
		a := activated(t, g, share, 0, 1)
		assert.InDelta(t, share, float64(len(a.Rows))/rows, 0.35*share, "weight %v", weight)
		assert.Greater(t, float64(a.nonzero.gradients), 0.5*share*rows)
		assert.Greater(t, float64(a.nonzero.hessians), 0.5*share*rows)
		sum, _ := a.Total(a.part, par.New(1))
		assert.Less(t, sum.Gradient, int64(1)<<31)
		assert.Less(t, sum.Hessian, int64(1)<<32)
	}
}

// TestHeavyGradientAlone: if one row has a huge gradient but an ordinary Hessian, rows could be active by
// their Hessians alone. Enough rows must be active by their gradients, too.
func TestHeavyGradientAlone(t *testing.T) {
	const rows, share = 50000, 0.125
	g := heavyTailed(rand.New(rand.NewPCG(6, 6)), rows)
	for row := range g.Hessian {
		g.Hessian[row] = 1
	}
	g.Lambda[1] = 1e7
	a := activated(t, g, share, 0, 1)
	assert.Greater(t, float64(a.nonzero.gradients), 0.7*share*rows)
}

// TestFewerRowsThanShare: if fewer rows have gradients than are requested, all of them are active.
func TestFewerRowsThanShare(t *testing.T) {
	const rows = 10000
	g := objective.Gradients{Lambda: make([]float64, rows), Hessian: make([]float64, rows)}
	for row := 0; row < rows; row += 100 {
		g.Lambda[row], g.Hessian[row] = float64(1+row), float64(1+row)
	}
	a := activated(t, g, 0.25, 0, 1)
	assert.Len(t, a.Rows, rows/100)
	for _, stands := range a.RowsFor[:len(a.Rows)] {
		assert.EqualValues(t, 1, stands)
	}
	sum, _ := a.Total(a.part, par.New(1))
	assert.Less(t, sum.Gradient, int64(1)<<31)
}

// TestUnitIsNearSolution: a smaller unit leaves between half of the wanted rows and all of them.
func TestUnitIsNearSolution(t *testing.T) {
	pool := par.New(1)
	defer pool.Close()
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 7))
		const rows = 3000
		g := withHeavyRow(heavyTailed(rng, rows), math.Exp(20*rng.Float64()))
		a := &activation{}
		require.NoError(t, a.activate(everyRow(rows), rows, g, extremesOf(g, 0), 0.5,
			random.New(1, random.RoundGradient, 0), pool))
		total := 0.0
		for _, x := range g.Lambda {
			total += math.Abs(x)
		}
		share := float64(rows) * (0.01 + 0.8*rng.Float64())
		expected := func(u float64) float64 {
			n := 0.0
			for _, x := range g.Lambda {
				n += min(1, math.Abs(x)/u)
			}
			return n
		}
		b := budget{nil, g.Lambda, a.fine.Gradient, share, total, 1 << 30}
		u := total / share
		if at := b.divide(everyRow(rows), u, pool); at.rows(u) < share/2 {
			u = b.unit(u, at, everyRow(rows), pool)
		}
		assert.GreaterOrEqual(t, expected(u), share/2-1e-6*share, "seed %d", seed)
		assert.LessOrEqual(t, expected(u), share+1e-6*share, "seed %d", seed)
	}
}
