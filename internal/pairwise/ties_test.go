package pairwise

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tiedQuery returns a query of n documents with only a few different scores, ranked by gain among equal
// scores. Gains and scores are in the order of documents.
func tiedQuery(rng *rand.Rand, n, scores int) (q query, byIndex []float64) {
	q = newQuery(rng, n, 4, 0)
	for range n {
		byIndex = append(byIndex, float64(rng.IntN(scores))/2)
	}
	last := make([]uint16, n)
	for i := range last {
		last[i] = uint16(i)
	}
	r := new(Ranking)
	r.Rank(byIndex, last, q.gains)
	q.order, q.scores = r.Order, r.Score
	return q, byIndex
}

// tiesOf returns the ties of a query that has equal scores.
func tiesOf(q query, truncation int) *Ties {
	t := new(Ties)
	if !t.Find(&Ranking{Order: q.order, Score: q.scores, equal: true}, q.gains, q.discounts, truncation) {
		return nil
	}
	return t
}

// meanOverOrders returns the weight of each pair of documents by definition: the mean over all orders of
// documents with equal scores. Weights are not divided by score gaps.
func meanOverOrders(q query, truncation int) [][]float64 {
	n := len(q.order)
	sum, orders := make([][]float64, n), 0.0
	for i := range sum {
		sum[i] = make([]float64, n)
	}
	var permute func(order []int32, rank int)
	permute = func(order []int32, rank int) {
		if rank == n {
			orders++
			s := Swaps{Ranking: Ranking{Order: order, Score: q.scores}, Gains: q.gains, Discounts: q.discounts,
				Truncation: truncation, Scale: 1}
			for pair := range s.All {
				sum[pair.High][pair.Low] += pair.Delta
			}
			return
		}
		for other := rank; other < n && q.scores[other] == q.scores[rank]; other++ {
			order[rank], order[other] = order[other], order[rank]
			permute(order, rank+1)
			order[rank], order[other] = order[other], order[rank]
		}
	}
	permute(slices.Clone(q.order), 0)
	for _, row := range sum {
		for i := range row {
			row[i] /= orders
		}
	}
	return sum
}

func TestWeightsOfTiesAreMeansOverAllOrders(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	for trial := range 300 {
		n, truncation := 2+rng.IntN(6), 1+rng.IntN(8)
		q, _ := tiedQuery(rng, n, 1+trial%4)
		ties := tiesOf(q, truncation)
		if ties == nil {
			continue
		}
		want := meanOverOrders(q, truncation)
		s := Swaps{Ranking: Ranking{Order: q.order, Score: q.scores}, Gains: q.gains, Discounts: q.discounts,
			Truncation: truncation, Scale: 1, Ties: ties}
		for pair := range s.All {
			require.InDelta(t, want[pair.High][pair.Low], pair.Delta, 1e-14)
			want[pair.High][pair.Low] = 0
		}
		for _, row := range want {
			for _, left := range row {
				require.InDelta(t, 0, left, 1e-14, "a pair is missing")
			}
		}
	}
}

// TestTiesByHand: two documents with equal scores share the only rank that counts.
func TestTiesByHand(t *testing.T) {
	q := query{scores: []float64{1, 1, 0}, gains: []float64{2, 0, 1}, discounts: []float64{1, 0.5, 0.25},
		order: []int32{0, 1, 2}}
	s := Swaps{Ranking: Ranking{Order: q.order, Score: q.scores}, Gains: q.gains, Discounts: q.discounts,
		Truncation: 1, Scale: 1, Ties: tiesOf(q, 1)}
	var got []Swap
	for pair := range s.All {
		got = append(got, pair)
	}
	assert.Equal(t, []Swap{
		{High: 0, Low: 1, Delta: 2 * 0.5},             // either of them is first
		{High: 0, Low: 2, Gap: 1, Delta: 0.5 * 0.75},  // if document 0 is first
		{High: 2, Low: 1, Gap: -1, Delta: 0.5 * 0.75}, // if document 1 is first
	}, got)
}

// tiedSums computes the sums with Ties.Pairs and a kernel.
func tiedSums(k kernel, q query, truncation int, offset float64) sums {
	var d Documents
	n := len(q.order)
	d.Fill(q.scores, q.order, q.gains, q.discounts, q.sigma)
	s := sums{lambda: make([]float64, n), hessian: make([]float64, n)}
	s.total = tiesOf(q, truncation).pairs(k, &d, truncation, offset)
	d.Derivatives(s.lambda, s.hessian, q.order, 1, 1)
	return s
}

func TestSumsOfTiesEqualSwaps(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 2))
	for trial := range 400 {
		n, truncation, offset := 2+rng.IntN(70), 1+rng.IntN(40), []float64{0.01, 1}[trial%2]
		q, _ := tiedQuery(rng, n, 1+trial%30)
		ties := tiesOf(q, truncation)
		if ties == nil {
			continue
		}
		want := sums{lambda: make([]float64, n), hessian: make([]float64, n)}
		swaps := Swaps{Ranking: Ranking{Order: q.order, Score: q.scores}, Gains: q.gains, Discounts: q.discounts,
			Truncation: truncation, Scale: 1, GapOffset: offset, Ties: ties}
		for pair := range swaps.All {
			rho, _ := Logistic(-q.sigma * pair.Gap)
			x := pair.Delta * rho
			want.lambda[pair.High] -= x
			want.lambda[pair.Low] += x
			want.hessian[pair.High] += x * (1 - rho)
			want.hessian[pair.Low] += x * (1 - rho)
			want.total += x
		}
		got := tiedSums(inGo, q, truncation, offset)
		for _, k := range kernels() {
			require.Equal(t, bits(got), bits(tiedSums(k, q, truncation, offset)))
		}
		require.InDelta(t, want.total, got.total, 1e-12*(1+want.total))
		require.InDeltaSlice(t, want.lambda, got.lambda, 1e-12*(1+want.total))
		require.InDeltaSlice(t, want.hessian, got.hessian, 1e-12*(1+want.total))
		for _, h := range got.hessian {
			require.GreaterOrEqual(t, h, 0.0)
		}
	}
}

func TestNoTiesAreFoundWhereThereAreNone(t *testing.T) {
	q := query{scores: []float64{2, 1, 0}, gains: []float64{2, 0, 1}, discounts: []float64{1, 0.5, 0.25},
		order: []int32{0, 1, 2}}
	assert.Nil(t, tiesOf(q, 1))
}
