package grow

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/bincut"
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/histogram"
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

// TestCountsOfRows compares the counts with a count of single rows, some of which are idle, in columns of
// bytes and in sparse ones.
func TestCountsOfRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(18, 18))
	const most = 2000
	values := randomValues(18, most, 0.3)
	bytes := binsOf(t, usualBins(), values)[0]
	for _, data := range []*histogram.Matrix{bytes, sparseOf(t, bytes, values)[0]} {
		g := growerOn(data, oneWorker(t))
		g.active, g.bins = &Active{}, withPlanes(data, g.pool)
		enough := 0
		for range 200 {
			g.limits.MinData = 1 + rng.IntN(min(most, 1+rng.IntN(most))/3+1)
			rows := someOf(rng, most)
			lf := &leaf{rows: rows}
			if some := rng.IntN(len(rows) + 1); rng.IntN(2) == 0 {
				lf.rows, lf.idle = rows[:some], &idleRows{rows: rows[some:]}
			}
			for range 3 {
				enough += requireCount(t, rng, g, lf, rows)
			}
		}
		assert.Greater(t, enough, 100)
		assert.Less(t, enough, 500)
	}
}

// someOf returns a random number of different rows.
func someOf(rng *rand.Rand, all int) (rows []int32) {
	for _, r := range rng.Perm(all)[:1+rng.IntN(all)] {
		rows = append(rows, int32(r))
	}
	return rows
}

// requireCount tests a random split of a leaf of rows. It returns 1 if both sides have enough rows.
func requireCount(t *testing.T, rng *rand.Rand, g *Grower, lf *leaf, rows []int32) int {
	column := int32(rng.IntN(len(g.matrix.Columns)))
	bins := g.matrix.Bins(column).NumBins()
	c := &bincut.Column{Sums: make([]int64, bins), Missing: g.matrix.MissingBins[column]}
	s := &split{Column: column, bin: uint16(rng.IntN(len(c.Sums) - 1)), missingRight: rng.IntN(2) == 0}
	left, counts := 0, make([]int64, len(c.Sums))
	for _, r := range rows {
		bin := g.matrix.At(r, column)
		if counts[bin]++; !s.goesRight(bin, c.Missing) {
			left++
		}
	}
	want := left >= g.limits.MinData && len(rows)-left >= g.limits.MinData
	require.Equal(t, want, g.count(c, lf, s))
	if want {
		return 1
	}
	require.Equal(t, counts, c.Counts)
	require.Equal(t, len(rows), c.Rows)
	return 0
}

// TestATreeForgetsTheRowsOfLeaves: what was counted for a leaf does not hold for a leaf of the next tree
// whose rows lie in the same place.
func TestATreeForgetsTheRowsOfLeaves(t *testing.T) {
	values := randomValues(18, 700, 0.3)
	data := sparseOf(t, binsOf(t, usualBins(), values)[0], values)[0]
	g := growerOn(data, oneWorker(t))
	g.active, g.bins = &Active{}, withPlanes(data, g.pool)
	rows, sparse := make([]int32, 700), int32(0)
	for !data.Fields[sparse].Sparse {
		sparse++
	}
	g.bins.Count(make([]int64, data.Bins(sparse).NumBins()), sparse, rows)
	require.True(t, g.bins.CountsFast(sparse, rows))
	g.regrow()
	require.False(t, g.bins.CountsFast(sparse, rows))
}
