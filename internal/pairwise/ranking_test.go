package pairwise

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRankIsTheSameFromAnyOrder starts from orders that are close to the result, and from distant ones.
func TestRankIsTheSameFromAnyOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for _, n := range []int{1, 2, 3, 40, 300} {
		scores := make([]float64, n)
		for i := range scores {
			scores[i] = math.Round(4 * rng.NormFloat64())
		}
		var want []int32
		for trial := range 20 {
			order := make([]int32, n)
			for i, v := range rng.Perm(n) {
				order[i] = int32(v)
			}
			if trial%2 == 0 && want != nil {
				copy(order, want)
				i, j := rng.IntN(n), rng.IntN(n)
				order[i], order[j] = order[j], order[i]
			}
			r := new(Ranking)
			r.Rank(scores, order, nil)
			if want == nil {
				want = append(want, order...)
			}
			require.Equal(t, want, order)
			for rank, index := range order {
				require.Equal(t, scores[index], r.Score[rank])
				if rank > 0 {
					before := order[rank-1]
					require.True(t, scores[before] > scores[index] || scores[before] == scores[index] && before < index)
				}
			}
		}
	}
}

// BenchmarkRank reports the time per document. Scores change from call to call so much that a document
// passes about
// one other.
func BenchmarkRank(b *testing.B) {
	const n, calls = 120, 64
	rng := rand.New(rand.NewPCG(8, 8))
	scores, order := make([][]float64, calls), make([]int32, n)
	for i := range order {
		order[i] = int32(i)
		score := rng.NormFloat64()
		for call := range scores {
			score += 0.03 * rng.NormFloat64()
			scores[call] = append(scores[call], score)
		}
	}
	r, call := new(Ranking), 0
	for b.Loop() {
		r.Rank(scores[call%calls], order, nil)
		call++
	}
	if !slices.IsSortedFunc(r.Score, func(a, b float64) int { return cmp.Compare(b, a) }) {
		b.Fatal("not sorted")
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/document")
}
