package pairwise

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTogetherEqualsOneByOne adds the pairs of queries of different lengths, with and without ties, in memory
// that is used again.
func TestTogetherEqualsOneByOne(t *testing.T) {
	for _, by := range kernels()[1:] {
		t.Run(by.String(), func(t *testing.T) { testTogether(t, by) })
	}
}

func testTogether(t *testing.T, by kernel) {
	r := rand.New(rand.NewPCG(8, 8))
	var together Together
	for trial := range 900 {
		truncation := []int{1, 3, 30, 1000}[r.IntN(4)]
		var want, got []sums
		var orders [][]int32
		for range 1 + r.IntN(MostTogether) {
			n := 1 + r.IntN([]int{3, 12, Short}[trial%3])
			q, ties := newQuery(r, n, []int{1, 2, 5, 1000}[r.IntN(4)],
				[]float64{0, 8, MaxRange}[r.IntN(3)]), (*Ties)(nil)
			if r.IntN(2) == 0 {
				q, _ = tiedQuery(r, n, 1+r.IntN(5))
				ties = tiesOf(q, truncation)
			}
			ranking := &Ranking{Order: q.order, Score: q.scores}
			if !CanTogether(ties) {
				continue
			}
			var d Documents
			d.Fill(q.scores, q.order, q.gains, q.discounts, q.sigma)
			offset := []float64{0, 0.01}[r.IntN(2)]
			number := together.Add(byIndex(ranking), q.gains)
			together.SetRanking(number, ranking, ties, q.gains, q.discounts, q.sigma, offset)
			if offset == 0 {
				d.ForgetScores()
				offset = 1
			}
			s := sums{lambda: make([]float64, n), hessian: make([]float64, n)}
			if ties == nil {
				s.total = d.pairs(inGo, truncation, offset)
			} else {
				s.total = ties.pairs(inGo, &d, truncation, offset)
			}
			d.Derivatives(s.lambda, s.hessian, q.order, 2, 3)
			want, orders = append(want, s), append(orders, q.order)
		}
		for i, total := range together.pairs(by, truncation) {
			s := sums{make([]float64, len(orders[i])), make([]float64, len(orders[i])), total}
			together.Derivatives(i, s.lambda, s.hessian, 2, 3)
			got = append(got, s)
		}
		require.Len(t, got, len(want))
		for i := range want {
			require.Equal(t, bits(want[i]), bits(got[i]), "trial %d, query %d", trial, i)
		}
	}
}
