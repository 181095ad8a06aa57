package booster

import (
	"github.com/lambdamart/lambdamart/histogram"
	"github.com/lambdamart/lambdamart/tree"
)

// scoreBlock is the number of rows that a worker scores at a time.
const scoreBlock = 1 << 12

// addLeaves adds the value of each leaf to the scores of its rows.
func (g *grower) addLeaves(scores []float64, t *tree.Tree) {
	g.pool.Run(len(g.leaves), func(_, i int) {
		value := t.LeafValue[i]
		for _, r := range g.leaves[i].rows {
			scores[r] += value
		}
	})
}

// addWalk adds the tree's values to the scores of all rows of data for which
// skip is not set; a nil skip sets none. It sends each row down the grown tree by
// its bins, which are as good as its values: see package histogram.
func (g *grower) addWalk(scores []float64, data *histogram.Matrix, t *tree.Tree, skip []bool) {
	g.pool.Blocks(len(scores), scoreBlock, func(_, from, to int) {
		for row := from; row < to; row++ {
			if skip == nil || !skip[row] {
				scores[row] += t.LeafValue[g.leafOf(data, int32(row))]
			}
		}
	})
}

// leafOf returns the number of the leaf of the grown tree that a row ends in.
func (g *grower) leafOf(data *histogram.Matrix, row int32) int32 {
	at := int32(0)
	if len(g.nodes) == 0 {
		return 0
	}
	for at >= 0 {
		n := &g.nodes[at]
		if data.At(row, n.column) <= n.bin {
			at = n.left
		} else {
			at = n.right
		}
	}
	return ^at
}
