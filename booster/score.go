package booster

import (
	"github.com/lambdamart/lambdamart/histogram"
	"github.com/lambdamart/lambdamart/internal/reuse"
	"github.com/lambdamart/lambdamart/internal/walk"
)

// scoreBlock is the number of rows that a worker scores at a time.
const scoreBlock = 1 << 12

// findLeaves writes to dst, for each row of data, the number of the leaf in which it ends. It sends
// rows down the grown tree by their bins, which decide every split as their values do (package
// histogram).
func (g *grower) findLeaves(dst []int32, data *histogram.Matrix) {
	switch {
	case g.splitsSparse():
		g.findLeavesSparse(dst, data)
	case g.splitsWide():
		g.findLeavesWide(dst, data)
	case g.splitsCategories():
		g.findLeavesBySides(dst, data)
	default:
		g.findLeavesByBytes(dst, data)
	}
}

// findLeavesByBytes is findLeaves for a tree whose splits compare bytes.
func (g *grower) findLeavesByBytes(dst []int32, data *histogram.Matrix) {
	nodes := make([]walk.Node, len(g.nodes))
	for i := range g.nodes {
		n, field := &g.nodes[i], g.matrix.Field(g.nodes[i].column)
		nodes[i] = walk.Node{At: field.At, Left: n.left, Right: n.right, Bin: field.InPlace(uint8(n.bin)),
			Mask: field.InPlace(255), Exception: walk.NoException}
		if exception := n.exception(g.matrix); exception != noBin {
			nodes[i].Exception = int16(field.InPlace(uint8(exception)))
		}
	}
	g.walk.Set(nodes, data.Stride())
	g.walkers = reuse.Slice(g.walkers, g.pool.Workers())
	g.pool.Blocks(len(dst), scoreBlock, func(worker, from, to int) {
		data.Each(from, to, func(first int, rows *histogram.Matrix) {
			g.walk.Leaves(dst[first:][:rows.NumRows()], rows.Raw(), &g.walkers[worker])
		})
	})
}

// leafOf returns the number of the leaf of the grown tree in which a row of data ends. It is the oracle of
// findLeaves.
func (g *grower) leafOf(data *histogram.Matrix, row int) int32 { return g.descend(0, data, row) }

// descend returns the number of the leaf in which a row ends that begins at an internal node, or at
// ^leaf.
func (g *grower) descend(at int32, data *histogram.Matrix, row int) int32 {
	for at >= 0 {
		n := &g.nodes[at]
		if n.goesRight(data.At(int32(row), n.column), g.matrix.MissingBin(n.column)) {
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
func walkOf[T uint8 | uint16](g *grower) (walk []walkNode[T]) {
	left := int32(1)
	for i, number := range g.breadthFirst() {
		if number < 0 {
			walk = append(walk, walkNode[T]{left: int32(i), leaf: ^number, exception: noBin})
			continue
		}
		n, field := &g.nodes[number], g.matrix.Field(g.nodes[number].column)
		column := plane[T]{shift: field.Shift, mask: T(field.Mask)}
		if field.Wide {
			column.mask = ^T(0)
		}
		w := walkNode[T]{at: field.At, left: left, bin: column.inPlace(n.bin), mask: column.bits(),
			exception: noBin}
		if exception := n.exception(g.matrix); exception != noBin {
			w.exception = uint16(column.inPlace(uint16(exception)))
		}
		walk, left = append(walk, w), left+2
	}
	return walk
}

// breadthFirst returns the nodes of the grown tree from the root down, level by level: internal nodes of g,
// and ^leaf.
func (g *grower) breadthFirst() []int32 {
	numbers := []int32{0}
	for i := 0; i < len(numbers); i++ {
		if number := numbers[i]; number >= 0 {
			numbers = append(numbers, g.nodes[number].left, g.nodes[number].right)
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
func (g *grower) addValues(scores []float64, leafOf []int32, values []float64) {
	g.pool.Blocks(len(scores), scoreBlock, func(_, from, to int) {
		for row := from; row < to; row++ {
			scores[row] += values[leafOf[row]]
		}
	})
}
