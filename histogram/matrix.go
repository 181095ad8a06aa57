package histogram

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/lambdamart/lambdamart/dataset"
)

// GroupSize is the number of columns that are summed together: one 8-byte load
// gives the bins of a row in all of them.
const GroupSize = 8

// Matrix holds the bins of all rows, one byte a row and column, row after row.
// Only features that can split have a column. It is read-only once filled.
type Matrix struct {
	Mapper  *Mapper
	Columns []int32 // feature number of each column, ascending

	rows   int
	stride int     // bytes of a row: len(Columns), rounded up to whole groups
	bins   []uint8 // rows × stride; bytes beyond the last column are 0
	column []int32 // column of each feature, -1 if it has none
}

// ErrChanged says that a source gave other rows than before.
var ErrChanged = errors.New("the data changed between two readings")

// Bin reads the source once and bins all its rows with m. Features that m does
// not know are left out.
func Bin(ctx context.Context, src dataset.Source, m *Mapper, rows int) (*Matrix, error) {
	x := newMatrix(m, rows)
	defaults := make([]uint8, x.stride)
	for c, f := range x.Columns {
		defaults[c] = m.Features[f].Zero
	}
	meta, err := src.Scan(ctx, nil, func(_ int, row dataset.Row) error {
		if row.Number >= rows {
			return fmt.Errorf("%w: more than %d rows", ErrChanged, rows)
		}
		x.fill(x.bins[row.Number*x.stride:][:x.stride], defaults, row)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if meta.NumRows() != rows {
		return nil, fmt.Errorf("%w: %d rows, then %d", ErrChanged, rows, meta.NumRows())
	}
	return x, nil
}

func newMatrix(m *Mapper, rows int) *Matrix {
	x := &Matrix{Mapper: m, Columns: m.columns(), rows: rows}
	x.stride = (len(x.Columns) + GroupSize - 1) / GroupSize * GroupSize
	x.bins = make([]uint8, rows*x.stride)
	x.column = make([]int32, len(m.Features))
	for f := range x.column {
		x.column[f] = -1
	}
	for c, f := range x.Columns {
		x.column[f] = int32(c)
	}
	return x
}

// fill writes the bins of one row to dst.
func (x *Matrix) fill(dst, defaults []uint8, row dataset.Row) {
	copy(dst, defaults)
	for i, f := range row.Feature {
		if row.Value[i] == 0 || int(f) >= len(x.column) {
			continue
		}
		if c := x.column[f]; c >= 0 {
			dst[c] = x.Mapper.Features[f].Bin(row.Value[i])
		}
	}
}

// NumRows returns the number of rows.
func (x *Matrix) NumRows() int { return x.rows }

// NumGroups returns the number of groups of GroupSize columns.
func (x *Matrix) NumGroups() int { return x.stride / GroupSize }

// Column returns the column of a feature, or -1 if it has none.
func (x *Matrix) Column(feature int32) int32 { return x.column[feature] }

// Bins returns the bins of a column's feature.
func (x *Matrix) Bins(column int32) *FeatureBins { return &x.Mapper.Features[x.Columns[column]] }

// At returns the bin of a row in a column.
func (x *Matrix) At(row, column int32) uint8 {
	return x.bins[int(row)*x.stride+int(column)]
}

// group returns the bins of a row in the columns of a group, the first column
// in the lowest byte.
func (x *Matrix) group(row int32, group int) uint64 {
	return binary.LittleEndian.Uint64(x.bins[int(row)*x.stride+group*GroupSize:])
}

// Bytes returns the memory that a matrix of so many rows takes.
func (m *Mapper) Bytes(rows int) int {
	columns := len(m.columns())
	return rows * ((columns + GroupSize - 1) / GroupSize * GroupSize)
}
