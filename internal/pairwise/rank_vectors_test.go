package pairwise

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// inGoRank is Rank without assembly.
func inGoRank(scores []float64, order []int32, gains []float64) (r Ranking) {
	r.Order = order
	r.setScores(scores)
	if !r.insert(insertSteps*len(order), gains) {
		sortDescending(order, scores, gains)
		r.setScores(scores)
	}
	return r
}

// TestRankInVectorsIsThatInGo has documents that move a little, far, or not at all, and equal scores.
func TestRankInVectorsIsThatInGo(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	r := new(Ranking)
	for n := 1; n < 150; n++ {
		for _, moves := range []float64{0, 1e-3, 0.1, 10} {
			for _, different := range []int{1, 3, 1 << 30} {
				scores, gains, order := make([]float64, n), make([]float64, n), make([]int32, n)
				for i, index := range rng.Perm(n) {
					order[i], gains[i] = int32(index), float64(rng.IntN(3))
					scores[index] = -float64(i)/float64(n) + moves*rng.NormFloat64()
				}
				for i := range scores {
					scores[i] = math.Round(scores[i]*float64(different)) / float64(different)
				}
				want := inGoRank(scores, slices.Clone(order), gains)
				r.Rank(scores, order, gains)
				require.Equal(t, want.Order, r.Order)
				require.Equal(t, want.Score, r.Score)
				if want.equal {
					require.True(t, r.equal)
				}
			}
		}
	}
}

// TestRankKeepsAllDocuments: for any scores, the order is a permutation of all documents.
func TestRankKeepsAllDocuments(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 10))
	special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1)}
	r := new(Ranking)
	for n := 1; n < 60; n++ {
		for range 20 {
			scores, order := make([]float64, n), make([]int32, n)
			for i := range scores {
				order[i], scores[i] = int32(i), rng.NormFloat64()-float64(i)
			}
			for range 1 + rng.IntN(3) {
				scores[rng.IntN(n)] = special[rng.IntN(len(special))]
			}
			r.Rank(scores, order, nil)
			for rank, index := range r.Order {
				require.Equal(t, math.Float64bits(scores[index]), math.Float64bits(r.Score[rank]))
			}
			slices.Sort(order)
			for i, index := range order {
				require.EqualValues(t, i, index)
			}
		}
	}
}
