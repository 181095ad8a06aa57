package table

import (
	"context"
	"errors"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/peers"
	"github.com/lambdamart/lambdamart/io/data/internal/rows"
)

// reader reads the rows of text or of Parquet.
type reader interface {
	dataset.File
	Place(row int) *dataset.Error // as dataset.Meta.Where
	Divide(ctx context.Context, g peers.Group) error
}

// Data is an open table, whose columns may have dictionaries. Close it after use.
type Data struct {
	reader
	*columns
	rows *rows.Data

	Noticed []string // warnings about the last pass
}

// learnCategories reads the data once to build the dictionaries of the columns that
// [Options.Categorical] chooses.
func (d *Data) learnCategories(ctx context.Context) error {
	if _, err := dataset.Scan(ctx, d.reader, nil, func(int, dataset.Row) error { return nil }); err != nil {
		return err
	}
	words, err := d.columns.finishLearning(d.Part())
	if err != nil {
		return &dataset.Error{Path: d.rows.Path, Err: err}
	}
	d.rows.Opts.Meta.Dictionaries = words
	return nil
}

// Blocks implements [dataset.Source]. The first call makes another pass before, if
// dictionaries are to be learned.
func (d *Data) Blocks(ctx context.Context, pass dataset.Pass) (*dataset.Meta, error) {
	if d.columns.learns() {
		if err := d.learnCategories(ctx); err != nil {
			return nil, err
		}
	}
	meta, err := d.reader.Blocks(ctx, pass)
	if err != nil {
		return nil, err
	}
	if d.Noticed, err = d.columns.unknownTexts(d.rows.Path, d.Part()); err != nil {
		return nil, err
	}
	if meta != nil {
		meta.Remarks = append(meta.Remarks, d.Noticed...)
	}
	return meta, nil
}

// AbsentFeatures returns the numbers of features that no row can have, ascending.
func (d *Data) AbsentFeatures() []int { return d.rows.Opts.Meta.Absent }

// The errors of tables, besides those of package dataset for data in any form. The texts say what to do. They
// are wrapped in a [*dataset.Error], which has the place.
var (
	ErrNoColumn  = errors.New("there is no such column; name the one to use")
	ErrRepeated  = errors.New("two columns have this name; rename one")
	ErrNoParts   = errors.New("the folder has no parts")
	ErrSubfolder = errors.New("it is a folder within a folder of parts; name a folder that has files only")
	ErrPartition = errors.New("the names of such folders are the values of a column, which their files lack: " +
		"write one file with it, as with to_parquet of the whole table, or COPY of DuckDB's read_parquet")
	ErrNoFile = errors.New("a part of a table is a file, and this is none; take it out of the folder")
	ErrStray  = errors.New("it does not look like a part of a table, which all files of a folder must " +
		"be, but " +
		"those whose names begin with _ or a point; take it out of the folder. LETOR text is one file")
	ErrManaged = errors.New("the rows of this folder are not all rows of its files; write the current rows to " +
		"a Parquet file, and read that")
	ErrQuery      = errors.New("the row has no query")
	ErrCompressed = errors.New("a Parquet file must be plain: it cannot be compressed as a whole, or come " +
		"through a pipe")
	ErrNoHeader = errors.New("a column is chosen by name, but the first line does not name the columns; " +
		"give header=true, or the number of the column")
	ErrNameless = errors.New("a column has no name; if it is a row number, as pandas writes it, leave it out, " +
		"else name it")
	ErrName = errors.New(`the name of a feature has one of ",:[]{}, which model files ` +
		`cannot hold; rename the column`)
	ErrOtherHeader = errors.New("other columns, or another order of them, than in the first part; write " +
		"all parts with the same columns in one order")
	ErrFeatures  = errors.New("the table has another number of features")
	ErrNoFeature = errors.New("the table lacks features")
	ErrNoQueries = errors.New("no column has the query ids; give group_column=name:NAME, or write the " +
		"number of rows of each query, one a line, to the .query file")
	ErrManyQueries = errors.New("several columns are named like query ids; give group_column=name:NAME, and " +
		"ignore_column=name:NAME for those that are not features")
	ErrLabel = errors.New("the label is not a number; words need numbers, such as 0 for bad and 3 for " +
		"perfect; label_column=name:NAME chooses the column, which is the first one by default")
	ErrQueryLabel = errors.New("the first column is the label by default, and this one is named like query " +
		"ids; give label_column=name:NAME")
	ErrOtherLabel = errors.New("the first column is the label by default, and another one is named like a " +
		"label; say which it is")
	ErrFeatureLabel = errors.New("the first column is the label by default, and this one is a feature; " +
		"give label_column=name:NAME")
	ErrWeight   = errors.New("not a weight; it is a finite number, 0 or more")
	ErrPlace    = errors.New("not a position; it is one word without blanks, such as 1")
	ErrTwoRoles = errors.New("two parameters choose the same column; choose another one for one of them")
	ErrQuote    = errors.New("a double quote that neither begins nor ends a cell; put the cell into " +
		"quotes, and write two for one")
	ErrMixedParts = errors.New("it is written in another format than the first part; take it out of the " +
		"folder, or write it again")
	ErrNotText   = errors.New("it is neither text nor Parquet")
	ErrFewCells  = errors.New("the row ends before its last cell")
	ErrManyCells = errors.New("the row has more cells than there are columns")
)
