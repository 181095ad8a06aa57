package histogram

import "github.com/lambdamart/lambdamart/internal/par"

// Gather returns a matrix of the given rows, copied, in their order, and its
// planes. It reuses the memory of dst and planes, which an earlier call returned, or
// nil.
func (x *Matrix) Gather(dst *Matrix, planes Planes, rows []int32, pool *par.Pool) (*Matrix, Planes) {
	if dst == nil {
		dst = new(Matrix)
	}
	bins := dst.bins
	*dst = *x
	dst.rows = len(rows)
	if size := len(rows) * x.stride; cap(bins) < size {
		bins = make([]uint8, size+size/4)
	}
	dst.bins = bins[:len(rows)*x.stride]
	planes = planes.resize(len(rows), len(rows)/4, x.stride)
	pool.Blocks(len(rows), gatherBlock, func(_, from, to int) {
		for i := from; i < to; i++ {
			copy(dst.bins[i*x.stride:(i+1)*x.stride], x.bins[int(rows[i])*x.stride:])
		}
		dst.transpose(planes, from, to)
	})
	return dst, planes
}

// gatherBlock is the number of rows that a worker copies at a time: so many that
// they are still in the second-level cache when they are transposed.
const gatherBlock = 1 << 9
