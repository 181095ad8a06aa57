package booster

import (
	"encoding/binary"

	"github.com/lambdamart/lambdamart/histogram"
	"github.com/lambdamart/lambdamart/internal/binsum"
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
	var sparse, wide, categories bool // columns that the tree splits
	for i := range t.nodes {
		field := t.matrix.Fields[t.nodes[i].column]
		sparse, wide, categories = sparse || field.Sparse, wide || field.Wide, categories || t.nodes[i].sides != nil
	}
	switch {
	case sparse || wide && categories:
		t.findLeavesByRow(dst, data, nil)
	case wide:
		walk := walkOf[uint16](t)
		t.findLeavesByRow(dst, data, func(dst []int32, rows *histogram.Matrix, first int) {
			walkWide(walk, dst, rows, first)
		})
	case categories:
		walk, right := walkOf[uint8](t), t.walkSides()
		t.findLeavesByRow(dst, data, func(dst []int32, rows *histogram.Matrix, first int) {
			walkBySides(walk, right, dst, rows, first)
		})
	default:
		t.findLeavesByBytes(dst, data)
	}
}

// findLeavesByRow finds the leaves of dst one row after the other. If together is not nil, it is called for
// the leaves of a number of rows equal to walkers, from row first on, and only the remaining rows are handled
// one by one.
func (t *binTree) findLeavesByRow(dst []int32, data *histogram.Matrix,
	together func(dst []int32, rows *histogram.Matrix, first int)) {
	t.pool.Blocks(len(dst), scoreBlock, func(_, from, to int) {
		data.Each(from, to, func(first int, rows *histogram.Matrix) {
			leaves, row := dst[first:][:rows.NumRows()], 0
			for ; together != nil && row+walkers <= len(leaves); row += walkers {
				together(leaves[row:row+walkers], rows, row)
			}
			for ; row < len(leaves); row++ {
				leaves[row] = t.leafOf(rows, row)
			}
		})
	})
}

// findLeavesByBytes is like findLeaves, for a tree whose splits compare bytes.
func (t *binTree) findLeavesByBytes(dst []int32, data *histogram.Matrix) {
	nodes := make([]walk.Node, len(t.nodes))
	for i := range t.nodes {
		n, field := &t.nodes[i], t.matrix.Fields[t.nodes[i].column]
		nodes[i] = walk.Node{At: field.At, Left: n.left, Right: n.right, Bin: inPlace(field, uint8(n.bin)),
			Mask: inPlace(field, 255), Exception: walk.NoException}
		if exception := n.exception(t.matrix); exception != binsum.NoBin {
			nodes[i].Exception = int16(inPlace(field, uint8(exception)))
		}
	}
	t.walk.Set(nodes, data.Stride)
	t.walkers = reuse.Slice(t.walkers, t.pool.Workers())
	t.pool.Blocks(len(dst), min(scoreBlock, blockOf(len(dst))), func(worker, from, to int) {
		data.Each(from, to, func(first int, rows *histogram.Matrix) {
			t.walk.Leaves(dst[first:][:rows.NumRows()], rows.Raw().Bins, &t.walkers[worker])
		})
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

// walkNode is a node prepared for sending rows down the tree. Its right child comes directly after its left
// child, and a leaf is its own left child. Bins are in place, as in the row's byte or, in a tree that splits
// a wide column, in two bytes. Every byte of a column that is not wide is followed by another byte, because
// wide columns come last; the mask ignores it.
type walkNode[T uint8 | uint16] struct {
	at        int32  // byte of the row
	left      int32  // number of the left child
	leaf      int32  // number of the leaf, if the node is one
	bin       T      // the last bin that goes left
	mask      T      // the column's bits
	exception uint16 // see [split.exception], or binsum.NoBin
}

// walkOf returns the nodes of the grown tree, breadth first.
func walkOf[T uint8 | uint16](t *binTree) (walk []walkNode[T]) {
	left := int32(1)
	for i, number := range t.breadthFirst() {
		if number < 0 {
			walk = append(walk, walkNode[T]{left: int32(i), leaf: ^number, exception: binsum.NoBin})
			continue
		}
		n, field := &t.nodes[number], t.matrix.Fields[t.nodes[number].column]
		mask := T(field.Mask)
		if field.Wide {
			mask = ^T(0)
		}
		inPlace := func(bin uint16) T { return T(bin) & mask << (field.Shift & 7) }
		w := walkNode[T]{at: field.At, left: left, bin: inPlace(n.bin), mask: inPlace(1<<16 - 1),
			exception: binsum.NoBin}
		if exception := n.exception(t.matrix); exception != binsum.NoBin {
			w.exception = uint16(inPlace(uint16(exception)))
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

// walkers is the number of rows that go down a tree at the same time: while one row waits for its node or its
// bin to be loaded, the others continue.
const walkers = 8

// walkWide writes to dst the leaves of the rows from first on, as many as there are walkers, in a tree that
// splits wide columns. All rows take steps, without a branch, until none of them moves.
func walkWide(walk []walkNode[uint16], dst []int32, data *histogram.Matrix, first int) {
	var rows [walkers][]uint8
	var at [walkers]int32
	for i := range rows {
		rows[i] = data.Row(first + i)
	}
	for moved := int32(1); moved != 0; {
		moved = 0
		for i := range at {
			n := &walk[at[i]]
			bin := int32(binary.LittleEndian.Uint16(rows[i][n.at:]) & n.mask)
			above, excepted := uint32(int32(n.bin)-bin)>>31, uint32((bin^int32(n.exception))-1)>>31
			next := n.left + int32(above^excepted)
			moved |= next ^ at[i]
			at[i] = next
		}
	}
	for i := range at {
		dst[i] = walk[at[i]].leaf
	}
}

// walkBySides is like walkWide, for a tree that splits columns of categories and no wide ones.
func walkBySides(walk []walkNode[uint8], right [][256]uint8, dst []int32, data *histogram.Matrix, first int) {
	var rows [walkers][]uint8
	var at [walkers]int32
	for i := range rows {
		rows[i] = data.Row(first + i)
	}
	for moved := int32(1); moved != 0; {
		moved = 0
		for i := range at {
			n := &walk[at[i]]
			next := n.left + int32(right[at[i]][rows[i][n.at]&n.mask])
			moved |= next ^ at[i]
			at[i] = next
		}
	}
	for i := range at {
		dst[i] = walk[at[i]].leaf
	}
}

// walkSides returns, for each node of walk, the side of each bin in place.
func (t *binTree) walkSides() [][256]uint8 {
	var right [][256]uint8
	for _, number := range t.breadthFirst() {
		var table [256]uint8
		if number >= 0 {
			table = t.rightInPlace(&t.nodes[number])
		}
		right = append(right, table)
	}
	return right
}

// inPlace returns a bin in the bits that it has in a byte of a row; the other bits are 0. Bins in place have
// the order of bins, so bytes can be compared under the mask inPlace(f, 255). The field must not be wide.
func inPlace(f histogram.Field, bin uint8) uint8 { return bin & f.Mask << (f.Shift & 7) }

// rightInPlace returns, by the bin in place, whether a node sends its rows right.
func (t *binTree) rightInPlace(n *node) (table [256]uint8) {
	field, missing := t.matrix.Fields[n.column], t.matrix.MissingBins[n.column]
	for bin := range t.matrix.Bins(n.column).NumBins() {
		if n.goesRight(uint16(bin), missing) {
			table[inPlace(field, uint8(bin))] = 1
		}
	}
	return table
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
