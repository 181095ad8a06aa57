package bincut

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/binsum"
)

// gainOfSet returns, by definition, what a leaf contributes to the summed gain of a set. Without counts of
// rows it returns an upper bound.
func gainOfSet(p *valuedProblem, lf *CategoryLeaf, bins []int, certain float64) float64 {
	left, counted, rows := binsum.Sum{}, 0, 0.0
	estimate := lf.search(&Column{Sums: p.column.Sums, Missing: -1})
	for _, b := range bins {
		left, counted = left.Add(binsum.Unpack(p.column.Sums[b])), counted+p.column.count(b)
		rows += estimate.rowsOf(int32(b))
	}
	right := p.total.Sub(left)
	smaller := float64(min(left.Hessian, right.Hessian))
	if smaller < p.limits.MinHessian || p.column.Counts != nil &&
		min(counted, p.column.Rows-counted) < p.limits.MinData {
		return 0
	}
	gain := estimate.both(left.Pack(), rows) - lf.floor
	if p.column.Counts == nil && smaller < certain {
		gain = max(gain, 0)
	}
	return gain
}

// TestCategoryLevelEqualsTheSumsOfItsLeaves: the sets that are tried for a level are the sets tried for one
// leaf with all rows. The best one has the largest gain summed over the leaves, where a leaf that may not
// be split by the set contributes nothing.
func TestCategoryLevelEqualsTheSumsOfItsLeaves(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 31))
	var level CategoryLevel
	cuts, ends, sorted := 0, 0, 0
	for range 6000 {
		first := randomValued(rng)
		first.limits.MinGain = 0
		valued, certain := rng.IntN(2) == 0, float64(rng.IntN(2)*rng.IntN(400))
		smooth := []float64{0, 0.5, 3}[rng.IntN(3)]
		r := Categories{Smooth: 20 * smooth, SmoothRows: smooth, L2: float64(rng.IntN(3) * 20), Most: 1 +
			rng.IntN(40), MostOneHot: rng.IntN(12), Group: 1 + rng.IntN(20)}
		var memory, other Order
		var problems []*valuedProblem
		var leaves []CategoryLeaf
		union := problem{limits: first.limits, column: Column{Sums: make([]int64, len(first.column.Sums)),
			Missing: -1}}
		unionRows := 0.0
		for range 1 + rng.IntN(5) {
			p := first.leafOf(rng)
			if p.total.Hessian == 0 {
				continue
			}
			plain := p.limits.Valued(Values{}, p.total, 0, float64(max(1, p.column.Rows)+rng.IntN(100)))
			lf := CategoryLeaf{Valued: &plain, Rules: &r, Memory: &other, Ends: &Ends{}}
			if p.column.Missing = -1; valued {
				lf.Valued = &p.valued
			}
			problems, leaves = append(problems, p), append(leaves, lf)
			union.total, unionRows = union.total.Add(p.total), unionRows+lf.Rows
			for b, sum := range p.column.Sums {
				union.column.Sums[b] += sum
			}
		}
		if len(leaves) == 0 {
			continue
		}
		level.Begin(&first.limits, &r, len(first.column.Sums), &memory)
		level.Certain = certain
		for i := range leaves {
			level.Include(&leaves[i], &problems[i].column)
		}
		level.Order()
		for i := range leaves {
			level.Add(&leaves[i], &problems[i].column)
		}
		best := 0.0
		for _, tried := range union.trySets(&r, unionRows) {
			sum := 0.0
			for i := range leaves {
				sum += gainOfSet(problems[i], &leaves[i], tried.bins, certain)
			}
			best = max(best, sum)
		}
		got := level.Best(AnySet)
		if best < 1e-9 {
			require.Less(t, got.Both, 1e-9)
			continue
		}
		require.InEpsilon(t, best, got.Both, 1e-9)
		if cuts++; got.FromEnd {
			ends++
		}
		bins := level.LeftBins(&got)
		right := make([]uint8, len(first.column.Sums))
		for b := range right {
			right[b] = 1
		}
		for _, b := range bins {
			right[b] = 0
		}
		if !r.OneHot(len(right)) {
			sorted++
		}
		requireSet(t, problems, leaves, bins, right)
	}
	assert.Greater(t, cuts, 1500, "the test is empty")
	assert.Greater(t, ends, 250)
	assert.Greater(t, sorted, 500)
}

// requireSet requires that each leaf's fixed cut equals its cut by the given bins.
func requireSet(t *testing.T, problems []*valuedProblem, leaves []CategoryLeaf, bins []int32, right []uint8) {
	t.Helper()
	var got []int
	for _, b := range bins {
		got = append(got, int(b))
	}
	for i := range leaves {
		p := problems[i]
		p.column.Counts = nil
		cut := leaves[i].After(&p.column, right)
		left := binsum.Sum{}
		for _, b := range got {
			left = left.Add(binsum.Unpack(p.column.Sums[b]))
		}
		allowed := float64(min(left.Hessian, p.total.Hessian-left.Hessian)) >= p.limits.MinHessian
		require.Equal(t, allowed, cut.Bin >= 0)
		if allowed {
			require.Equal(t, left, leaves[i].Left(&cut))
			gain := cut.Both - leaves[i].floor
			require.InDelta(t, gainOfSet(p, &leaves[i], got, 0), gain, 1e-9*(1+math.Abs(gain)))
		}
	}
}
