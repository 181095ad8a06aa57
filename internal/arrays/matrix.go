package arrays

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/lambdamart/lambdamart/dataset"
)

// matrix is a [Set] in the form in which the other program has it.
type matrix struct {
	meta           *dataset.Meta
	names          []string
	rows, features int
	workers        int
	read           func(rows []int, s *scratch, visit func(row dataset.Row) error) error
	infinite       bool // infinite values are read like others
	unmap          func() error
}

func (m *matrix) Meta() *dataset.Meta { return m.meta }
func (m *matrix) Names() []string     { return m.names }
func (m *matrix) HasWeights() bool    { return m.meta.Weights != nil }
func (m *matrix) Close() error        { return m.unmap() }

// denseMatrix is a matrix that has a value for each row and feature.
type denseMatrix struct {
	*matrix
	columns func(dst [][]float64, first int, rows []int)
}

// Columns implements [dataset.Columned].
func (m denseMatrix) Columns(dst [][]float64, first int, rows []int) { m.columns(dst, first, rows) }

// blockRows is the number of rows that a worker takes at once. Columns are copied into rows for this many
// at a time, so that each cache line of a column is used for several rows.
const blockRows = 256

// scratch is what a goroutine reads into.
type scratch struct {
	kept     []int
	features []int32
	values   []float64
}

func (m *matrix) Workers() int { return m.workers }

func (m *matrix) NumRows(context.Context) (rows int, known bool, err error) { return m.rows, true, nil }

// Scan implements [dataset.Source]. If visit returns errors, that of the block with the smallest
// number is returned.
func (m *matrix) Scan(ctx context.Context, keep func(row int) bool, visit func(worker int, row dataset.Row) error) (*dataset.Meta, error) {
	errs := make([]error, (m.rows+blockRows-1)/blockRows)
	var taken atomic.Int64
	var failed atomic.Bool
	var group sync.WaitGroup
	for worker := range min(m.workers, len(errs)) {
		group.Go(func() {
			var s scratch
			for ctx.Err() == nil && !failed.Load() {
				i := int(taken.Add(1)) - 1
				if i >= len(errs) {
					return
				}
				errs[i] = m.scan(i, &s, keep, func(r dataset.Row) error { return visit(worker, r) })
				if errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return nil, errs[i]
	}
	return m.meta, nil
}

// scan passes the rows of a block to visit.
func (m *matrix) scan(block int, s *scratch, keep func(row int) bool, visit func(dataset.Row) error) error {
	s.kept = s.kept[:0]
	for r := block * blockRows; r < min(m.rows, (block+1)*blockRows); r++ {
		if keep == nil || keep(r) {
			s.kept = append(s.kept, r)
		}
	}
	if len(s.kept) == 0 || visit == nil {
		return nil
	}
	return m.read(s.kept, s, func(r dataset.Row) error {
		if err := m.check(r); err != nil {
			return err
		}
		return visit(r)
	})
}

// check returns an error for a row with an infinite value, unless these are wanted.
func (m *matrix) check(r dataset.Row) error {
	if m.infinite {
		return nil
	}
	for i, v := range r.Value {
		if math.IsInf(v, 0) {
			return fmt.Errorf("row %d, feature %q: %v: %w", r.Number, m.meta.Features[r.Feature[i]], v, dataset.ErrValueFinite)
		}
	}
	return nil
}

// Stream implements [dataset.Streamer]. Workers fill a block each at the same time; then these blocks are
// emitted, and the next ones begun.
func (m *matrix) Stream(ctx context.Context, work func(worker int, b *dataset.Block) error, emit func(b *dataset.Block) error) error {
	blocks, errs, all := make([]dataset.Block, m.workers), make([]error, m.workers), make([]scratch, m.workers)
	for first := 0; first < m.rows; first += len(blocks) * blockRows {
		n := min(len(blocks), (m.rows-first+blockRows-1)/blockRows)
		var group sync.WaitGroup
		for i := range n {
			group.Go(func() {
				b := &blocks[i]
				if errs[i] = m.fill(b, &all[i], first+i*blockRows); errs[i] == nil {
					errs[i] = work(i, b)
				}
			})
		}
		group.Wait()
		for i := range n {
			if err := cmp.Or(ctx.Err(), errs[i]); err != nil {
				return err
			}
			if err := emit(&blocks[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// fill makes b the block that begins with a row.
func (m *matrix) fill(b *dataset.Block, s *scratch, first int) error {
	b.Begin(m.meta, first, min(first+blockRows, m.rows))
	s.kept = s.kept[:0]
	for r := first; r < first+b.Len(); r++ {
		s.kept = append(s.kept, r)
	}
	return m.read(s.kept, s, func(r dataset.Row) error {
		if err := m.check(r); err != nil {
			return err
		}
		b.Features, b.Values = append(b.Features, r.Feature...), append(b.Values, r.Value...)
		b.Starts = append(b.Starts, len(b.Values))
		return nil
	})
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

func readDense[T float32 | float64](values []T, d *dense, features int) func([]int, *scratch, func(dataset.Row) error) error {
	return func(rows []int, s *scratch, visit func(dataset.Row) error) error {
		s.gatherAll(features, len(rows))
		gather(s.values, values, rows, d, features)
		for i, r := range rows {
			if err := visit(dataset.Row{Number: r, Feature: s.features, Value: s.values[i*features : (i+1)*features]}); err != nil {
				return err
			}
		}
		return nil
	}
}

// readColumns returns the function that appends columns to slices, one to each.
func readColumns[T float32 | float64](values []T, d *dense, all int) func(dst [][]float64, first int, rows []int) {
	return func(dst [][]float64, first int, rows []int) {
		from, n := values[first*d.ColumnStride:], all
		if rows != nil {
			n = len(rows)
		}
		columns := make([][]float64, len(dst)) // the new parts
		for i := range dst {
			dst[i] = slices.Grow(dst[i], n)[:len(dst[i])+n]
			columns[i] = dst[i][len(dst[i])-n:]
		}
		for at := range n {
			row := at
			if rows != nil {
				row = rows[at]
			}
			for i, column := range columns {
				column[at] = float64(from[row*d.RowStride+i*d.ColumnStride])
			}
		}
	}
}

// gatherAll makes room for rows that have all features.
func (s *scratch) gatherAll(features, rows int) {
	if len(s.features) != features {
		s.features = make([]int32, features)
		for f := range s.features {
			s.features[f] = int32(f)
		}
	}
	if len(s.values) < features*rows {
		s.values = make([]float64, features*blockRows)
	}
}

// gather copies rows of a matrix to dst, one after the other.
func gather[T float32 | float64](dst []float64, values []T, rows []int, d *dense, features int) {
	if d.ColumnStride == 1 {
		for i, r := range rows {
			row := values[r*d.RowStride:][:features]
			for f, v := range row {
				dst[i*features+f] = float64(v)
			}
		}
		return
	}
	for f := range features {
		column := values[f*d.ColumnStride:]
		for i, r := range rows {
			dst[i*features+f] = float64(column[r*d.RowStride])
		}
	}
}

// source returns a sparse matrix, whose rows m describes.
func (p *sparse) source(memory []byte, m *matrix) (Set, error) {
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

// checkSparse returns an error unless rows and columns have the order that readers rely on.
func checkSparse(starts []int64, columns []int32, features int) error {
	if starts[0] != 0 || starts[len(starts)-1] != int64(len(columns)) || !slices.IsSorted(starts) {
		return fmt.Errorf("the rows of the sparse matrix do not lie one after the other")
	}
	for r := range len(starts) - 1 {
		last := int32(-1)
		for _, c := range columns[starts[r]:starts[r+1]] {
			if c <= last || int(c) >= features {
				return fmt.Errorf("row %d of the sparse matrix: column %d after column %d of %d", r, c, last, features)
			}
			last = c
		}
	}
	return nil
}

func readSparse[T float32 | float64](starts []int64, columns []int32, data []T) func([]int, *scratch, func(dataset.Row) error) error {
	return func(rows []int, s *scratch, visit func(dataset.Row) error) error {
		for _, r := range rows {
			from, to := starts[r], starts[r+1]
			s.values = s.values[:0]
			for _, v := range data[from:to] {
				s.values = append(s.values, float64(v))
			}
			if err := visit(dataset.Row{Number: r, Feature: columns[from:to:to], Value: s.values}); err != nil {
				return err
			}
		}
		return nil
	}
}
