package arrays

import (
	"fmt"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// matrix is a [Set] in the layout of the other program.
type matrix struct {
	dataset.Source
	meta           *dataset.Meta
	names          []string
	rows, features int
	read           func(b *dataset.Block, rows []int) error
	infinite       bool // infinite values are accepted
	unmap          func() error
}

func (m *matrix) Meta() *dataset.Meta { return m.meta }
func (m *matrix) Names() []string     { return m.names }
func (m *matrix) Close() error        { return m.unmap() }

// denseMatrix is a matrix that has a value for each row and feature.
type denseMatrix struct {
	*matrix
	columns func(dst [][]float64, first int, rows []int) error
}

// Columns implements [dataset.Columned].
func (m denseMatrix) Columns(dst [][]float64, first int, rows []int) error {
	return m.columns(dst, first, rows)
}

// readBlock appends rows to a block.
func (m *matrix) readBlock(b *dataset.Block, rows []int) error {
	if err := m.read(b, rows); err != nil {
		return err
	}
	for _, row := range b.Rows {
		if err := m.check(row); err != nil {
			return err
		}
	}
	return nil
}

// check returns an error for a row with an infinite value, unless these are accepted.
func (m *matrix) check(r dataset.Row) error {
	if m.infinite {
		return nil
	}
	for i, v := range r.Value {
		if math.IsInf(v, 0) {
			return fmt.Errorf("row %d, feature %q: %v: %w", r.Number, m.meta.Features[r.Feature[i]], v,
				dataset.ErrValueFinite)
		}
	}
	return nil
}

// source returns a dense matrix, whose rows m describes.
func (d *dense) source(memory []byte, m *matrix) (Set, error) {
	tooLong := func(stride, n int) bool { return stride < 0 || n > 1 && stride > len(memory)/(n-1) }
	if tooLong(d.RowStride, m.rows) || tooLong(d.ColumnStride, m.features) {
		return nil, fmt.Errorf("the strides %d and %d are not supported", d.RowStride, d.ColumnStride)
	}
	elements := 0
	if m.rows > 0 && m.features > 0 {
		elements = (m.rows-1)*d.RowStride + (m.features-1)*d.ColumnStride + 1
	}
	if d.Single {
		return denseOf[float32](memory, elements, d, m)
	}
	return denseOf[float64](memory, elements, d, m)
}

func denseOf[T float32 | float64](memory []byte, elements int, d *dense, m *matrix) (Set, error) {
	values, err := Numbers[T](memory, d.Offset, elements)
	if err != nil {
		return nil, err
	}
	m.read = readDense(values, d, m.features)
	return denseMatrix{m, readColumns(values, d, m.rows)}, nil
}

// readDense returns the function that appends rows to a block. Columns are copied into all rows of the block,
// so that each cache line of a column is used for several of them.
func readDense[T float32 | float64](values []T, d *dense, n int) func(*dataset.Block, []int) error {
	features := make([]int32, n)
	for f := range features {
		features[f] = int32(f)
	}
	return func(b *dataset.Block, rows []int) error {
		gather(sized(b, n*len(rows)), values, rows, 0, d, n)
		appendRows(b, rows, features)
		return nil
	}
}

// sized returns the memory of a block, for n values.
func sized(b *dataset.Block, n int) []float64 {
	b.Memory = reuse.Slice(b.Memory, n)
	return b.Memory
}

// appendRows appends the rows whose values are in the memory of a block to it.
func appendRows(b *dataset.Block, rows []int, features []int32) {
	n := len(features)
	for i, r := range rows {
		b.Rows = append(b.Rows, dataset.Row{Number: r, Feature: features, Value: b.Memory[i*n : (i+1)*n]})
	}
}

// readColumns returns the function that appends columns to slices, one column a slice.
func readColumns[T float32 | float64](values []T, d *dense, all int) func(dst [][]float64, first int,
	rows []int) error {
	return func(dst [][]float64, first int, rows []int) error {
		from, n := values[first*d.ColumnStride:], all
		if rows != nil {
			n = len(rows)
		}
		columns := grow(dst, n)
		for at := range n {
			row := at
			if rows != nil {
				row = rows[at]
			}
			for i, column := range columns {
				column[at] = float64(from[row*d.RowStride+i*d.ColumnStride])
			}
		}
		return nil
	}
}

// grow makes slices longer by n and returns the new parts.
func grow(dst [][]float64, n int) [][]float64 {
	parts := make([][]float64, len(dst))
	for i := range dst {
		dst[i] = slices.Grow(dst[i], n)[:len(dst[i])+n]
		parts[i] = dst[i][len(dst[i])-n:]
	}
	return parts
}

// gather copies rows of a matrix, whose values begin with row first, to dst, one after the other.
func gather[T float32 | float64](dst []float64, values []T, rows []int, first int, d *dense, features int) {
	if features == 0 { // there are no values
		return
	}
	if d.ColumnStride == 1 {
		for i, r := range rows {
			row := values[(r-first)*d.RowStride:][:features]
			for f, v := range row {
				dst[i*features+f] = float64(v)
			}
		}
		return
	}
	for f := range features {
		column := values[f*d.ColumnStride:]
		for i, r := range rows {
			dst[i*features+f] = float64(column[(r-first)*d.RowStride])
		}
	}
}

// Unlabeled returns the rows of the sparse matrix, which lies in memory, as data of one query whose labels
// are zero: for scores of rows that do not depend on other rows. names are those of all columns.
func (p *Sparse) Unlabeled(memory []byte, rows int, names []string, o Options) (dataset.Source, error) {
	if rows < 1 {
		return nil, fmt.Errorf("a sparse matrix of %d rows", rows)
	}
	meta := &dataset.Meta{Features: names, Queries: []dataset.Query{{Len: rows}}, Labels: make([]float64, rows)}
	m := &matrix{meta: meta, rows: rows, features: len(names), infinite: o.Infinite}
	m.Source = dataset.NewMemory(meta, o.Workers, m.readBlock)
	return p.source(memory, m)
}

// source returns the sparse matrix as a Set. m describes its rows.
func (p *Sparse) source(memory []byte, m *matrix) (Set, error) {
	starts, err := Numbers[int64](memory, p.Starts, m.rows+1)
	if err != nil {
		return nil, err
	}
	columns, err := Numbers[int32](memory, p.Columns, p.N)
	if err != nil {
		return nil, err
	}
	if err := checkSparse(starts, columns, m.features); err != nil {
		return nil, err
	}
	if p.Single {
		values, err := Numbers[float32](memory, p.Data, p.N)
		m.read = readSparse(starts, columns, values)
		return m, err
	}
	values, err := Numbers[float64](memory, p.Data, p.N)
	m.read = readSparse(starts, columns, values)
	return m, err
}

// checkSparse returns an error unless rows and columns are in the order that readers rely on.
func checkSparse(starts []int64, columns []int32, features int) error {
	if err := checkStarts(starts, int64(len(columns))); err != nil {
		return err
	}
	return checkColumns(starts, columns, 0, features)
}

// checkStarts returns an error unless n values lie one row after the other.
func checkStarts(starts []int64, n int64) error {
	if starts[0] != 0 || starts[len(starts)-1] != n || !slices.IsSorted(starts) {
		return fmt.Errorf("the rows of the sparse matrix do not lie one after the other")
	}
	return nil
}

// checkColumns returns an error unless columns ascend in each row. The first row has this number, and the
// first column belongs to it.
func checkColumns(starts []int64, columns []int32, first, features int) error {
	for r := range len(starts) - 1 {
		last := int32(-1)
		for _, c := range columns[starts[r]-starts[0] : starts[r+1]-starts[0]] {
			if c <= last || int(c) >= features {
				return fmt.Errorf("row %d of the sparse matrix: column %d after column %d of %d", first+r, c, last,
					features)
			}
			last = c
		}
	}
	return nil
}

// readSparse returns the function that appends rows to a block.
func readSparse[T float32 | float64](starts []int64, columns []int32, data []T) func(*dataset.Block,
	[]int) error {
	return func(b *dataset.Block, rows []int) error {
		b.Memory = b.Memory[:0]
		for _, r := range rows {
			from, to, first := starts[r], starts[r+1], len(b.Memory)
			for _, v := range data[from:to] {
				b.Memory = append(b.Memory, float64(v))
			}
			b.Rows = append(b.Rows, dataset.Row{Number: r, Feature: columns[from:to:to], Value: b.Memory[first:]})
		}
		return nil
	}
}
