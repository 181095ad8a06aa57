package booster

import (
	"encoding/binary"
	"slices"

	"github.com/lambdamart/lambdamart/histogram"
)

// splitsWide reports whether the grown tree splits a wide column.
func (t *binTree) splitsWide() bool {
	return slices.ContainsFunc(t.nodes, func(n node) bool { return t.matrix.Field(n.column).Wide })
}

// findLeavesWide is findLeaves for a tree that splits a wide column. If it also splits columns of categories,
// rows go down one by one.
func (t *binTree) findLeavesWide(dst []int32, data *histogram.Matrix) {
	walk := walkOf[uint16](t)
	together := !t.splitsCategories()
	t.pool.Blocks(len(dst), scoreBlock, func(_, from, to int) {
		data.Each(from, to, func(first int, rows *histogram.Matrix) {
			leaves, row := dst[first:][:rows.NumRows()], 0
			for ; together && row+walkers <= len(leaves); row += walkers {
				walkWideTogether(walk, leaves[row:row+walkers], rows, row)
			}
			for ; row < len(leaves); row++ {
				leaves[row] = t.leafOf(rows, row)
			}
		})
	})
}

// walkWideTogether writes the leaves of the rows from first on, as many as there are walkers, to dst. All
// rows take steps, without a branch, until none of them moves.
func walkWideTogether(walk []walkNode[uint16], dst []int32, data *histogram.Matrix, first int) {
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
