package bincut

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/binsum"
)

// set is a set of bins to send left, with the sum and the number of its rows.
type set struct {
	bins []int
	left binsum.Sum
	rows float64
}

// trySets returns the sets that the rules try, in order. It follows LightGBM's function line by line, with
// lists in place of running sums.
func (p *problem) trySets(r *Categories, rows float64) (sets []set) {
	c := &p.column
	estimate := func(b int) float64 {
		return math.Floor(float64(binsum.Unpack(c.Sums[b]).Hessian)*(rows/float64(p.total.Hessian)) + 0.5)
	}
	count := func(b int) float64 {
		if c.Counts != nil {
			return float64(c.Counts[b])
		}
		return estimate(b)
	}
	setOf := func(bins []int) set {
		s := set{bins: bins}
		for _, b := range bins {
			s.left, s.rows = s.left.Add(binsum.Unpack(c.Sums[b])), s.rows+count(b)
		}
		return s
	}
	all := rows
	if c.Counts != nil {
		all = float64(c.Rows)
	}
	allowed := func(s set) bool {
		right := p.total.Sub(s.left)
		return min(s.rows, all-s.rows) >= float64(p.limits.MinData) &&
			float64(min(s.left.Hessian, right.Hessian)) >= p.limits.MinHessian
	}
	if len(c.Sums) <= r.MostOneHot {
		for b := 1; b < len(c.Sums); b++ {
			if s := setOf([]int{b}); allowed(s) {
				sets = append(sets, s)
			}
		}
		return sets
	}
	var order []int
	for b := 1; b < len(c.Sums); b++ {
		if c.Sums[b] != 0 && estimate(b) >= r.SmoothRows {
			order = append(order, b)
		}
	}
	key := func(b int) float64 {
		s := binsum.Unpack(c.Sums[b])
		return float64(s.Gradient) / (float64(s.Hessian) + r.Smooth)
	}
	sort.SliceStable(order, func(i, j int) bool { return key(order[i]) < key(order[j]) })
	backward := []int{}
	for i := range order {
		backward = append(backward, order[len(order)-1-i])
	}
	for _, direction := range [][]int{order, backward} {
		tried := 0.0 // rows of the previously tried set
		for n := 1; n <= min(r.Most, (len(order)+1)/2); n++ {
			s := setOf(direction[:n])
			enough := s.rows >= float64(p.limits.MinData) && float64(s.left.Hessian) >= p.limits.MinHessian
			if enough && all-s.rows < float64(r.Group) {
				break
			}
			if enough && !allowed(s) {
				break
			}
			if enough && s.rows-tried >= float64(r.Group) {
				sets, tried = append(sets, s), s.rows
			}
		}
	}
	return sets
}

// TestCategoryCutEqualsTheSetsThatAreTried: the best cut is the first set with the largest gain, and its
// bins are the bins of that set.
func TestCategoryCutEqualsTheSetsThatAreTried(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	cuts, ends := 0, 0
	for range 20000 {
		p := randomProblem(rng)
		if p.total.Hessian == 0 {
			continue
		}
		rows := float64(max(1, p.column.Rows) + rng.IntN(100))
		smooth := []float64{0, 0.5, 3}[rng.IntN(3)]
		r := Categories{Smooth: 20 * smooth, SmoothRows: smooth, L2: float64(rng.IntN(3) * 20), Most: 1 +
			rng.IntN(40), MostOneHot: rng.IntN(12), Group: 1 + rng.IntN(20)}
		lf := p.limits.Valued(Values{}, p.total, 0, rows)
		var memory Order
		leaf := CategoryLeaf{Valued: &lf, Rules: &r, Memory: &memory, Ends: &Ends{}}
		cut := leaf.Cut(&p.column, AnySet)
		want, both := []int(nil), lf.floor
		s := leaf.search(&p.column)
		for _, tried := range p.trySets(&r, rows) {
			if gain := s.both(tried.left.Pack(), tried.rows); gain > both {
				want, both = tried.bins, gain
			}
		}
		if want == nil {
			require.Equal(t, int32(-1), cut.Bin)
			continue
		}
		require.Equal(t, both, cut.Both)
		uncounted := Column{Sums: p.column.Sums, Missing: -1}
		var got []int
		left := binsum.Sum{}
		for _, b := range leaf.LeftBins(&uncounted, &cut) {
			got, left = append(got, int(b)), left.Add(binsum.Unpack(p.column.Sums[b]))
		}
		require.ElementsMatch(t, want, got)
		require.Equal(t, left, lf.Left(&cut))
		require.NotContains(t, got, 0)
		cuts++
		if cut.FromEnd {
			ends++
		}
	}
	assert.Greater(t, cuts, 3000)
	assert.Greater(t, ends, 500)
}
