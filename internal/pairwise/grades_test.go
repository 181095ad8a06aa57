package pairwise

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGradesAddAllPairs compares the sums on a grid with the sums over all pairs.
func TestGradesAddAllPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(49, 1))
	var g Grades // keeps its memory from query to query
	for _, n := range []int{1, 2, 700} {
		for _, width := range []float64{0, 0.1, 3, 40} {
			const grades, sigma = 5, 1.5
			scores, grade := make([]float64, n), make([]int32, n)
			for i := range scores {
				scores[i], grade[i] = width*rng.Float64()-7, rng.Int32N(grades)
			}
			lambda, hessian := make([]float64, n), make([]float64, n)
			sum := g.Add(lambda, hessian, scores, grade, grades, sigma)
			for i := range scores {
				first, second := 0.0, 0.0
				for j := range scores {
					rho := 1 / (1 + math.Exp(sigma*(scores[j]-scores[i]))) // that i is ahead
					switch {
					case grade[i] > grade[j]:
						first -= 1 - rho
						sum -= 1 - rho
					case grade[i] < grade[j]:
						first += rho
					default:
						continue
					}
					second += rho * (1 - rho)
				}
				require.InDelta(t, first, lambda[i], 1e-8*float64(n), "%d documents in %v", n, width)
				require.InDelta(t, second, hessian[i], 1e-8*float64(n))
				require.GreaterOrEqual(t, hessian[i], -1e-9*float64(n))
			}
			assert.InDelta(t, 0, sum, 1e-8*float64(n*n))
		}
	}
	assert.True(t, g.CanAdd(60_000, 5, 20))
	assert.False(t, g.CanAdd(60_000, 60_000, 20))
	assert.False(t, g.CanAdd(3_000, 5, 300))
}
