package booster

import (
	"github.com/lambdamart/lambdamart/histogram"
)

// scoreBlock is the number of rows that a worker scores at a time.
const scoreBlock = 1 << 12

// findLeaves writes the number of the leaf that each row of data ends in to dst,
// one entry a row. It sends rows down the grown tree by their bins, which are as
// good as their values: see package histogram.
func (g *grower) findLeaves(dst []int32, data *histogram.Matrix) {
	g.pool.Blocks(len(dst), scoreBlock, func(_, from, to int) {
		for row := from; row < to; row++ {
			dst[row] = g.leafOf(data.Row(row))
		}
	})
}

// leafOf returns the number of the leaf of the grown tree that a row with these
// bins ends in.
func (g *grower) leafOf(bins []uint8) int32 {
	at := int32(0)
	for at >= 0 {
		n := &g.nodes[at]
		if bins[n.column] <= n.bin {
			at = n.left
		} else {
			at = n.right
		}
	}
	return ^at
}

// markLeaves is findLeaves for a tree that was grown on all rows: the leaves
// know them.
func (g *grower) markLeaves(dst []int32) {
	g.pool.Run(len(g.leaves), func(_, leaf int) {
		for _, row := range g.leaves[leaf].rows {
			dst[row] = int32(leaf)
		}
	})
}

// addValues adds the value of each row's leaf to its score.
func (g *grower) addValues(scores []float64, leafOf []int32, values []float64) {
	g.pool.Blocks(len(scores), scoreBlock, func(_, from, to int) {
		for row := from; row < to; row++ {
			scores[row] += values[leafOf[row]]
		}
	})
}
