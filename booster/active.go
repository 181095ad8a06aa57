package booster

import (
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/exact"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// scales are the units of integer gradients and Hessians, which are multiples of these units.
type scales struct {
	gradient, hessian exact.Scale
}

// active are the rows on which a tree grows, with an integer gradient and Hessian of each.
type active struct {
	scales               // of the integers
	largestHessian int64 // upper bound of the Hessian of any row, in units
	sparse         bool  // only some of the rows that have a gradient are active

	activeRows
	busy []int // by block of active rows: how many have a gradient or a Hessian
}

// activeRows are the active rows of some set of rows.
type activeRows struct {
	rows    []int32   // ascending
	packed  []int64   // by place in rows: packed gradient and Hessian
	rowsFor []float32 // by place in rows: how many rows the active row stands for; only if sparse
}

// total returns the sum and the number of the active rows of all peers. It also finds how many rows of each
// block have a gradient or a Hessian (busy).
func (a *active) total(part *dataset.Part, pool *par.Pool) (sum binsum.Sum, rows int) {
	a.busy = reuse.Slice(a.busy, (len(a.packed)+rowBlock-1)/rowBlock)
	sums := make([]int64, len(a.busy))
	pool.Blocks(len(a.packed), rowBlock, func(_, from, to int) {
		sum, busy := int64(0), 0
		for _, packed := range a.packed[from:to] {
			sum += packed
			busy += isBusy(packed)
		}
		sums[from/rowBlock], a.busy[from/rowBlock] = sum, busy
	})
	both := []int64{0, int64(len(a.rows))}
	for _, sum := range sums {
		both[0] += sum
	}
	part.Group().Sum(both)
	return binsum.Unpack(both[0]), int(both[1])
}

// isBusy returns 1 if a row has a gradient or a Hessian, and 0 otherwise, without a branch.
func isBusy(packed int64) int { return int(uint64(packed|-packed) >> 63) }

// rowBlock is the largest number of rows of a set that a worker processes at a time.
const rowBlock = 1 << 13

// blockOf returns the number of rows that a worker processes at a time: fewer than rowBlock if there are so
// few rows that some workers would get none.
func blockOf(rows int) int { return min(rowBlock, max(1<<10, rows/8)) }
