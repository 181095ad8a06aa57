package histogram

// Select returns a matrix of copies of the given rows of x, in this order, with the bins and columns of x,
// for example for cross-validation. NaNs are counted only in features in which they are missing values; other
// counts are 0.
func (x *Matrix) Select(rows []int) *Matrix {
	part := *x
	part.rows = len(rows)
	part.bins = make([]uint8, len(rows)*x.Stride)
	for i, row := range rows {
		copy(part.Row(i), x.Row(row))
	}
	part.sparse = x.sparse.selected(rows)
	part.NaNs = part.countNaNs()
	return &part
}

// Rows returns a matrix of the rows of x from first to end-1, which shares the memory of x. NaNs are
// counted as in [Matrix.Select].
func (x *Matrix) Rows(first, end int) *Matrix {
	part := *x
	part.rows, part.sparse = end-first, x.sparse.part(first, end)
	part.bins = x.bins[first*x.Stride : end*x.Stride : end*x.Stride]
	part.NaNs = part.countNaNs()
	return &part
}

// countNaNs counts the missing values of features in which NaN is one.
func (x *Matrix) countNaNs() []int64 {
	nans := make([]int64, len(x.NaNs))
	for c, missing := range x.MissingBins {
		if f := x.Columns[c]; missing >= 0 && x.Mapper.Features[f].Missing == MissingNaN {
			nans[f] = x.count(int32(c), uint16(missing))
		}
	}
	return nans
}

// count returns the number of rows that have a bin in a column.
func (x *Matrix) count(column int32, bin uint16) (n int64) {
	for row := range x.rows {
		if x.At(int32(row), column) == bin {
			n++
		}
	}
	return n
}
