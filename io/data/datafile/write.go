package datafile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
)

// Format is a form of data.
type Format string

// The forms of data, by the description of the package.
const (
	LETOR    Format = "letor"
	LightGBM Format = "lightgbm"
	CSV      Format = "csv"
	TSV      Format = "tsv"
	Parquet  Format = "parquet"
)

// Formats returns the names of all forms.
func Formats() []string {
	return []string{string(LETOR), string(LightGBM), string(CSV), string(TSV), string(Parquet)}
}

// FormatOf returns the form of a file by the ending of its name, in any case: [CSV], [TSV], [Parquet], or
// [LETOR] for any other.
func FormatOf(path string) Format {
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

// Options say how data is written.
type Options struct {
	Format Format

	// FeatureBase is the number in LETOR text of the feature that is column 0: 0 or 1, as for reading.
	FeatureBase int

	// Names are those of the features, which the columns of tables have. Features beyond them are left out.
	Names []string

	// Absent are features, ascending, that rows do not have: tables leave them out.
	Absent []int
}

// Errors of Write.
var (
	// ErrFormat: the format is none of [Formats].
	ErrFormat = errors.New("datafile: not a format")
	// ErrText: a name or an id cannot be written in this form.
	ErrText = errors.New("cannot be written in this form")
	// ErrFeature: a row has a feature that the form has no place for.
	ErrFeature = errors.New("there is no place for a feature")
	// ErrNoQueries: rows have no queries.
	ErrNoQueries = errors.New("the rows have no queries")
)

// Write writes the rows of src to w. Errors are those of src and of w as they are, or wrap one of the
// errors above.
func Write(ctx context.Context, w io.Writer, src dataset.Source, o Options) error {
	out, err := o.writer(w)
	if err != nil {
		return err
	}
	err = dataset.Stream(ctx, src, func(int, *dataset.Block) error { return nil }, func(b *dataset.Block) error {
		if len(b.Queries) == 0 {
			return &dataset.Error{Path: b.Path, Err: ErrNoQueries}
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

// writer writes rows in one form.
type writer interface {
	// write writes a row of a block, by its number there.
	write(b *dataset.Block, row int, query string) error
	// close writes what is left.
	close() error
}

// writer begins a file.
func (o *Options) writer(w io.Writer) (writer, error) {
	switch o.Format {
	case LETOR:
		return newLines(w, letor{o, true}), nil
	case LightGBM:
		return newLines(w, letor{o, false}), nil
	case CSV:
		return newText(w, o, ',')
	case TSV:
		return newText(w, o, '\t')
	case Parquet:
		return newParquet(w, o)
	}
	return nil, fmt.Errorf("%w: %q; there are %s", ErrFormat, o.Format, strings.Join(Formats(), ", "))
}
