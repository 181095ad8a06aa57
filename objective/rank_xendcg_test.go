package objective

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// xendcgByLightGBM is RankXENDCG::GetGradientsForOneQuery of LightGBM's rank_objective.hpp with the same
// order of operations. The caller supplies the random numbers.
func xendcgByLightGBM(labels, scores, draws []float64) (lambdas, hessians []float64) {
	n := len(labels)
	rho, params := make([]float64, n), make([]float64, n)
	lambdas, hessians = make([]float64, n), make([]float64, n)
	largest, sum := math.Inf(-1), 0.0
	for _, s := range scores {
		largest = math.Max(largest, s)
	}
	for i, s := range scores {
		rho[i] = math.Exp(s - largest)
		sum += rho[i]
	}
	phi := 0.0
	for i := range rho {
		rho[i] /= sum
		params[i] = math.Pow(2, labels[i]) - draws[i]
		phi += params[i]
	}
	first, second := 0.0, 0.0
	for i := range rho {
		term := -params[i]/phi + rho[i]
		lambdas[i] = term
		params[i] = term / (1 - rho[i])
		first += params[i]
	}
	for i := range rho {
		term := rho[i] * (first - params[i])
		lambdas[i] += term
		params[i] = term / (1 - rho[i])
		second += params[i]
	}
	for i := range rho {
		lambdas[i] += rho[i] * (second - params[i])
		hessians[i] = rho[i] * (1 - rho[i])
	}
	return lambdas, hessians
}

func TestXENDCGIsLightGBMs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	p := DefaultAllParams()
	for range 50 {
		labels, scores := randomQuery(rng, 2+rng.IntN(60))
		data := oneQuery(labels...)
		o, err := New("rank_xendcg", &p)
		require.NoError(t, err)
		require.NoError(t, o.Prepare(data))
		q := queryOf(data, scores)
		q.Iteration, q.Seed = 7, 3
		var draws []float64
		for i := range labels {
			draws = append(draws, q.Draws(drawXENDCG).Uniform(i))
		}
		lambdas, hessians := xendcgByLightGBM(labels, scores, draws)
		g := gradientsAt(o, q)
		assert.InDeltaSlice(t, lambdas, g.Lambda, 1e-10)
		assert.InDeltaSlice(t, hessians, g.Hessian, 1e-14)
		q.Iteration++
		assert.NotEqual(t, g.Lambda, gradientsAt(o, q).Lambda, "drawn again in each iteration")
	}
}

// TestXENDCGOfDistantScores: if one document has all of the softmax, LightGBM's sums are 0/0.
func TestXENDCGOfDistantScores(t *testing.T) {
	p := DefaultAllParams()
	o, err := New("rank_xendcg", &p)
	require.NoError(t, err)
	data := oneQuery(0, 1, 0)
	require.NoError(t, o.Prepare(data))
	for _, gap := range []float64{30, 36, 40, 100, 800, 1e300} {
		g := gradientsAt(o, queryOf(data, []float64{gap, 0, -1}))
		for i := range g.Lambda {
			assert.LessOrEqual(t, math.Abs(g.Lambda[i]), 5.0, "gap %v", gap)
		}
		assert.Positive(t, g.Lambda[0], "gap %v", gap)
	}
}
