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
	Spread bool       // Packed and RowsFor are by row of the data, with zeros for rows that are not active
	busy   []int      // by block of Packed: how many have a gradient or a Hessian
	memory ActiveRows // of the other rows, and of Packed and RowsFor before they were spread
}

// ActiveRows are the active rows of some set of rows.
type ActiveRows struct {
	Rows    []int32   // ascending; empty: all rows of the data
	Packed  []int64   // by place in rows: packed gradient and Hessian
	RowsFor []float32 // by place in rows: how many rows the active row stands for; only if sparse
}

// SpreadOver makes the places of the active rows their numbers among all rows of the data, so that the bins
// of active rows need not be copied.
func (a *Active) SpreadOver(all int) {
	a.Spread = true
	a.memory.Packed, a.Packed = a.Packed, spread(a.memory.Packed, a.Packed, a.Rows, all)
	if a.Sparse {
		a.memory.RowsFor, a.RowsFor = a.RowsFor, spread(a.memory.RowsFor, a.RowsFor, a.Rows, all)
	}
}

// spread returns values by row, given those by place in rows.
func spread[T int64 | float32](memory, values []T, rows []int32, all int) []T {
	byRow := reuse.Zeros(memory, all)
	for place, row := range rows {
		byRow[row] = values[place]
	}
	return byRow
}

// number returns the number of active rows.
func (a *Active) number() int {
	if a.Spread {
		return len(a.Rows)
	}
	return len(a.Packed)
}

// others returns the rows of the data that are not active, if the active ones are spread. The result is valid
// until the next call.
func (a *Active) others() []int32 {
	others, next := a.memory.Rows[:0], int32(0)
	for _, row := range a.Rows {
		for ; next < row; next++ {
			others = append(others, next)
		}
		next++
	}
	for ; int(next) < len(a.Packed); next++ {
		others = append(others, next)
	}
	a.memory.Rows = others
	return others
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
	both := []int64{0, int64(a.number())}
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
