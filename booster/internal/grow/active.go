package grow

import (
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/exact"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// Scales are the units of integer gradients and Hessians, which are multiples of these units.
type Scales struct {
	Gradient, Hessian exact.Scale
}

// Active are the rows on which a tree grows, with an integer gradient and Hessian of each.
type Active struct {
	Scales               // of the integers
	LargestHessian int64 // upper bound of the Hessian of any row, in units
	Sparse         bool  // only some of the rows that have a gradient are active

	ActiveRows
	busy []int // by block of active rows: how many have a gradient or a Hessian
}

// ActiveRows are the active rows of some set of rows.
type ActiveRows struct {
	Rows    []int32   // ascending; empty: all rows of the data
	Packed  []int64   // by place in rows: packed gradient and Hessian
	RowsFor []float32 // by place in rows: how many rows the active row stands for; only if sparse
}

// Total returns the sum and the number of the active rows of all peers. It also finds how many rows of each
// block have a gradient or a Hessian (busy).
func (a *Active) Total(part *dataset.Part, pool *par.Pool) (sum binsum.Sum, rows int) {
	a.busy = reuse.Slice(a.busy, (len(a.Packed)+RowBlock-1)/RowBlock)
	sums := make([]int64, len(a.busy))
	pool.Blocks(len(a.Packed), RowBlock, func(_, from, to int) {
		sum, busy := int64(0), 0
		for _, packed := range a.Packed[from:to] {
			sum += packed
			busy += isBusy(packed)
		}
		sums[from/RowBlock], a.busy[from/RowBlock] = sum, busy
	})
	both := []int64{0, int64(len(a.Packed))}
	for _, sum := range sums {
		both[0] += sum
	}
	part.Group().Sum(both)
	return binsum.Unpack(both[0]), int(both[1])
}

// isBusy returns 1 if a row has a gradient or a Hessian, and 0 otherwise, without a branch.
func isBusy(packed int64) int { return int(uint64(packed|-packed) >> 63) }

// RowBlock is the largest number of rows of a set that a worker processes at a time.
const RowBlock = 1 << 13

// BlockOf returns the number of rows that a worker processes at a time: fewer than rowBlock if there are so
// few rows that some workers would get none.
func BlockOf(rows int) int { return min(RowBlock, max(1<<10, rows/8)) }
