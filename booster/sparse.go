package booster

import (
	"slices"

	"github.com/lambdamart/lambdamart/histogram"
)

// splitsSparse reports whether the grown tree splits a sparse column.
func (g *grower) splitsSparse() bool {
	return g.matrix.HasSparse() &&
		slices.ContainsFunc(g.nodes, func(n node) bool { return g.matrix.Field(n.column).Sparse })
}

// findLeavesSparse is findLeaves for a tree that splits a sparse column. Rows go down one by one.
func (g *grower) findLeavesSparse(dst []int32, data *histogram.Matrix) {
	g.pool.Blocks(len(dst), scoreBlock, func(_, from, to int) {
		data.Each(from, to, func(first int, rows *histogram.Matrix) {
			for row := range rows.NumRows() {
				dst[first+row] = g.leafOf(rows, row)
			}
		})
	})
}
