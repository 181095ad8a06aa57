package dataset

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/lambdamart/lambdamart/internal/wording"
)

// dense is ranking data in memory, for programs that compute their features, and for tests. Every
// row has a value for every feature.
type dense struct {
	Source
	rows     [][]float64
	features []int32 // 0, 1, 2, …
}

// ErrShape means that the lengths of rows, labels and queries contradict each other.
var ErrShape = errors.New("the lengths must agree")

// FromRows returns data of rows in memory: rows[r] has the feature values of row r, the same number for all
// rows, and labels[r] is its relevance grade. The first querySizes[0] rows are the first query, the next
// querySizes[1] rows the second one, and so on; a query has at least one row. Values are finite, or NaN where
// they are missing. Features are called "Column_0", "Column_1", …, and queries "0", "1", ….
//
// The data keeps rows and labels, which must not change afterwards. Lengths that contradict each other are
// [ErrShape]. [NewDense] also accepts weights, names and everything else in [Meta].
func FromRows(rows [][]float64, labels []float64, querySizes []int) (Columned, error) {
	if len(rows) != len(labels) {
		return nil, fmt.Errorf("%s and %s: %w", wording.Count(len(rows), "row"),
			wording.Count(len(labels), "label"), ErrShape)
	}
	meta, err := newMeta(labels, querySizes)
	if err != nil {
		return nil, err
	}
	features := len(rows[0])
	for r, row := range rows {
		if len(row) != features {
			return nil, fmt.Errorf("row %d has %s, and row 0 has %s: %w", r, wording.Count(len(row), "value"),
				wording.Thousands(features), ErrShape)
		}
	}
	return (&dense{rows: rows}).finish(meta, features)
}

// newMeta describes rows that have labels and queries.
func newMeta(labels []float64, querySizes []int) (*Meta, error) {
	m := &Meta{Labels: labels, Queries: make([]Query, len(querySizes))}
	first := 0
	for i, size := range querySizes {
		if size < 1 {
			return nil, fmt.Errorf("query %d has %s; leave out queries without rows: %w", i,
				wording.Count(size, "row"), ErrShape)
		}
		m.Queries[i] = Query{ID: strconv.Itoa(i), First: first, Len: size}
		first += size
	}
	if first != len(labels) {
		return nil, fmt.Errorf("the queries have %s, and there are %s: %w", wording.Count(first, "row"),
			wording.Thousands(len(labels)), ErrShape)
	}
	return m, m.checkRows()
}

// NewDense returns data of len(meta.Labels) rows that lie one after the other: feature f of row r
// is values[r*features+f], and features is len(values) / len(meta.Labels). (slices.Concat(rows...)
// makes values of a slice for each row.) Values are finite, or NaN where they are missing. If meta
// names no features, they are called "Column_0", "Column_1", ….
//
// The data keeps the slices of meta and values, which must not change afterwards. It is read by
// GOMAXPROCS goroutines. The error names the rule of [Meta.Check] or of the values that is violated;
// it is [ErrShape] if lengths contradict each other.
func NewDense(meta Meta, values []float64) (Columned, error) {
	if err := meta.checkRows(); err != nil {
		return nil, err
	}
	rows := make([][]float64, meta.NumRows())
	features := len(values) / len(rows)
	if features*len(rows) != len(values) {
		return nil, fmt.Errorf("%s cannot be divided into %s: %w", wording.Count(len(values), "value"),
			wording.Count(len(rows), "row"), ErrShape)
	}
	for r := range rows {
		rows[r] = values[r*features:][:features:features]
	}
	return (&dense{rows: rows}).finish(&meta, features)
}

// checkRows returns an error if there are no rows or if m is not valid.
func (m *Meta) checkRows() error {
	if err := m.Check(); err != nil {
		return err
	}
	if m.NumRows() == 0 {
		return ErrEmpty
	}
	return nil
}

// finish checks names and values, and returns the complete data.
func (d *dense) finish(m *Meta, features int) (Columned, error) {
	if m.Features == nil {
		m.Features = wording.ColumnNames(features)
	}
	if len(m.Features) != features {
		return nil, fmt.Errorf("%s for %s: %w", wording.Count(len(m.Features), "name"),
			wording.Count(features, "feature"), ErrShape)
	}
	d.Source, d.features = NewMemory(m, 0, d.read), make([]int32, features)
	for f := range d.features {
		d.features[f] = int32(f)
	}
	for r, row := range d.rows {
		for f, v := range row {
			if math.IsInf(v, 0) {
				return nil, fmt.Errorf("feature %d of row %d is %v; values are finite, or NaN where missing: %w",
					f, r, v, ErrValueFinite)
			}
		}
	}
	return d, nil
}

// read appends rows to a block.
func (d *dense) read(b *Block, rows []int) error {
	for _, r := range rows {
		b.Rows = append(b.Rows, Row{Number: r, Feature: d.features, Value: d.rows[r]})
	}
	return nil
}

// Columned is a [Source] in memory whose values can also be read by feature.
type Columned interface {
	Source

	// Columns appends the values of feature first, first+1, … to the slices of dst, one feature to each
	// slice: the values of the given rows, in their order, or of all rows if rows is nil. Zeros are included.
	// Unlike in Blocks, values are not checked. Several goroutines may call it at the same time. The error is
	// one of reading values that another program has.
	Columns(dst [][]float64, first int, rows []int) error
}

// Columns implements [Columned].
func (d *dense) Columns(dst [][]float64, first int, rows []int) error {
	add := func(row []float64) {
		for i, v := range row[first : first+len(dst)] {
			dst[i] = append(dst[i], v)
		}
	}
	if rows == nil {
		for _, row := range d.rows {
			add(row)
		}
	}
	for _, r := range rows {
		add(d.rows[r])
	}
	return nil
}
