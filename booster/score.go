package booster

import (
	"github.com/lambdamart/lambdamart/histogram"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/reuse"
	"github.com/lambdamart/lambdamart/internal/walk"
)

// scoreBlock is the number of rows that a worker scores at a time.
const scoreBlock = 1 << 12

// binTree is a tree whose splits compare the bins of a matrix: one that is growing, or one that is finished.
type binTree struct {
	matrix      *histogram.Matrix // says what the columns are
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
	switch {
	case t.splitsSparse():
		t.findLeavesSparse(dst, data)
	case t.splitsWide():
		t.findLeavesWide(dst, data)
	case t.splitsCategories():
		t.findLeavesBySides(dst, data)
	default:
		t.findLeavesByBytes(dst, data)
	}
}

// findLeavesByBytes is findLeaves for a tree whose splits compare bytes.
func (t *binTree) findLeavesByBytes(dst []int32, data *histogram.Matrix) {
	nodes := make([]walk.Node, len(t.nodes))
	for i := range t.nodes {
		n, field := &t.nodes[i], t.matrix.Field(t.nodes[i].column)
		nodes[i] = walk.Node{At: field.At, Left: n.left, Right: n.right, Bin: field.InPlace(uint8(n.bin)),
			Mask: field.InPlace(255), Exception: walk.NoException}
		if exception := n.exception(t.matrix); exception != noBin {
			nodes[i].Exception = int16(field.InPlace(uint8(exception)))
		}
	}
	t.walk.Set(nodes, data.Stride())
	t.walkers = reuse.Slice(t.walkers, t.pool.Workers())
	t.pool.Blocks(len(dst), scoreBlock, func(worker, from, to int) {
		data.Each(from, to, func(first int, rows *histogram.Matrix) {
			t.walk.Leaves(dst[first:][:rows.NumRows()], rows.Raw().Bins, &t.walkers[worker])
		})
	})
}

// leafOf returns the number of the leaf of the grown tree in which a row of data ends. It is the oracle of
// findLeaves.
func (t *binTree) leafOf(data *histogram.Matrix, row int) int32 { return t.descend(0, data, row) }

// descend returns the number of the leaf in which a row ends that begins at an internal node, or at
// ^leaf.
func (t *binTree) descend(at int32, data *histogram.Matrix, row int) int32 {
	for at >= 0 {
		n := &t.nodes[at]
		if n.goesRight(data.At(int32(row), n.column), t.matrix.MissingBin(n.column)) {
			at = n.right
		} else {
			at = n.left
		}
	}
	return ^at
}

// walkNode is a node of the grown tree, prepared for sending rows down. Its right child comes right after its
// left one, and a leaf is its own left child. Bins are in place, as in the row's byte or, in a tree that
// splits a wide column, in two bytes. Behind every byte of a column that is not wide there is another one,
// because wide columns come last; the mask leaves it out.
type walkNode[T uint8 | uint16] struct {
	at        int32  // byte of the row
	left      int32  // number of the left child
	leaf      int32  // number of the leaf, if the node is one
	bin       T      // the last bin that goes left
	mask      T      // the column's bits
	exception uint16 // see [split.exception], or noBin
}

// walkOf returns the nodes of the grown tree, breadth first.
func walkOf[T uint8 | uint16](t *binTree) (walk []walkNode[T]) {
	left := int32(1)
	for i, number := range t.breadthFirst() {
		if number < 0 {
			walk = append(walk, walkNode[T]{left: int32(i), leaf: ^number, exception: noBin})
			continue
		}
		n, field := &t.nodes[number], t.matrix.Field(t.nodes[number].column)
		column := plane[T]{shift: field.Shift, mask: T(field.Mask)}
		if field.Wide {
			column.mask = ^T(0)
		}
		w := walkNode[T]{at: field.At, left: left, bin: column.inPlace(n.bin), mask: column.bits(),
			exception: noBin}
		if exception := n.exception(t.matrix); exception != noBin {
			w.exception = uint16(column.inPlace(uint16(exception)))
		}
		walk, left = append(walk, w), left+2
	}
	return walk
}

// breadthFirst returns the nodes of the grown tree from the root down, level by level: internal nodes of t,
// and ^leaf.
func (t *binTree) breadthFirst() []int32 {
	numbers := []int32{0}
	for i := 0; i < len(numbers); i++ {
		if number := numbers[i]; number >= 0 {
			numbers = append(numbers, t.nodes[number].left, t.nodes[number].right)
		}
	}
	return numbers
}

// walkers is the number of rows that go down a tree side by side: while one waits for its node or
// its bin, the others continue.
const walkers = 8

// markLeaves is findLeaves for the training data after a tree was grown on all of its rows: each leaf
// has the list of its rows.
func (g *grower) markLeaves(dst []int32) {
	g.pool.Run(len(g.leaves), func(_, leaf int) {
		for _, row := range g.leaves[leaf].rows {
			dst[row] = int32(leaf)
		}
	})
}

// addValues adds the value of each row's leaf to its score.
func (t *binTree) addValues(scores []float64, leafOf []int32, values []float64) {
	t.pool.Blocks(len(scores), scoreBlock, func(_, from, to int) {
		for row := from; row < to; row++ {
			scores[row] += values[leafOf[row]]
		}
	})
}
