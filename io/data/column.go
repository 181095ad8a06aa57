package data

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data/internal/rows"
	"github.com/lambdamart/lambdamart/io/data/internal/table"
)

// ErrNoTable means that a column was requested from data that is not a table.
var ErrNoTable = errors.New("it is not a table of CSV, TSV or Parquet, which alone has columns with names")

// ErrNoColumns means that a parameter names a column of a table, but the data is LETOR text. The error that
// wraps it says what to do instead.
var ErrNoColumns = errors.New("LETOR text, which has no columns with names")

// ErrStoredColumns means that a parameter is about the columns of a table, but the data is binned.
var ErrStoredColumns = errors.New("binned data, whose columns were chosen when it was binned")

// chosen is a choice of columns by a parameter, and what LETOR text has in their place.
type chosen struct {
	parameter, choice string
	companion         string // ending of the companion with the same content; empty: none
	instead           string // what to do; %s is the path of the data
	training          bool   // only training data needs it
	ofText            bool   // LETOR text has it, too
}

// columns returns the columns that the layout chooses. It leaves out choices that fit LETOR text too: the
// first column as the label, no column of queries, and no header.
func (l *Layout) columns() []chosen {
	all := []chosen{
		{parameter: "label_column", choice: unless(l.Label, "0"), instead: "leave it out, since a line of %s " +
			"begins with the label"},
		{parameter: "group_column", choice: unless(l.Query, table.NoColumn),
			instead: "leave it out, and write the query into each line, as in qid:1, or the number of rows of each " +
				"query to %s.query, one a line"},
		{parameter: "weight_column", choice: l.Weight, companion: ".weight",
			instead: "write the weights to %s.weight, one a line"},
		{parameter: "label_columns", choice: l.Labels, ofText: true},
		{parameter: "position_column", choice: l.Position, companion: ".position", training: true,
			instead: "write the positions to %s.position, one a line"},
		{parameter: "docid_column", choice: l.Document, instead: "leave it out, and write the ids as comments " +
			"of %s: # docid = ID"},
		{parameter: "ignore_column", choice: l.Ignore,
			instead: "leave it out, and write %s without these features"},
		{parameter: "header", choice: unless(l.Header, table.AutoHeader, table.WithoutHeader, "-", "0"),
			instead: "leave it out, since no line of %s names columns"},
	}
	return slices.DeleteFunc(all, func(c chosen) bool { return c.choice == "" })
}

// unless returns the choice of a column, or none if it is usual.
func unless(choice string, usual ...string) string {
	if slices.Contains(usual, choice) {
		return ""
	}
	return choice
}

// refuse returns the error that LETOR text at path has no such column.
func (c chosen) refuse(path string) error {
	instead := fmt.Sprintf(c.instead, path)
	if c.companion != "" && rows.CompanionsOf(path).Exists(c.companion) {
		instead = fmt.Sprintf("leave it out, since %s%s is read", filepath.Clean(path), c.companion)
	}
	return fmt.Errorf("%s=%s: %s is %w: %s", c.parameter, c.choice, path, ErrNoColumns, instead)
}

// refuseColumns returns an error if the layout chooses columns, because LETOR text at path has none.
func (o *Options) refuseColumns(path string) error {
	for _, c := range o.Layout.columns() {
		if !c.ofText && (!o.amongOthers || c.isMissed(path, o.Features == nil)) {
			return c.refuse(path)
		}
	}
	return nil
}

// isMissed reports whether LETOR text at path has no companion in place of the column, which other files of
// the run, being tables, have.
func (c chosen) isMissed(path string, training bool) bool {
	return c.companion != "" && (training || !c.training) && !rows.CompanionsOf(path).Exists(c.companion)
}

// checkColumns returns an error if the layout chooses columns, but no set that was opened is a table, and one
// is LETOR text or binned.
func (l *Loader) checkColumns() error {
	columns := l.opts.Layout.columns()
	switch {
	case l.opts.Names != "" && l.letor == "":
		return l.opts.refuseNames("none of the data")
	case l.opts.FeatureBase == 1 && slices.Contains(l.opts.Given, "feature_base") && l.letor+l.stored == "":
		return fmt.Errorf("none of the data is LETOR text: %w", ErrBase)
	case len(columns) == 0 || l.tables:
		return nil
	case l.letor != "":
		for _, c := range columns {
			if !c.ofText {
				return c.refuse(l.letor)
			}
		}
	case l.stored != "":
		return columns[0].refuseStored(l.stored)
	}
	return nil
}

// refuseStored returns the error that data at path is binned and so has no columns.
func (c chosen) refuseStored(path string) error {
	return fmt.Errorf("%s=%s: %s is %w: leave it out, or give it to bin, with the table", c.parameter, c.choice,
		path, ErrStoredColumns)
}

// named precedes the names of columns in a Layout.
const named = "name:"

// Ignoring returns the layout in which one more column of tables, given by its name, is not a feature.
func (l Layout) Ignoring(column string) (Layout, error) {
	column = strings.TrimPrefix(column, named)
	switch {
	case l.Ignore == "":
		l.Ignore = named + column
	case strings.HasPrefix(l.Ignore, named):
		l.Ignore += "," + column
	default:
		return l, fmt.Errorf("ignore_column=%s: write the names of the columns, as in ignore_column=name:a,b, "+
			"to go with column %s", l.Ignore, column)
	}
	return l, nil
}

// Column returns the numbers in one column, given by its name, of a table: one per row. Ignore may name it.
func Column(ctx context.Context, path string, o Options, column string) ([]float64, error) {
	column = strings.TrimPrefix(column, named)
	o.Features = &dataset.Features{Names: []string{column}, Used: []int{0}, OfTraining: true}
	if o.Label == "" && o.Labels == "" {
		o.Label = "0"
	}
	o.Ignore = without(o.Ignore, column)
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
	var values []float64
	err = dataset.Stream(ctx, src, nil, func(b *dataset.Block) error {
		for _, row := range b.Rows {
			value := 0.0
			for i, feature := range row.Feature {
				if feature == 0 {
					value = row.Value[i]
				}
			}
			values = append(values, value)
		}
		return nil
	})
	return values, err
}

// without returns the value of ignore_column without a column, if it names columns.
func without(ignored, column string) string {
	names, byName := strings.CutPrefix(ignored, named)
	if !byName {
		return ignored
	}
	others := slices.DeleteFunc(strings.Split(names, ","), func(name string) bool {
		return table.Name(name) == table.Name(column)
	})
	if len(others) == 0 {
		return ""
	}
	return named + strings.Join(others, ",")
}
