package histogram

import "math"

// GroupSize is the number of bytes of a group: a row of a [Matrix] has a whole number of groups, so
// that one 8-byte load reads the bins of all columns of a group.
const GroupSize = 8

// Matrix holds the bins of all rows. A bin takes one byte or less, two bytes if the column has more than 256
// bins, or none if the column is sparse and it is the bin of 0; the package documentation shows the layout. A
// matrix is read-only once filled, and any number of goroutines may use it.
//
// Rows and columns are numbered from 0. As with slices, a method panics if a number is out of range.
type Matrix struct {
	Mapper  *Mapper
	Columns []int32 // feature number of each column, ascending

	Stride      int     // bytes of a row, a multiple of [GroupSize]
	Fields      []Field // where a row holds the bin of each column
	MissingBins []int32 // bin of missing values in each column, -1 if there is none
	ColumnOf    []int32 // column of each feature, -1 if the feature is constant
	NaNs        []int64 // of each feature: the number of rows in which it was NaN when it was read

	ColumnOfPlace []int32 // column of each place of [SparseRows]; nil unless a column is sparse

	rows   int
	bins   []uint8 // rows × Stride; bits without a column are 0
	sparse SparseRows
	// index of each column's first bin among the places of sparse, and last the end of all; nil unless a
	// column is sparse
	first []uint32
}

// newMatrix returns a matrix of this many rows whose bytes are all 0.
func newMatrix(m *Mapper, rows int) *Matrix {
	x := &Matrix{Mapper: m, Columns: m.columns(), rows: rows, bins: make([]uint8, rows*m.Stride())}
	sparse := m.sparse()
	x.Fields, x.Stride = layout(m.binCounts(), sparse)
	if sparse != nil {
		x.setPlaces()
	}
	x.ColumnOf = make([]int32, len(m.Features))
	for f := range x.ColumnOf {
		x.ColumnOf[f] = -1
	}
	x.NaNs = make([]int64, len(m.Features))
	x.MissingBins = make([]int32, len(x.Columns))
	for c, f := range x.Columns {
		x.ColumnOf[f] = int32(c)
		x.MissingBins[c] = int32(m.Features[f].missingBin())
	}
	return x
}

// NumRows returns the number of rows.
func (x *Matrix) NumRows() int { return x.rows }

// Bins returns the bins of a column's feature.
func (x *Matrix) Bins(column int32) *FeatureBins { return &x.Mapper.Features[x.Columns[column]] }

// At returns the bin of a row in a column.
func (x *Matrix) At(row, column int32) uint16 {
	if f := x.Fields[column]; !f.Sparse {
		return f.Of(x.Row(int(row)))
	}
	return x.sparseAt(row, column)
}

// Row returns the bytes of a row; [Matrix.Fields] locates the columns in them. The slice belongs
// to the matrix.
func (x *Matrix) Row(row int) []uint8 { return x.bins[row*x.Stride:][:x.Stride] }

// Raw holds all parts of a matrix except its [Mapper].
type Raw struct {
	Rows   int
	NaNs   []int64    // by feature number: the number of rows in which the feature was NaN
	Bins   []uint8    // the bytes of all rows, those of [Matrix.Row], row after row
	Sparse SparseRows // bins of sparse columns; empty if there are none
}

// Raw returns the parts from which [FromRaw] makes the matrix again. The slices belong to the matrix.
func (x *Matrix) Raw() Raw { return Raw{x.rows, x.NaNs, x.bins, x.sparse} }

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

// Missing is LightGBM's missing type of a feature: the values that count as missing. Rows with a missing
// value share a bin, and a split sends them left or right independently of its threshold.
type Missing uint8

const (
	MissingNone Missing = iota // no value is missing: NaN counts as 0
	MissingZero                // NaN is missing, and so is zero: magnitudes up to 1e-35
	MissingNaN                 // NaN is missing
)

// missingOf returns which values of a feature are missing. NaN has its own bin only if the sample has NaN and
// other values.
func (p *BinParams) missingOf(nans, others int) Missing {
	if p.Missing == MissingNaN && (nans == 0 || others == 0) {
		return MissingNone
	}
	return p.Missing
}

// dropNaNAndZero moves the values that are neither NaN nor zero to the front, in their order. It returns them
// and the number of NaNs.
func dropNaNAndZero(values []float64) (others []float64, nans int) {
	others = values[:0]
	for _, v := range values {
		switch {
		case math.Abs(v) > zeroBound:
			others = append(others, v)
		case v != v:
			nans++
		}
	}
	return others, nans
}

// missingBin returns the bin of missing values, or -1 if the feature has none. A categorical feature has
// none: missing values share bin 0 with rare categories, and always go right.
func (f *FeatureBins) missingBin() int {
	if f.IsCategorical() {
		return -1
	}
	switch f.Missing {
	case MissingZero:
		return int(f.Zero)
	case MissingNaN:
		return len(f.UpperBounds)
	}
	return -1
}

// nanBin returns the bin of NaN.
func (f *FeatureBins) nanBin() uint16 {
	if f.Missing == MissingNaN {
		return uint16(len(f.UpperBounds))
	}
	return f.Zero
}

// isMissing reports whether v, which is not NaN, is missing.
func (f *FeatureBins) isMissing(v float64) bool {
	return f.Missing == MissingZero && -zeroBound <= v && v <= zeroBound
}
