package table

import (
	"context"
	"io"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/peers"
	"github.com/lambdamart/lambdamart/io/data/internal/rows"
)

// Divide restricts the data to this peer's part, without regard to where row groups and files end. A row
// group that two parts share is read by both peers, each only as far as its own rows.
func (d *parquetData) Divide(_ context.Context, g peers.Group) error {
	if err := rows.SameInputs(d.Path, d.Inputs, g); err != nil {
		return err
	}
	hasIDs := d.columns.has(queryColumn)
	d.Opts.HaveIDs(hasIDs)
	first, end, err := d.Share(g, d.rows, hasIDs, d.queryAfter)
	d.first, d.rows = first, end-first
	return err
}

// queryAfter returns the first row after the query of a row.
func (d *parquetData) queryAfter(row int) (int, error) {
	ids := make([]string, 1<<12)
	first, query, known := 0, "", false
	for i, f := range d.files {
		from := min(max(0, row-first), rowsOf(f))
		first += rowsOf(f)
		column := f.Texts(&f.Columns[d.columns.with(queryColumn)])
		if err := column.Skip(int64(from)); err != nil {
			return 0, &dataset.Error{Path: d.Inputs[i].Name(), Err: err}
		}
		for from < rowsOf(f) {
			n, err := column.Read(ids)
			if err == io.EOF {
				break
			}
			if err != nil {
				return 0, &dataset.Error{Path: d.Inputs[i].Name(), Err: err}
			}
			for at, id := range ids[:n] {
				if !known {
					query, known = id, true
				} else if id != query {
					return row + at, nil
				}
			}
			row += n
			from += n
		}
	}
	return d.rows, nil
}

// Place finds the place of a row, as [dataset.Meta].Where does.
func (d *parquetData) Place(row int) *dataset.Error {
	for i, f := range d.files {
		if n := rowsOf(f); row >= n {
			row -= n
			continue
		}
		return &dataset.Error{Path: d.Inputs[i].Name(), Row: int64(row) + 1, Field: d.Opts.LabelField}
	}
	return nil
}
