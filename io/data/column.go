package data

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data/table"
)

// ErrNoTable says that a column is asked for of data that is no table.
var ErrNoTable = errors.New("it is not a table of CSV, TSV or Parquet, which alone has columns with names")

// refuseColumns returns an error if the layout names columns, which LETOR text does not have, whose place
// companions take.
func (l *Layout) refuseColumns(path string) error {
	switch {
	case l.Label2 != "":
		return fmt.Errorf("label2_column=%s: %s is LETOR text, which has no columns with names: write the second labels to %s.label2, one a line", l.Label2, path, path)
	case l.Position != "":
		return fmt.Errorf("position_column=%s: %s is LETOR text, which has no columns with names: write the positions to %s.position, one a line", l.Position, path, path)
	}
	return nil
}

// named stands before the names of columns in a Layout.
const named = "name:"

// Ignoring returns the layout in which one more column of tables, given by its name, is no feature.
func (l Layout) Ignoring(column string) (Layout, error) {
	column = strings.TrimPrefix(column, named)
	switch {
	case l.Ignore == "":
		l.Ignore = named + column
	case strings.HasPrefix(l.Ignore, named):
		l.Ignore += "," + column
	default:
		return l, fmt.Errorf("ignore_column=%s: write the names of the columns, as in ignore_column=name:a,b, to go with column %s", l.Ignore, column)
	}
	return l, nil
}

// Column returns the numbers in one column, given by its name, of a table: one a row.
func Column(ctx context.Context, path string, o Options, column string) ([]float64, error) {
	column = strings.TrimPrefix(column, named)
	o.Features = &table.Features{Names: []string{column}, Used: []int{0}}
	if o.Label == "" {
		o.Label = "0"
	}
	src, err := Open(path, o)
	if errors.Is(err, ErrBinned) || err == nil && !src.Table {
		if err == nil {
			src.Close()
		}
		return nil, fmt.Errorf("%s: column %s: %w", path, column, ErrNoTable)
	}
	if err != nil {
		return nil, err
	}
	defer src.Close()
	meta, err := src.Scan(ctx, func(int) bool { return false }, nil)
	if err != nil {
		return nil, err
	}
	values := make([]float64, meta.NumRows())
	_, err = src.Scan(ctx, nil, func(_ int, row dataset.Row) error {
		if row.Number >= len(values) {
			return fmt.Errorf("%s: it has more rows than a moment ago", path)
		}
		for i, feature := range row.Feature {
			if feature == 0 {
				values[row.Number] = row.Value[i]
			}
		}
		return nil
	})
	return values, err
}
