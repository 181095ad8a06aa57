package dataset

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// Dense is a [Source] of rows in memory, for programs that compute their features, and for tests.
type Dense struct {
	meta     *Meta
	values   []float64 // rows × features, row-major
	features []int32   // 0, 1, 2, …
	workers  int
}

var _ Source = (*Dense)(nil)

// denseRows is the number of rows that a worker takes at once.
const denseRows = 256

// NewDense returns a source of len(meta.Labels) rows. values has the features, row after row:
// feature f of row r is values[r*features+f], and features is len(values) / len(meta.Labels);
// values are finite, or NaN where they are missing. If meta names no features, they are called
// "Column_0", "Column_1", ….
//
// The source keeps the slices of meta and values, which must not change afterwards. Its Scan uses
// GOMAXPROCS goroutines. The error says which rule of [Meta.Check] or of the values is violated.
func NewDense(meta Meta, values []float64) (*Dense, error) {
	if err := meta.Check(); err != nil {
		return nil, err
	}
	rows := meta.NumRows()
	if rows == 0 {
		return nil, fmt.Errorf("dataset: there are no rows")
	}
	features := len(values) / rows
	if features*rows != len(values) {
		return nil, fmt.Errorf("dataset: %d values cannot be divided into %d rows", len(values), rows)
	}
	if meta.Features == nil {
		meta.Features = ColumnNames(features)
	}
	if len(meta.Features) != features {
		return nil, fmt.Errorf("dataset: %d names for %d features", len(meta.Features), features)
	}
	for i, v := range values {
		if math.IsInf(v, 0) {
			return nil, fmt.Errorf("dataset: feature %d of row %d is %v; values are finite, or NaN where missing", i%features, i/features, v)
		}
	}
	d := &Dense{meta: &meta, values: values, features: make([]int32, features), workers: runtime.GOMAXPROCS(0)}
	for f := range d.features {
		d.features[f] = int32(f)
	}
	return d, nil
}

// Workers returns the number of goroutines that Scan uses.
func (d *Dense) Workers() int { return d.workers }

// NumRows returns the number of rows.
func (d *Dense) NumRows(context.Context) (rows int, known bool, err error) {
	return d.meta.NumRows(), true, nil
}

// Scan implements [Source]. If visit returns errors, that of the row with the smallest number is
// returned.
func (d *Dense) Scan(ctx context.Context, keep func(row int) bool, visit func(worker int, row Row) error) (*Meta, error) {
	rows := d.meta.NumRows()
	errs := make([]error, (rows+denseRows-1)/denseRows)
	var taken atomic.Int64
	var failed atomic.Bool
	var group sync.WaitGroup
	for worker := range min(d.workers, len(errs)) {
		group.Go(func() {
			for ctx.Err() == nil && !failed.Load() {
				i := int(taken.Add(1)) - 1
				if i >= len(errs) {
					return
				}
				errs[i] = d.scan(worker, i*denseRows, min(rows, (i+1)*denseRows), keep, visit)
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
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return d.meta, nil
}

// scan passes the rows in [from, to) to visit.
func (d *Dense) scan(worker, from, to int, keep func(row int) bool, visit func(worker int, row Row) error) error {
	n := len(d.features)
	for r := from; r < to; r++ {
		if keep != nil && !keep(r) {
			continue
		}
		if err := visit(worker, Row{Number: r, Feature: d.features, Value: d.values[r*n : (r+1)*n]}); err != nil {
			return err
		}
	}
	return nil
}
