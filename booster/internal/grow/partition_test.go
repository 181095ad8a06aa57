package grow

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/internal/par"
)

// missingWays are the ways to treat missing values.
var missingWays = map[string]func(*histogram.BinParams){
	"NaN":  func(*histogram.BinParams) {},
	"zero": func(p *histogram.BinParams) { p.Missing = histogram.MissingZero },
	"none": func(p *histogram.BinParams) { p.Missing = histogram.MissingNone },

	"NaN, many bins": func(p *histogram.BinParams) { p.MaxBin, p.MinDataInBin = 1000, 1 },
	"zero, many bins": func(p *histogram.BinParams) {
		p.Missing, p.MaxBin, p.MinDataInBin = histogram.MissingZero, 1000, 1
	},
}

func TestPartitionSendsMissingRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 17))
	train := randomValues(17, 5*partitionPart/2, 0.2)
	for name, change := range missingWays {
		p := usualBins()
		change(&p)
		data := binsOf(t, p, train)[0]
		pool := par.New(3)
		defer pool.Close()
		g := growerOn(data, pool)
		g.bins = withPlanes(data, pool)
		excepted := 0
		for trial := range 60 {
			column := int32(rng.IntN(len(data.Columns)))
			missing := data.MissingBins[column]
			s := &split{Column: column, bin: uint16(rng.IntN(data.Bins(column).NumBins() - 1)),
				missingRight: missing >= 0 && rng.IntN(2) == 0}
			if s.cut(data).Exception != binsum.NoBin {
				excepted++
			}
			n := []int{0, 1, partitionPart, len(train)}[trial%4]
			rows, spare := make([]int32, n), make([]int32, n)
			for i, r := range rng.Perm(len(train))[:n] {
				rows[i] = int32(r)
			}
			requirePartition(t, g, rows, spare, s)
		}
		assert.Equal(t, name != "none", excepted > 10, "%s: %d", name, excepted)
	}
}

// requirePartition partitions rows, and compares the result with the sides of single rows.
func requirePartition(t *testing.T, g *Grower, rows, spare []int32, s *split) {
	t.Helper()
	var left, right []int32
	for _, r := range rows {
		if s.goesRight(g.matrix.At(r, s.Column), g.matrix.MissingBins[s.Column]) {
			right = append(right, r)
		} else {
			left = append(left, r)
		}
	}
	require.Equal(t, len(left), g.partition(rows, spare, s))
	require.Equal(t, append(left, right...), append([]int32(nil), rows...))
}

// requireLeavesOfRows requires that routing all rows of data together gives the same leaves as routing each
// row alone.
func requireLeavesOfRows(t *testing.T, g *Grower, data *histogram.Matrix) {
	t.Helper()
	leaves := make([]int32, data.NumRows())
	g.FindLeaves(leaves, data)
	for row, leaf := range leaves {
		require.Equal(t, g.descend(0, data, row), leaf)
	}
}

func TestFindLeavesEqualsTheWalkOfOneRow(t *testing.T) {
	for _, maxBin := range []int{255, 600} {
		for _, rows := range []int{1, walkBlock + 29} {
			tr := usualTrial()
			tr.NumLeaves, tr.bins.MinDataInBin, tr.bins.MaxBin = 40, 1, maxBin
			sets := [][][]float64{randomValues(12, 600, 0), randomValues(13, rows, 0)}
			g := tr.grow(t, 12, sets[0])
			requireLeavesOfRows(t, g, binsBy(t, g.matrix.Mapper, sets[1])[0])
			tr.sparse = true
			g = tr.grow(t, 12, sets[0])
			requireLeavesOfRows(t, g, binsBy(t, g.matrix.Mapper, sets[1])[0])
		}
	}
}

func TestFindLeavesBesideMissingEqualsTheWalkOfOneRow(t *testing.T) {
	for name, change := range missingWays {
		tr := usualTrial()
		tr.NumLeaves = 40
		change(&tr.bins)
		g := tr.grow(t, 12, randomValues(12, 600, 0.3))
		exceptions := slices.ContainsFunc(g.Nodes,
			func(n node) bool { return n.cut(g.matrix).Exception != binsum.NoBin })
		require.Equal(t, name != "none", exceptions, name)
		requireLeavesOfRows(t, g, binsBy(t, g.matrix.Mapper, randomValues(13, walkBlock+29, 0.3))[0])
	}
}

func TestFindLeavesByCategoriesEqualsTheWalkOfOneRow(t *testing.T) {
	tr := usualTrial()
	tr.bins.Categorical, tr.NumLeaves = "1,3", 12
	g := tr.grow(t, 1, shopValues(1, 5000))
	require.True(t, slices.ContainsFunc(g.Nodes, func(n node) bool { return n.sides != nil }))
	requireLeavesOfRows(t, g, g.matrix)
	for i := range g.Nodes {
		rows, spare := make([]int32, 5000), make([]int32, 5000)
		for r := range rows {
			rows[r] = int32(r)
		}
		requirePartition(t, g, rows, spare, &g.Nodes[i].split)
	}
}
