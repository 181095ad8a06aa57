package bincut

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/binsum"
)

// leafOf returns a leaf with the limits of p and a random subset of its bins in random order; other bins
// are empty.
func (p *valuedProblem) leafOf(rng *rand.Rand) *valuedProblem {
	lf := *p
	c := Column{Missing: p.column.Missing}
	lf.total = binsum.Sum{}
	for _, b := range rng.Perm(len(p.column.Sums)) {
		sum, count := p.column.Sums[b], p.column.count(b)
		if rng.IntN(4) == 0 {
			sum, count = 0, 0
		}
		c.Sums, lf.total, c.Rows = append(c.Sums, sum), lf.total.Add(binsum.Unpack(sum)), c.Rows+count
		if p.column.Counts != nil {
			c.Counts = append(c.Counts, int64(count))
		}
	}
	lf.column = c
	v := p.valued
	lf.valued = lf.limits.Valued(v.Values, lf.total, v.Value, v.Rows)
	lf.valued.Bounds = v.Bounds
	return &lf
}

// gainOf returns, by definition, what a leaf contributes to the summed gain of a cut. Without counts of
// rows it returns an upper bound.
func (p *valuedProblem) gainOf(valued bool, after int, missingRight bool, certain float64) float64 {
	var gain float64
	var allowed bool
	if valued {
		var both float64
		both, _, _, allowed = p.try(after, missingRight)
		gain = both - p.valued.floor
	} else {
		var cut Cut
		cut, allowed = p.problem.try(after, missingRight)
		gain = cut.Both - p.limits.Leaf(p.total).floor
	}
	right := binsum.Sum{}
	for b, sum := range p.column.Sums {
		if p.goesRight(b, after, missingRight) {
			right = right.Add(binsum.Unpack(sum))
		}
	}
	smaller := float64(min(right.Hessian, p.total.Hessian-right.Hessian))
	switch {
	case !allowed:
		return 0
	case p.column.Counts == nil && smaller < certain && gain < 0:
		return 0
	}
	return gain
}

// TestLevelsEqualBruteForce sums gains over leaves of random columns, with and without rules for leaf values.
func TestLevelsEqualBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 12))
	cuts, sides, losses := 0, 0, 0
	for range 6000 {
		first, valued, certain := randomValued(rng), rng.IntN(2) == 0, float64(rng.IntN(2)*rng.IntN(400))
		first.limits.MinGain = 0
		level := Level{Certain: certain}
		level.Begin(len(first.column.Sums))
		var leaves []*valuedProblem
		for range 1 + rng.IntN(5) {
			lf := first.leafOf(rng)
			if lf.total.Hessian == 0 {
				continue
			}
			leaves = append(leaves, lf)
			if valued {
				level.AddValued(&lf.valued, &lf.column, lf.request)
			} else {
				plain := lf.limits.Leaf(lf.total)
				level.Add(&plain, &lf.column)
			}
		}
		want, m := Cut{Bin: -1}, first.column.Missing
		try := func(after int, missingRight bool) {
			sum := 0.0
			for _, lf := range leaves {
				gain := lf.gainOf(valued, after, missingRight, certain)
				if sum += gain; gain < 0 {
					losses++
				}
			}
			if sum > want.Both {
				want = Cut{Both: sum, Bin: int32(after), MissingRight: missingRight}
			}
		}
		end := len(first.column.Sums) - 1
		for after := end - 1; after >= 0; after-- {
			try(after, false)
		}
		beside := false
		for _, lf := range leaves {
			beside = beside || m >= 0 && !lf.column.isEmpty(m)
		}
		for after := 0; beside && after < end; after++ {
			try(after, true)
		}
		got := level.Best()
		if valued && want.Bin >= 0 { // summation order differs
			require.InEpsilon(t, want.Both, got.Both, 1e-9)
			got.Both = want.Both
		}
		require.Equal(t, want, got, "valued: %v, certain: %v", valued, certain)
		if got.Bin < 0 {
			continue
		}
		if cuts++; got.MissingRight {
			sides++
		}
		requireAfter(t, leaves, valued, got)
	}
	assert.Greater(t, cuts, 1500, "the test is empty")
	assert.Greater(t, sides, 300)
	assert.Greater(t, losses, 1000)
}

// requireAfter requires that the fixed cut of each leaf has the gain and the sums
// that follow from its definition.
func requireAfter(t *testing.T, leaves []*valuedProblem, valued bool, cut Cut) {
	t.Helper()
	for _, lf := range leaves {
		lf.column.Counts = nil
		request := Request{Direction: lf.request.Direction, Only: cut.Bin, MissingRight: cut.MissingRight}
		if valued {
			lf.request = request
			both, _, _, allowed := lf.try(int(cut.Bin), cut.MissingRight)
			got := lf.valued.After(&lf.column, request)
			require.Equal(t, allowed, got.Bin >= 0)
			if allowed {
				require.InDelta(t, both, got.Both, 1e-9*(1+math.Abs(both)))
			}
			continue
		}
		want, allowed := lf.problem.try(int(cut.Bin), cut.MissingRight)
		plain := lf.limits.Leaf(lf.total)
		got := plain.After(&lf.column, request)
		require.Equal(t, allowed, got.Bin >= 0)
		if allowed {
			require.Equal(t, want, got)
		}
	}
}
