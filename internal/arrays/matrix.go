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

// source returns the matrix, whose rows m describes, as a window that shows all of it.
func (d *dense) source(memory []byte, m *matrix) (_ Set, err error) {
	if d.Single {
		m.read, err = denseOf[float32](memory, d.Offset, m)
	} else {
		m.read, err = denseOf[float64](memory, d.Offset, m)
	}
	return m, err
}

func denseOf[T float32 | float64](memory []byte, offset int, m *matrix) (func(*dataset.Block, []int) error,
	error) {
	values, err := Numbers[T](memory, offset, m.rows*m.features)
	all := newWindow(&windowed{}, values, m)
	all.shown = Question{Rows: [2]int{0, m.rows}, Columns: [2]int{0, m.features}}
	return all.readRows, err
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

// grow makes slices longer by n and returns the new parts.
func grow(dst [][]float64, n int) [][]float64 {
	parts := make([][]float64, len(dst))
	for i := range dst {
		dst[i] = slices.Grow(dst[i], n)[:len(dst[i])+n]
		parts[i] = dst[i][len(dst[i])-n:]
	}
	return parts
}

// strides are the numbers of values from a row, and from a column, to the next one.
type strides struct{ row, column int }

// gather copies rows of a matrix, whose values begin with row first, to dst, one after the other.
func gather[T float32 | float64](dst []float64, values []T, rows []int, first int, s strides, features int) {
	if features == 0 { // there are no values
		return
	}
	if s.column == 1 {
		for i, r := range rows {
			row := values[(r-first)*s.row:][:features]
			for f, v := range row {
				dst[i*features+f] = float64(v)
			}
		}
		return
	}
	for f := range features {
		column := values[f*s.column:]
		for i, r := range rows {
			dst[i*features+f] = float64(column[(r-first)*s.row])
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
	starts, err := Numbers[int64](memory, p.Starts, rows+1)
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
		m.read, err = wholeSparse[float32](memory, p, starts, columns)
	} else {
		m.read, err = wholeSparse[float64](memory, p, starts, columns)
	}
	return m, err
}

// wholeSparse returns the function that appends rows to a block: they are those of a window that shows all.
func wholeSparse[T float32 | float64](memory []byte, p *Sparse, starts []int64,
	columns []int32) (func(*dataset.Block, []int) error, error) {
	values, err := Numbers[T](memory, p.Data, p.N)
	all := &sparseWindow[T]{starts: starts, rows: [2]int{0, len(starts) - 1}, values: values, columns: columns}
	return all.readRows, err
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
