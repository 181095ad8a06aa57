package data

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
)

// The forms in which [Write] writes data.
const (
	LETOR    = "letor"    // label qid:ID number:value … # docid = ID; zero values are left out
	LightGBM = "lightgbm" // the same without ids and comments: LightGBM reads queries from the companion .query
	CSV      = "csv"      // a first line with names: label, qid, the features; a cell for each, NaN as nan
	TSV      = "tsv"      // the same with tabs
	Parquet  = "parquet"  // the same columns: qid is a text, the others are float64; NaN is a value
)

// WriteFormats returns all forms in which Write can write data.
func WriteFormats() []string { return []string{LETOR, LightGBM, CSV, TSV, Parquet} }

// FormatOf returns the form of a file by the ending of its name, in upper or lower case: [CSV], [TSV],
// [Parquet], or [LETOR] for any other ending.
func FormatOf(path string) string {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv":
		return CSV
	case ".tsv":
		return TSV
	case ".parquet":
		return Parquet
	}
	return LETOR
}

// WriteOptions control how data is written.
type WriteOptions struct {
	Format string

	// FeatureBase is the number in LETOR text of the feature that is column 0: 0 or 1, as for reading.
	FeatureBase int
	// Numbering, if it is FromZero, writes column 0 as feature 0; without it, that column is an error.
	Numbering dataset.Numbering

	// Names are the names of the features, for the columns of tables. Features without a name are left out.
	Names []string

	// Absent are features, ascending, that rows do not have: tables leave them out.
	Absent []int
}

// Errors of Write.
var (
	// errFormat: the format is none of [WriteFormats].
	errFormat = errors.New("datafile: not a format")
	// errText: a name or an id cannot be written in this form.
	errText = errors.New("cannot be written in this form")
	// errFeature: a row has a feature that the form has no place for.
	errFeature = errors.New("there is no place for a feature")
	// errNoQueries: rows have no queries.
	errNoQueries = errors.New("the rows have no queries")
)

// Write writes the rows of src to w, in order and in memory that does not depend on their number. Numbers in
// text have the fewest digits that read back as the same float64. [CompanionsOf] returns the files beside the
// data for what the file itself does not hold. Errors of src and of w are returned unchanged.
func Write(ctx context.Context, w io.Writer, src dataset.Source, o WriteOptions) error {
	out, err := o.writer(w)
	if err != nil {
		return err
	}
	err = dataset.Stream(ctx, src, nil, func(b *dataset.Block) error {
		if len(b.Queries) == 0 {
			return &dataset.Error{Path: b.Path, Err: errNoQueries}
		}
		for _, q := range b.Queries {
			for r := q.First; r < q.First+q.Len; r++ {
				if err := out.write(b, r-b.FirstRow, q.ID); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return out.close()
}

// rowWriter writes rows in one form.
type rowWriter interface {
	// write writes a row of a block, by its number there.
	write(b *dataset.Block, row int, query string) error
	// close writes the rest of the file.
	close() error
}

// writer begins a file.
func (o *WriteOptions) writer(w io.Writer) (rowWriter, error) {
	switch o.Format {
	case LETOR:
		return newLines(w, letorRows{o, true}), nil
	case LightGBM:
		return newLines(w, letorRows{o, false}), nil
	case CSV:
		return newTextRows(w, o, ',')
	case TSV:
		return newTextRows(w, o, '\t')
	case Parquet:
		return newParquetRows(w, o)
	}
	return nil, fmt.Errorf("%w: %q; there are %s", errFormat, o.Format, strings.Join(WriteFormats(), ", "))
}
