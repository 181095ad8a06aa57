package histogram

import "github.com/lambdamart/lambdamart/internal/par"

// transposeRows is the number of rows that a worker takes at a time. Their bins
// and those of GroupSize columns stay in a first-level cache.
const transposeRows = 1 << 10

// Transpose returns the bins again, column after column: element c holds the bin
// of every row in column c. Who looks at one column of many rows reads a byte of
// each cache line in the matrix, and every byte of them here.
func (x *Matrix) Transpose(pool *par.Pool) [][]uint8 {
	all := make([]uint8, x.rows*len(x.Columns))
	columns := make([][]uint8, len(x.Columns))
	for c := range columns {
		columns[c] = all[c*x.rows:][:x.rows]
	}
	pool.Blocks(x.rows, transposeRows, func(_, from, to int) {
		for c := range columns {
			dst, field := columns[c][from:to], x.fields[c]
			for i := range dst {
				dst[i] = field.Bin(x.bins[(from+i)*x.stride+int(field.At)])
			}
		}
	})
	return columns
}
