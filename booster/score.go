package booster

import (
	"github.com/lambdamart/lambdamart/histogram"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/reuse"
	"github.com/lambdamart/lambdamart/internal/walk"
)

// scoreBlock is the number of rows that a worker scores at a time.
const scoreBlock = 1 << 12

// binTree is a growing or finished tree whose splits compare the bins of a matrix.
type binTree struct {
	matrix      *histogram.Matrix // describes the columns
	categorical []bool            // by column of the matrix; nil if none is
	pool        *par.Pool
	nodes       []node

	walk    walk.Tree     // the nodes, for sending rows down
	walkers []walk.Memory // by worker
}

// newBinTree returns a tree without nodes.
func newBinTree(matrix *histogram.Matrix, pool *par.Pool) binTree {
	return binTree{matrix: matrix, categorical: categoricalColumns(matrix), pool: pool}
}

// findLeaves writes to dst, for each row of data, the number of the leaf in which it ends. It sends
// rows down the grown tree by their bins, which decide every split as their values do (package
// histogram).
func (t *binTree) findLeaves(dst []int32, data *histogram.Matrix) {
	nodes := make([]walk.Node, len(t.nodes))
	for i := range t.nodes {
		n := &t.nodes[i]
		nodes[i] = walk.Node{Column: n.column, Cut: n.cut(t.matrix), Left: n.left, Right: n.right}
	}
	t.walk.Set(t.matrix, nodes)
	t.walkers = reuse.Slice(t.walkers, t.pool.Workers())
	t.pool.Blocks(len(dst), min(scoreBlock, blockOf(len(dst))), func(worker, from, to int) {
		t.walk.Leaves(dst[from:to], data, from, &t.walkers[worker])
	})
}

// leafOf returns the number of the leaf of the tree in which a row of data ends. Tests compare findLeaves
// with it.
func (t *binTree) leafOf(data *histogram.Matrix, row int) int32 { return t.descend(0, data, row) }

// descend returns the number of the leaf in which a row of data ends that starts at an internal node, or at
// ^leaf.
func (t *binTree) descend(at int32, data *histogram.Matrix, row int) int32 {
	for at >= 0 {
		n := &t.nodes[at]
		if n.goesRight(data.At(int32(row), n.column), t.matrix.MissingBins[n.column]) {
			at = n.right
		} else {
			at = n.left
		}
	}
	return ^at
}

// markLeaves is like findLeaves, for the training data if the tree was grown on all of its rows: each leaf
// has a list of its rows.
func (g *grower) markLeaves(dst []int32) {
	g.pool.Run(len(g.leaves), func(_, leaf int) {
		for _, row := range g.leaves[leaf].rows {
			dst[row] = int32(leaf)
		}
	})
}

// addValues adds the value of each row's leaf to its score.
func (t *binTree) addValues(scores []float64, leafOf []int32, values []float64) {
	t.pool.Blocks(len(scores), min(scoreBlock, blockOf(len(scores))), func(_, from, to int) {
		for row := from; row < to; row++ {
			scores[row] += values[leafOf[row]]
		}
	})
}
