package booster

import (
	"slices"

	"github.com/lambdamart/lambdamart/histogram"
)

// splitsSparse reports whether the grown tree splits a sparse column.
func (t *binTree) splitsSparse() bool {
	return slices.ContainsFunc(t.nodes, func(n node) bool { return t.matrix.Field(n.column).Sparse })
}

// findLeavesSparse is findLeaves for a tree that splits a sparse column. Rows go down one by one.
func (t *binTree) findLeavesSparse(dst []int32, data *histogram.Matrix) {
	t.pool.Blocks(len(dst), scoreBlock, func(_, from, to int) {
		data.Each(from, to, func(first int, rows *histogram.Matrix) {
			for row := range rows.NumRows() {
				dst[first+row] = t.leafOf(rows, row)
			}
		})
	})
}
