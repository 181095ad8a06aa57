package pairwise

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRankIsTheSameFromAnyOrder starts from orders that are close to the result, and from distant ones, with
// and without gains, by which equal scores are ordered before the numbers of their documents.
func TestRankIsTheSameFromAnyOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for _, n := range []int{1, 2, 3, 40, 80, 300} {
		for _, withGains := range []bool{false, true} {
			scores, gains, want := make([]float64, n), make([]float64, n), make([]int32, n)
			for i := range scores {
				scores[i], want[i] = math.Round(4*rng.NormFloat64()), int32(i)
				if withGains {
					gains[i] = float64(rng.IntN(4))
				}
			}
			slices.SortFunc(want, func(a, b int32) int {
				return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(gains[b], gains[a]),
					cmp.Compare(a, b))
			})
			if !withGains {
				gains = nil
			}
			for trial := range 20 {
				last := make([]uint16, n)
				for i, v := range rng.Perm(n) {
					if last[i] = uint16(v); trial%2 == 0 {
						last[i] = uint16(want[i])
					}
				}
				if trial%2 == 0 {
					i, j := rng.IntN(n), rng.IntN(n)
					last[i], last[j] = last[j], last[i]
				}
				r := new(Ranking)
				r.Rank(scores, last, gains)
				require.Equal(t, want, r.Order)
				require.Equal(t, want, widened(last))
				for rank, index := range want {
					require.Equal(t, scores[index], r.Score[rank])
				}
				require.True(t, r.equal || len(slices.Compact(r.Score)) == n)
			}
		}
	}
}

// TestRankOfManyDocuments compares with a sort by comparisons: scores of all magnitudes, some far from all
// others, equal ones, and values that have no digits.
func TestRankOfManyDocuments(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	scoreOf := map[string]func() float64{
		"normal":     rng.NormFloat64,
		"few values": func() float64 { return math.Round(2 * rng.NormFloat64()) },
		"one value":  func() float64 { return 3 },
		"heavy tail": func() float64 { return math.Exp(40 * rng.NormFloat64()) },
		"huge":       func() float64 { return math.MaxFloat64 * (2*rng.Float64() - 1) },
		"tiny":       func() float64 { return math.SmallestNonzeroFloat64 * float64(rng.IntN(9)) },
		"infinite":   func() float64 { return math.Log(float64(rng.IntN(9))) },
	}
	for name, score := range scoreOf {
		for _, n := range []int{manyDocuments - 1, manyDocuments, 3 * manyDocuments} {
			for _, withGains := range []bool{false, true} {
				scores, gains, last, want := make([]float64, n), []float64(nil), make([]uint16, n), make([]int32, n)
				for i, index := range rng.Perm(n) {
					scores[i], last[i], want[i] = score(), uint16(index), int32(i)
					if withGains {
						gains = append(gains, float64(rng.IntN(5)))
					}
				}
				sortDescending(want, scores, gains)
				r := new(Ranking)
				for range 2 {
					r.Rank(scores, last, gains)
					require.Equal(t, want, r.Order, "%s, %d documents", name, n)
					require.Equal(t, len(r.Score), n)
					for rank, index := range want {
						require.Equal(t, scores[index], r.Score[rank])
					}
					require.True(t, name != "one value" && name != "few values" || r.equal)
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
			scores, last := make([]float64, n), make([]uint16, n)
			for i := range scores {
				last[i], scores[i] = uint16(i), rng.NormFloat64()-float64(i)
			}
			for range 1 + rng.IntN(3) {
				scores[rng.IntN(n)] = special[rng.IntN(len(special))]
			}
			r.Rank(scores, last, nil)
			require.Equal(t, widened(last), r.Order)
			for rank, index := range r.Order {
				require.Equal(t, math.Float64bits(scores[index]), math.Float64bits(r.Score[rank]))
			}
			slices.Sort(last)
			for i, index := range last {
				require.EqualValues(t, i, index)
			}
		}
	}
}

// widened returns an order as [Ranking] has it.
func widened(order []uint16) (wide []int32) {
	for _, index := range order {
		wide = append(wide, int32(index))
	}
	return wide
}
