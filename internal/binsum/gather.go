package binsum

import "github.com/lambdamart/lambdamart/internal/par"

// gatherBlock is the number of rows that a worker copies at a time. They are still in the
// second-level cache when they are transposed.
const gatherBlock = 1 << 9

// Gather returns copies of the given rows, in their order, with planes. It reuses the memory of
// dst, which an earlier call returned, or nil; dst must not be used afterwards.
func (x *Rows) Gather(dst *Rows, rows []int32, pool *par.Pool) *Rows {
	if dst == nil {
		dst = new(Rows)
	}
	bins, planes, wide, sparse := dst.bins, dst.planes, dst.wide, dst.sparse
	*dst = *x
	dst.rows = len(rows)
	if size := len(rows) * x.stride; cap(bins) < size {
		bins = make([]uint8, size+size/4)
	}
	dst.bins = bins[:len(rows)*x.stride]
	dst.planes = resizePlanes(planes, len(rows), len(rows)/4, x.narrow)
	dst.wide = resizePlanes(wide, len(rows), len(rows)/4, x.numWide())
	pool.Blocks(len(rows), gatherBlock, func(_, from, to int) {
		for i := from; i < to; i++ {
			copy(dst.bins[i*x.stride:(i+1)*x.stride], x.bins[int(rows[i])*x.stride:])
		}
		dst.transpose(from, to)
	})
	dst.gatherSparse(x, sparse, rows, pool)
	return dst
}
