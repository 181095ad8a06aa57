package data

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
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
	errFormat = errors.New("not a format")
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
		return &lineWriter{append: letorRows{o, true}.append, out: bufio.NewWriter(w)}, nil
	case LightGBM:
		return &lineWriter{append: letorRows{o, false}.append, out: bufio.NewWriter(w)}, nil
	case CSV:
		return newTextRows(w, o, ',')
	case TSV:
		return newTextRows(w, o, '\t')
	case Parquet:
		return newParquetRows(w, o)
	}
	return nil, fmt.Errorf("%w: %q; there are %s", errFormat, o.Format, strings.Join(WriteFormats(), ", "))
}

// Companion is a file beside the data, with the name of the data and an ending.
type Companion struct {
	Ending string // such as ".weight"
	Write  func(w io.Writer) error
}

// CompanionsOf returns the companions that hold what the text of data does not: the weights, initial scores,
// further labels and positions of rows, if there are any, and for [LightGBM] the numbers of rows of the
// queries. Pairs of documents have no companion: [ReadPairs] reads a table of its own.
func CompanionsOf(m *dataset.Meta, format string) []Companion {
	var all []Companion
	if format == LightGBM {
		all = append(all, Companion{".query", func(w io.Writer) error {
			return writeLines(w, len(m.Queries), func(b []byte, i int) []byte {
				return strconv.AppendInt(b, int64(m.Queries[i].Len), 10)
			})
		}})
	}
	if m.Weights != nil {
		all = append(all, numberLines(".weight", m.Weights))
	}
	if m.InitialScores != nil {
		all = append(all, numberLines(".init", m.InitialScores))
	}
	for _, l := range m.More {
		all = append(all, numberLines(".label."+l.Name, l.Values))
	}
	if m.Positions != nil {
		all = append(all, Companion{".position", func(w io.Writer) error {
			return writeLines(w, len(m.Positions), func(b []byte, i int) []byte {
				return append(b, m.PositionNames[m.Positions[i]]...)
			})
		}})
	}
	return all
}

func numberLines(ending string, values []float64) Companion {
	return Companion{ending, func(w io.Writer) error {
		return writeLines(w, len(values), func(b []byte, i int) []byte { return appendNumber(b, values[i]) })
	}}
}

// writeLines writes n lines.
func writeLines(w io.Writer, n int, add func(b []byte, i int) []byte) error {
	out := bufio.NewWriter(w)
	var line []byte
	for i := range n {
		line = append(add(line[:0], i), '\n')
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return out.Flush()
}

// lineWriter writes text, a line for each row, which append appends.
type lineWriter struct {
	append func(line []byte, b *dataset.Block, row int, query string) ([]byte, error)
	out    *bufio.Writer
	line   []byte
}

func (l *lineWriter) write(b *dataset.Block, row int, query string) (err error) {
	if l.line, err = l.append(l.line[:0], b, row, query); err != nil {
		return err
	}
	_, err = l.out.Write(append(l.line, '\n'))
	return err
}

func (l *lineWriter) close() error { return l.out.Flush() }

func appendNumber(line []byte, v float64) []byte {
	if v != v {
		return append(line, "nan"...)
	}
	return strconv.AppendFloat(line, v, 'g', -1, 64)
}

// letorRows writes LETOR text.
type letorRows struct {
	*WriteOptions
	queries bool // queries and comments are written
}

func (f letorRows) append(line []byte, b *dataset.Block, i int, query string) ([]byte, error) {
	line = appendNumber(line, b.Labels[i])
	if f.queries {
		if query == "" || strings.ContainsAny(query, " \t\r\n#") {
			return nil, fmt.Errorf("query id %q: %w; it has a blank or a number sign, or is empty", query, errText)
		}
		line = append(append(line, " qid:"...), query...)
	}
	row := b.Rows[i]
	for j, feature := range row.Feature {
		number := int(feature) + f.FeatureBase
		switch {
		case row.Value[j] == 0 || int(feature) >= len(f.Names):
			continue
		case number == 0 && f.Numbering != dataset.FromZero:
			return nil, fmt.Errorf("row %d: feature 0: %w; LETOR text begins at feature 1, so write it with "+
				"feature_base=1", row.Number, errFeature)
		}
		line = append(strconv.AppendInt(append(line, ' '), int64(number), 10), ':')
		line = appendNumber(line, row.Value[j])
	}
	if f.queries && b.Docs != nil && b.Docs[i] != "" {
		line = append(append(line, " # docid = "...), b.Docs[i]...)
	}
	return line, nil
}
