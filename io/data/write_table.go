package data

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data/internal/parquet"
)

// tableRow is the columns of a table and the numbers of the row in progress.
type tableRow struct {
	names  []string  // of the columns: label, qid, the features that rows have
	place  []int     // of each feature in values, -1 if it has none
	values []float64 // label, features
}

// newTableRow returns an error if two columns have the same name.
func newTableRow(o *WriteOptions) (*tableRow, error) {
	c := &tableRow{names: []string{"label", "qid"}, place: make([]int, len(o.Names)), values: make([]float64, 1)}
	for f, name := range o.Names {
		c.place[f] = -1
		if _, absent := slices.BinarySearch(o.Absent, f); !absent {
			c.place[f] = len(c.values)
			c.values, c.names = append(c.values, 0), append(c.names, name)
		}
	}
	seen := make(map[string]bool, len(c.names))
	for _, name := range c.names {
		if seen[name] {
			return nil, fmt.Errorf("column %q: %w: two columns have that name", name, errText)
		}
		seen[name] = true
	}
	return c, nil
}

// fill copies the values of a row.
func (c *tableRow) fill(b *dataset.Block, i int) error {
	clear(c.values)
	c.values[0] = b.Labels[i]
	row := b.Rows[i]
	for j, feature := range row.Feature {
		switch {
		case row.Value[j] == 0 || int(feature) >= len(c.place):
		case c.place[feature] < 0:
			return fmt.Errorf("row %d: feature %d: %w", row.Number, feature, errFeature)
		default:
			c.values[c.place[feature]] = row.Value[j]
		}
	}
	return nil
}

// textRows writes CSV and TSV.
type textRows struct {
	*tableRow
	comma byte
}

// newTextRows writes the first line.
func newTextRows(w io.Writer, o *WriteOptions, comma byte) (*lineWriter, error) {
	c, err := newTableRow(o)
	if err != nil {
		return nil, err
	}
	t := textRows{c, comma}
	l := &lineWriter{append: t.append, out: bufio.NewWriter(w)}
	for i, name := range c.names {
		if i > 0 {
			l.line = append(l.line, comma)
		}
		l.line = t.appendText(l.line, name)
	}
	_, err = l.out.Write(append(l.line, '\n'))
	return l, err
}

// appendText appends a cell, in double quotes if it needs them.
func (t textRows) appendText(line []byte, text string) []byte {
	if !strings.ContainsAny(text, "\"\r\n \t"+string(t.comma)) {
		return append(line, text...)
	}
	return append(append(append(line, '"'), strings.ReplaceAll(text, `"`, `""`)...), '"')
}

func (t textRows) append(line []byte, b *dataset.Block, i int, query string) ([]byte, error) {
	if err := t.fill(b, i); err != nil {
		return nil, err
	}
	line = append(appendNumber(line, t.values[0]), t.comma)
	line = t.appendText(line, query)
	for _, v := range t.values[1:] {
		line = appendNumber(append(line, t.comma), v)
	}
	return line, nil
}

// parquetRows writes Parquet.
type parquetRows struct {
	*tableRow
	out *parquet.Writer
}

func newParquetRows(w io.Writer, o *WriteOptions) (*parquetRows, error) {
	c, err := newTableRow(o)
	if err != nil {
		return nil, err
	}
	fields := make([]parquet.Field, len(c.names))
	for i, name := range c.names {
		if !utf8.ValidString(name) {
			return nil, fmt.Errorf("column %q: %w: it is not UTF-8", name, errText)
		}
		fields[i] = parquet.Field{Name: name, Text: i == 1}
	}
	out, err := parquet.NewWriter(w, fields)
	return &parquetRows{c, out}, err
}

func (c *parquetRows) write(b *dataset.Block, row int, query string) error {
	if !utf8.ValidString(query) {
		return fmt.Errorf("query id %q: %w: it is not UTF-8", query, errText)
	}
	if err := c.fill(b, row); err != nil {
		return err
	}
	return c.out.Add(c.values, []string{query})
}

func (c *parquetRows) close() error { return c.out.Close() }
