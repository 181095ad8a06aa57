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
	walk, strays := g.walk()
	g.pool.Blocks(len(dst), scoreBlock, func(_, from, to int) {
		row := from
		for ; row+walkers <= to; row += walkers {
			if strays == nil {
				walkTogether(walk, dst[row:row+walkers], data, row)
			} else {
				walkBesideMissing(walk, strays, dst[row:row+walkers], data, row)
			}
		}
		for ; row < to; row++ {
			dst[row] = g.leafOf(data.Row(row))
		}
	})
}

// leafOf returns the number of the leaf of the grown tree that a row with these
// bytes ends in. It is the oracle of walkTogether and walkBesideMissing.
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

// walkNode is a node of the grown tree for walking: a leaf leads to itself.
type walkNode struct {
	field histogram.Field
	bin   int32
	next  [2]int32 // nodes for bins up to bin, and above
	leaf  int32
}

// walk returns the nodes of the grown tree, the internal ones first, and for each
// the bin that strays: see [split.stray]. strays is nil if none does.
func (g *grower) walk() (walk []walkNode, strays []int32) {
	internal := int32(len(g.nodes))
	place := func(child int32) int32 {
		if child < 0 {
			return internal + ^child
		}
		return child
	}
	walk = make([]walkNode, 0, int(internal)+len(g.leaves))
	for i := range g.nodes {
		n := &g.nodes[i]
		walk = append(walk, walkNode{field: g.matrix.Field(n.column), bin: int32(n.bin), next: [2]int32{place(n.left), place(n.right)}})
	}
	for leaf := range g.leaves {
		self := internal + int32(leaf)
		walk = append(walk, walkNode{next: [2]int32{self, self}, leaf: int32(leaf)})
	}
	return walk, g.strays(len(walk))
}

// strays returns the straying bins of n nodes, the internal ones first; nil if
// there is none.
func (g *grower) strays(n int) []int32 {
	strays, some := make([]int32, n), false
	for i := range strays {
		strays[i] = noBin
		if i < len(g.nodes) {
			strays[i] = g.nodes[i].stray(g.matrix)
		}
		some = some || strays[i] != noBin
	}
	if !some {
		return nil
	}
	return strays
}

// walkers is the number of rows that go down a tree side by side: while one
// waits for its node or bin, the others go on.
//
// The bit-sliced blocks of package tree were slower for one tree: 38, 69 and 165 ns
// a row with 31, 64 and 255 leaves, where these walks take 15, 15 and 24. Maps of
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
			above := uint32(n.bin-int32(n.field.Bin(rows[i][n.field.At]))) >> 31 // 1 if the bin is above n.bin
			next := n.next[above]
			moved |= next ^ at[i]
			at[i] = next
		}
	}
	for i := range at {
		dst[i] = walk[at[i]].leaf
	}
}

// walkBesideMissing is walkTogether for trees with bins that stray.
func walkBesideMissing(walk []walkNode, strays, dst []int32, data *histogram.Matrix, first int) {
	var rows [walkers][]uint8
	var at [walkers]int32
	for i := range rows {
		rows[i] = data.Row(first + i)
	}
	for moved := int32(1); moved != 0; {
		moved = 0
		for i := range at {
			n := &walk[at[i]]
			bin := int32(n.field.Bin(rows[i][n.field.At]))
			above, strays := uint32(n.bin-bin)>>31, uint32((bin^strays[at[i]])-1)>>31
			next := n.next[above^strays]
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
