package table

import (
	"context"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/peers"
)

// reader reads the rows of text or of Parquet, whose columns may have dictionaries.
type reader interface {
	dataset.File
	AbsentFeatures() []int            // the numbers of features that no row can have, ascending
	Remarks() []string                // what was noticed about the columns
	SetDictionaries(map[int][]string) // those of the Meta that Blocks returns
	Divide(ctx context.Context, g peers.Group) error
}

// Data is an open table. Close it after use.
type Data struct {
	reader
	path    string
	columns *columns
	noticed []string
}

// learnCategories reads the data once to build the dictionaries of the columns that [Options.Categorical]
// chooses.
func (d *Data) learnCategories(ctx context.Context) error {
	if _, err := dataset.Scan(ctx, d.reader, nil, func(int, dataset.Row) error { return nil }); err != nil {
		return err
	}
	words, err := d.columns.finishLearning(d.Part())
	if err != nil {
		return &dataset.Error{Path: d.path, Err: err}
	}
	d.SetDictionaries(words)
	return nil
}

// Blocks implements [dataset.Source]. The first call makes another pass before, if dictionaries are to be
// learned.
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
	if err := d.notice(); err != nil {
		return nil, err
	}
	if meta != nil {
		meta.Remarks = append(meta.Remarks, d.noticed...)
	}
	return meta, nil
}

func (d *Data) notice() (err error) {
	d.noticed, err = d.columns.unknownTexts(d.path, d.Part())
	return err
}

// GuessedQuery reports whether the column of the query ids was chosen by its name.
func (d *Data) GuessedQuery() bool { return d.columns.guessed }

// Noticed returns what was noticed about the texts of the last pass.
func (d *Data) Noticed() []string { return d.noticed }
