package pairwise

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// swapsOf returns the pairs of a query.
func swapsOf(q query, truncation int, offset float64) *Swaps {
	return &Swaps{
		Ranking: Ranking{Order: q.order, Score: q.scores}, Gains: q.gains, Discounts: q.discounts,
		Truncation: truncation, Scale: 1, GapOffset: offset,
	}
}

// TestSwapsByHand: four documents; the last two in the order of the file have equal gains.
func TestSwapsByHand(t *testing.T) {
	s := Swaps{Gains: []float64{3, 0, 1, 1}, Discounts: []float64{1, 0.5, 0.25, 0.125}, Truncation: 2, Scale: 8}
	s.RankAnew([]float64{0, 3, 2, 1})
	require.Equal(t, []int32{1, 2, 3, 0}, s.Order)
	var got []Swap
	for pair := range s.All {
		got = append(got, pair)
	}
	want := []Swap{
		{High: 2, Low: 1, Gap: -1, Delta: 8 * 1 * 0.5},
		{High: 3, Low: 1, Gap: -2, Delta: 8 * 1 * 0.75},
		{High: 0, Low: 1, Gap: -3, Delta: 8 * 3 * 0.875},
		{High: 0, Low: 2, Gap: -2, Delta: 8 * 2 * 0.375},
	}
	assert.Equal(t, want, got)
	s.GapOffset = 2
	n := 0
	for pair := range s.All {
		assert.Equal(t, want[n].Delta/(2-want[n].Gap), pair.Delta)
		if n++; n == 2 {
			break
		}
	}
	assert.Equal(t, 2, n)
}

// TestPairsEqualSwaps: sums with one exponential per document equal the naive sums.
func TestPairsEqualSwaps(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for range 200 {
		q := newQuery(r, 1+r.IntN(60), 5, 20)
		n := len(q.order)
		lambda, hessian, total := make([]float64, n), make([]float64, n), 0.0
		for pair := range swapsOf(q, 7, 0.01).All {
			rho, _ := Logistic(-q.sigma * pair.Gap)
			lambda[pair.High] -= pair.Delta * rho
			lambda[pair.Low] += pair.Delta * rho
			hessian[pair.High] += pair.Delta * rho * (1 - rho)
			hessian[pair.Low] += pair.Delta * rho * (1 - rho)
			total += pair.Delta * rho
		}
		got := q.by(inGo, r, 7, 0.01)
		assert.InDeltaSlice(t, lambda, got.lambda, 1e-12*(1+total))
		assert.InDeltaSlice(t, hessian, got.hessian, 1e-12*(1+total))
		assert.InDelta(t, total, got.total, 1e-12*(1+total))
	}
}

func TestSwapsAllocateNothing(t *testing.T) {
	s := swapsOf(newQuery(rand.New(rand.NewPCG(9, 9)), 40, 5, 10), 30, 0.01)
	sum := 0.0
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		for pair := range s.All {
			sum += pair.Delta
		}
	}))
	assert.Positive(t, sum)
	assert.False(t, math.IsInf(sum, 0))
}
