package histogram

import "errors"

// GroupSize is the number of bytes of a row that are summed together: one 8-byte
// load gives the bins of a row in all of their columns.
const GroupSize = 8

// Matrix holds the bins of all rows, row after row, at most a byte a row and
// column; see [Field]. Only features that can split have a column. It is read-only
// once filled.
type Matrix struct {
	Mapper  *Mapper
	Columns []int32 // feature number of each column, ascending

	rows   int
	stride int     // bytes of a row, in whole groups
	bins   []uint8 // rows × stride; bits without a column are 0
	fields []Field // of each column
	column []int32 // column of each feature, -1 if it has none

	missing []int32 // bin of missing values in each column, -1 if there is none
	nans    []int64 // rows in which each feature was NaN
}

// ErrChanged says that a source gave other rows than before.
var ErrChanged = errors.New("the data changed between two readings")

func newMatrix(m *Mapper, rows int) *Matrix {
	x := &Matrix{Mapper: m, Columns: m.columns(), rows: rows}
	x.fields, x.stride = layout(m.binCounts())
	x.bins = make([]uint8, rows*x.stride)
	x.column = make([]int32, len(m.Features))
	for f := range x.column {
		x.column[f] = -1
	}
	x.nans = make([]int64, len(m.Features))
	x.missing = make([]int32, len(x.Columns))
	for c, f := range x.Columns {
		x.column[f] = int32(c)
		x.missing[c] = int32(m.Features[f].MissingBin())
	}
	return x
}

// NumRows returns the number of rows.
func (x *Matrix) NumRows() int { return x.rows }

// Stride returns the number of bytes of a row, a multiple of [GroupSize].
func (x *Matrix) Stride() int { return x.stride }

// Column returns the column of a feature, or -1 if it has none.
func (x *Matrix) Column(feature int32) int32 { return x.column[feature] }

// Bins returns the bins of a column's feature.
func (x *Matrix) Bins(column int32) *FeatureBins { return &x.Mapper.Features[x.Columns[column]] }

// MissingBin returns the bin of missing values in a column, -1 if there is none.
func (x *Matrix) MissingBin(column int32) int32 { return x.missing[column] }

// NaNs returns in how many rows each feature was NaN, by feature number, when they
// were read. It belongs to the matrix; one that was gathered has the counts of all rows.
func (x *Matrix) NaNs() []int64 { return x.nans }

// At returns the bin of a row in a column.
func (x *Matrix) At(row, column int32) uint8 {
	f := x.fields[column]
	return f.Bin(x.bins[int(row)*x.stride+int(f.At)])
}

// Field returns where a row keeps the bin of a column.
func (x *Matrix) Field(column int32) Field { return x.fields[column] }

// Row returns the bytes of a row, which [Matrix.Field] tells to read.
func (x *Matrix) Row(row int) []uint8 { return x.bins[row*x.stride:][:x.stride] }

// Bytes returns the memory that a matrix of so many rows takes.
func (m *Mapper) Bytes(rows int) int {
	_, stride := layout(m.binCounts())
	return rows * stride
}
