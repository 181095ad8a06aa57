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
	walk, straying := g.walk()
	g.pool.Blocks(len(dst), scoreBlock, func(_, from, to int) {
		row := from
		for ; row+walkers <= to; row += walkers {
			if straying {
				walkStraying(walk, dst[row:row+walkers], data, row)
			} else {
				walkTogether(walk, dst[row:row+walkers], data, row)
			}
		}
		for ; row < to; row++ {
			dst[row] = g.leafOf(data.Row(row))
		}
	})
}

// leafOf returns the number of the leaf of the grown tree that a row with these
// bytes ends in. It is the oracle of walkTogether and walkStraying.
func (g *grower) leafOf(bins []uint8) int32 {
	at := int32(0)
	for at >= 0 {
		n := &g.nodes[at]
		field := g.matrix.Field(n.column)
		if n.goesRight(field.Bin(bins[field.At]), g.matrix.MissingBin(n.column)) {
			at = n.right
		} else {
			at = n.left
		}
	}
	return ^at
}

// walkNode is a node of the grown tree for walking. Its right child comes after its
// left one; a leaf leads to itself. Bins are where the row's byte has them.
type walkNode struct {
	at    int32  // byte of the row
	left  int32  // node for bins up to bin
	leaf  int32  // number of a leaf
	bin   uint8  // the last that goes left
	mask  uint8  // of the column's bits
	stray uint16 // see [split.stray], or noBin
}

// walk returns the nodes of the grown tree, breadth first, and tells whether one has
// a bin that strays.
func (g *grower) walk() (walk []walkNode, straying bool) {
	numbers := []int32{0} // of each node: an internal node of g, or ^leaf
	for i := 0; i < len(numbers); i++ {
		number := numbers[i]
		if number < 0 {
			walk = append(walk, walkNode{left: int32(i), leaf: ^number, stray: noBin})
			continue
		}
		n, field := &g.nodes[number], g.matrix.Field(g.nodes[number].column)
		w := walkNode{at: field.At, left: int32(len(numbers)), bin: field.InPlace(n.bin), mask: field.InPlace(255), stray: noBin}
		if stray := n.stray(g.matrix); stray != noBin {
			w.stray, straying = uint16(field.InPlace(uint8(stray))), true
		}
		walk, numbers = append(walk, w), append(numbers, n.left, n.right)
	}
	return walk, straying
}

// walkers is the number of rows that go down a tree side by side: while one
// waits for its node or bin, the others go on.
//
// The bit-sliced blocks of package tree were slower for one tree: 38, 69 and 165 ns
// a row with 31, 64 and 255 leaves, where these walks take 12, 14 and 19. Maps of
// conditions pay off when many trees share them.
const walkers = 8

// walkTogether writes the leaves of the walkers rows from first on to dst. All
// take steps, without a branch, until none of them moves.
func walkTogether(walk []walkNode, dst []int32, data *histogram.Matrix, first int) {
	var rows [walkers][]uint8
	var at [walkers]int32
	for i := range rows {
		rows[i] = data.Row(first + i)
	}
	for moved := int32(1); moved != 0; {
		moved = 0
		for i := range at {
			n := &walk[at[i]]
			above := uint32(int32(n.bin)-int32(rows[i][n.at]&n.mask)) >> 31 // 1 if the bin is above n.bin
			next := n.left + int32(above)
			moved |= next ^ at[i]
			at[i] = next
		}
	}
	for i := range at {
		dst[i] = walk[at[i]].leaf
	}
}

// walkStraying is walkTogether for trees with bins that stray.
func walkStraying(walk []walkNode, dst []int32, data *histogram.Matrix, first int) {
	var rows [walkers][]uint8
	var at [walkers]int32
	for i := range rows {
		rows[i] = data.Row(first + i)
	}
	for moved := int32(1); moved != 0; {
		moved = 0
		for i := range at {
			n := &walk[at[i]]
			bin := int32(rows[i][n.at] & n.mask)
			above, strays := uint32(int32(n.bin)-bin)>>31, uint32((bin^int32(n.stray))-1)>>31
			next := n.left + int32(above^strays)
			moved |= next ^ at[i]
			at[i] = next
		}
	}
	for i := range at {
		dst[i] = walk[at[i]].leaf
	}
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
