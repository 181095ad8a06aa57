package binsum

import (
	"unsafe"

	"github.com/lambdamart/lambdamart/histogram"
	"github.com/lambdamart/lambdamart/internal/par"
)

// gatherBlock is the number of rows that a worker copies at a time. They are still in the
// second-level cache when they are transposed.
const gatherBlock = 1 << 9

// gatherSlack determines the size of new memory for copies: it is larger than needed by 1/gatherSlack,
// because the next call may copy somewhat more rows.
const gatherSlack = 16

// Gather returns copies of the given rows, which ascend, with planes. It reuses the memory of
// dst, which an earlier call returned, or nil; dst must not be used afterwards.
func (x *Rows) Gather(dst *Rows, rows []int32, pool *par.Pool) *Rows {
	return x.gather(dst, rows, false, pool)
}

// GatherLean is like Gather, with half of the memory: there is only one plane, which [Rows.Column] fills.
func (x *Rows) GatherLean(dst *Rows, rows []int32, pool *par.Pool) *Rows {
	return x.gather(dst, rows, true, pool)
}

// Lend returns memory for this many integers. It overwrites the copied rows of [Rows.GatherLean] if their
// memory is large enough, and otherwise allocates.
func (x *Rows) Lend(integers int) []int32 {
	const size = 4
	if x == nil || !x.lean || cap(x.bins) < max(4*size, integers*size) {
		return make([]int32, integers)
	}
	return unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(x.bins))), integers)
}

func (x *Rows) gather(dst *Rows, rows []int32, lean bool, pool *par.Pool) *Rows {
	if dst == nil {
		dst = new(Rows)
	}
	bins, planes, wide, sparse := dst.bins, dst.planes, dst.wide, dst.sparse
	*dst = *x
	dst.rows, dst.lean = len(rows), lean
	if size := len(rows) * x.stride; cap(bins) < size {
		bins = make([]uint8, size+size/gatherSlack)
	}
	dst.bins = bins[:len(rows)*x.stride]
	dst.planes = resizePlanes(planes, len(rows), len(rows)/gatherSlack, x.narrow, lean)
	dst.wide = resizePlanes(wide, len(rows), len(rows)/gatherSlack, x.numWide(), lean)
	pool.Blocks(len(rows), gatherBlock, func(_, from, to int) {
		i := from
		x.each(int(rows[from]), int(rows[to-1])+1, func(first int, window *histogram.Matrix) {
			for ; i < to && int(rows[i])-first < window.NumRows(); i++ {
				copy(dst.bins[i*x.stride:(i+1)*x.stride], window.Row(int(rows[i])-first))
			}
		})
		if !lean {
			dst.transpose(from, to)
		}
	})
	dst.gatherSparse(x, sparse, rows, pool)
	return dst
}
