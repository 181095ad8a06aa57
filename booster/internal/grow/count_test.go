package grow

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/bincut"
	"github.com/lambdamart/lambdamart/internal/binsum"
)

// TestCountsOfHugeEstimates: huge estimates are clamped and do not overflow, on any CPU.
func TestCountsOfHugeEstimates(t *testing.T) {
	for rows, want := range map[float64]int64{0: 0, 2.4: 2, 2.5: 3, 1 << 30: 1 << 30, 1 << 31: 1 << 30,
		1e30: 1 << 30, math.Inf(1): 1 << 30} {
		assert.Equal(t, want, toCount(rows))
	}
}

// TestOfEqualCutsTheSmallerColumnIsChosen: among equal cuts the smaller column number wins, even if columns
// are stored in another order, as they are when one of them has missing values.
func TestOfEqualCutsTheSmallerColumnIsChosen(t *testing.T) {
	l := limits{gainUnit: 1}
	s := search{leaf: bincut.Valued{Leaf: l.Leaf(binsum.Sum{})}, places: []int32{0, 1, 2, 3, 4},
		cuts: []bincut.Cut{{Both: 1, Bin: 0}, {Both: 3, Bin: 7}, {Both: 3, Bin: 5}, {Both: 9, Bin: -1},
			{Both: 3, Bin: 6}}}
	g := &Grower{limits: l, constraints: &constraints{}, layout: layout{placed: []int32{0, 8, 2, 1, 4}}}
	assert.Equal(t, 2, g.bestCut(&s))
	s.cuts, s.places = []bincut.Cut{{Both: 0, Bin: 3}, {Bin: -1}}, []int32{0, 1}
	assert.Equal(t, -1, g.bestCut(&s), "neither gains")
}

// TestCountsOfRows compares the counts with a count of single rows.
func TestCountsOfRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(18, 18))
	data := binsOf(t, usualBins(), randomValues(18, 700, 0.3))[0]
	g := growerOn(data, oneWorker(t))
	g.active, g.bins = &Active{}, withPlanes(data, g.pool)
	enough := 0
	for range 500 {
		column := int32(rng.IntN(len(data.Columns)))
		c := &bincut.Column{Sums: make([]int64, data.Bins(column).NumBins()),
			Missing: data.MissingBins[column]}
		s := &split{Column: column, bin: uint16(rng.IntN(len(c.Sums) - 1)), missingRight: rng.IntN(2) == 0}
		var rows []int32
		left, counts := 0, make([]int64, len(c.Sums))
		for _, r := range rng.Perm(700)[:rng.IntN(701)] {
			bin := data.At(int32(r), column)
			if rows = append(rows, int32(r)); !s.goesRight(bin, c.Missing) {
				left++
			}
			counts[bin]++
		}
		g.limits.MinData = 1 + rng.IntN(200)
		some := rng.IntN(len(rows) + 1)
		want := left >= g.limits.MinData && len(rows)-left >= g.limits.MinData
		require.Equal(t, want, g.count(c, &leaf{rows: rows[:some], idle: &idleRows{rows: rows[some:]}}, s))
		if want {
			enough++
			continue
		}
		require.Equal(t, counts, c.Counts)
		require.Equal(t, len(rows), c.Rows)
	}
	assert.Greater(t, enough, 50)
	assert.Less(t, enough, 450)
}
