package textfile

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
)

// Format is a form of text.
type Format string

// The forms of text, by the description of the package.
const (
	LETOR    Format = "letor"
	LightGBM Format = "lightgbm"
	CSV      Format = "csv"
	TSV      Format = "tsv"
)

// Formats returns the names of all forms.
func Formats() []string {
	return []string{string(LETOR), string(LightGBM), string(CSV), string(TSV)}
}

// FormatOf returns the form of a file by the ending of its name, in any case: [CSV], [TSV], or [LETOR] for any other.
func FormatOf(path string) Format {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv":
		return CSV
	case ".tsv":
		return TSV
	}
	return LETOR
}

// Options say how data is written.
type Options struct {
	Format Format

	// FeatureBase is the number in LETOR text of the feature that is column 0: 0 or 1, as for reading.
	FeatureBase int

	// Names are those of the features, which CSV and TSV have in their first line. Features beyond them
	// are left out.
	Names []string

	// Absent are features, ascending, that rows do not have: CSV and TSV leave them out.
	Absent []int
}

// Errors of Write.
var (
	// ErrFormat: the format is none of [Formats].
	ErrFormat = errors.New("textfile: not a format")
	// ErrText: a name or an id cannot be written in this form.
	ErrText = errors.New("cannot be written in this form")
	// ErrFeature: a row has a feature that the form has no place for.
	ErrFeature = errors.New("there is no place for a feature")
	// ErrNoQueries: rows have no queries.
	ErrNoQueries = errors.New("the rows have no queries")
)

// Write writes the rows of src to w. Errors are those of src and of w as they are, or wrap one of the
// errors above.
func Write(ctx context.Context, w io.Writer, src dataset.Streamer, o Options) error {
	form, err := o.form()
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	if err := form.begin(out); err != nil {
		return err
	}
	var line []byte
	err = src.Stream(ctx, func(int, *dataset.Block) error { return nil }, func(b *dataset.Block) error {
		if len(b.Queries) == 0 {
			return &dataset.Error{Path: b.Path, Err: ErrNoQueries}
		}
		for _, q := range b.Queries {
			for r := q.First; r < q.First+q.Len; r++ {
				if line, err = form.append(line[:0], b, r-b.FirstRow, q.ID); err != nil {
					return err
				}
				if _, err := out.Write(append(line, '\n')); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

// form is one way of writing rows.
type form interface {
	begin(w *bufio.Writer) error
	append(line []byte, b *dataset.Block, row int, query string) ([]byte, error)
}

func (o *Options) form() (form, error) {
	switch o.Format {
	case LETOR:
		return letor{o, true}, nil
	case LightGBM:
		return letor{o, false}, nil
	case CSV:
		return newTable(o, ','), nil
	case TSV:
		return newTable(o, '\t'), nil
	}
	return nil, fmt.Errorf("%w: %q; there are %s", ErrFormat, o.Format, strings.Join(Formats(), ", "))
}

func appendNumber(line []byte, v float64) []byte {
	if v != v {
		return append(line, "nan"...)
	}
	return strconv.AppendFloat(line, v, 'g', -1, 64)
}

// letor writes LETOR text.
type letor struct {
	*Options
	queries bool // and comments
}

func (f letor) begin(*bufio.Writer) error { return nil }

func (f letor) append(line []byte, b *dataset.Block, i int, query string) ([]byte, error) {
	line = appendNumber(line, b.Labels[i])
	if f.queries {
		if query == "" || strings.ContainsAny(query, " \t\r\n#") {
			return nil, fmt.Errorf("query id %q: %w; it has a blank or a number sign, or is empty", query, ErrText)
		}
		line = append(append(line, " qid:"...), query...)
	}
	row := b.Row(i)
	for j, feature := range row.Feature {
		number := int(feature) + f.FeatureBase
		switch {
		case row.Value[j] == 0 || int(feature) >= len(f.Names):
			continue
		case number == 0:
			return nil, fmt.Errorf("row %d: feature 0: %w; LETOR text begins at feature 1, so write it with feature_base=1", row.Number, ErrFeature)
		}
		line = append(strconv.AppendInt(append(line, ' '), int64(number), 10), ':')
		line = appendNumber(line, row.Value[j])
	}
	if f.queries && b.Docs != nil && b.Docs[i] != "" {
		line = append(append(line, " # docid = "...), b.Docs[i]...)
	}
	return line, nil
}

// table writes CSV and TSV.
type table struct {
	*Options
	comma  byte
	place  []int     // of each feature among the cells, -1 if it has none
	values []float64 // of the row in work, by cell
}

func newTable(o *Options, comma byte) *table {
	t := &table{Options: o, comma: comma, place: make([]int, len(o.Names))}
	cells := 0
	for f := range t.place {
		if _, absent := slices.BinarySearch(o.Absent, f); absent {
			t.place[f] = -1
		} else {
			t.place[f] = cells
			cells++
		}
	}
	t.values = make([]float64, cells)
	return t
}

func (t *table) begin(w *bufio.Writer) error {
	names := []string{"label", "qid"}
	for f, name := range t.Names {
		if t.place[f] >= 0 {
			names = append(names, name)
		}
	}
	seen := make(map[string]bool, len(names))
	var line []byte
	for i, name := range names {
		if seen[name] {
			return fmt.Errorf("column %q: %w: two columns have that name", name, ErrText)
		}
		seen[name] = true
		if i > 0 {
			line = append(line, t.comma)
		}
		line = t.appendText(line, name)
	}
	_, err := w.Write(append(line, '\n'))
	return err
}

// appendText appends a cell, in double quotes if it needs them.
func (t *table) appendText(line []byte, text string) []byte {
	if !strings.ContainsAny(text, "\"\r\n \t"+string(t.comma)) {
		return append(line, text...)
	}
	return append(append(append(line, '"'), strings.ReplaceAll(text, `"`, `""`)...), '"')
}

func (t *table) append(line []byte, b *dataset.Block, i int, query string) ([]byte, error) {
	clear(t.values)
	row := b.Row(i)
	for j, feature := range row.Feature {
		switch {
		case row.Value[j] == 0 || int(feature) >= len(t.place):
		case t.place[feature] < 0:
			return nil, fmt.Errorf("row %d: feature %d: %w", row.Number, feature, ErrFeature)
		default:
			t.values[t.place[feature]] = row.Value[j]
		}
	}
	line = append(appendNumber(line, b.Labels[i]), t.comma)
	line = t.appendText(line, query)
	for _, v := range t.values {
		line = appendNumber(append(line, t.comma), v)
	}
	return line, nil
}
