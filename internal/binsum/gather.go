package binsum

import "github.com/lambdamart/lambdamart/internal/par"

// gatherBlock is the number of rows that a worker copies at a time. They are still in the
// second-level cache when they are transposed.
const gatherBlock = 1 << 9

// gatherSlack determines the size of new memory for copies: it is larger than needed by 1/gatherSlack,
// because the next call may copy somewhat more rows.
const gatherSlack = 16

// Gather returns copies of the given rows, which ascend, with planes. It reuses the memory of
// dst, which an earlier call returned, or nil; dst must not be used afterwards.
func (x *Rows) Gather(dst *Rows, rows []int32, pool *par.Pool) *Rows {
	if dst == nil {
		dst = new(Rows)
	}
	bins, planes, wide, sparse := dst.bins, dst.planes, dst.wide, dst.sparse
	*dst = *x
	dst.rows = len(rows)
	if size := len(rows) * x.stride; cap(bins) < size {
		bins = make([]uint8, size+size/gatherSlack)
	}
	dst.bins = bins[:len(rows)*x.stride]
	dst.planes = resizePlanes(planes, len(rows), len(rows)/gatherSlack, x.narrow)
	dst.wide = resizePlanes(wide, len(rows), len(rows)/gatherSlack, x.numWide())
	pool.Blocks(len(rows), gatherBlock, func(_, from, to int) {
		for i := from; i < to; i++ {
			row := int(rows[i])
			copy(dst.bins[i*x.stride:(i+1)*x.stride], x.bins[row*x.stride:(row+1)*x.stride])
		}
		dst.transpose(from, to)
	})
	dst.gatherSparse(x, sparse, rows, pool)
	return dst
}
