package datafile

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data/internal/parquet"
)

// cells are the columns of a table and the numbers of the row in progress.
type cells struct {
	names  []string  // of the columns: label, qid, the features that rows have
	place  []int     // of each feature in values, -1 if it has none
	values []float64 // label, features
}

// newCells returns an error if two columns have the same name.
func newCells(o *Options) (*cells, error) {
	c := &cells{names: []string{"label", "qid"}, place: make([]int, len(o.Names)), values: make([]float64, 1)}
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
			return nil, fmt.Errorf("column %q: %w: two columns have that name", name, ErrText)
		}
		seen[name] = true
	}
	return c, nil
}

// fill sets the values to those of a row.
func (c *cells) fill(b *dataset.Block, i int) error {
	clear(c.values)
	c.values[0] = b.Labels[i]
	row := b.Row(i)
	for j, feature := range row.Feature {
		switch {
		case row.Value[j] == 0 || int(feature) >= len(c.place):
		case c.place[feature] < 0:
			return fmt.Errorf("row %d: feature %d: %w", row.Number, feature, ErrFeature)
		default:
			c.values[c.place[feature]] = row.Value[j]
		}
	}
	return nil
}

// text writes CSV and TSV.
type text struct {
	*cells
	comma byte
}

// newText writes the first line.
func newText(w io.Writer, o *Options, comma byte) (*lines, error) {
	c, err := newCells(o)
	if err != nil {
		return nil, err
	}
	t := text{c, comma}
	l := newLines(w, t)
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
func (t text) appendText(line []byte, text string) []byte {
	if !strings.ContainsAny(text, "\"\r\n \t"+string(t.comma)) {
		return append(line, text...)
	}
	return append(append(append(line, '"'), strings.ReplaceAll(text, `"`, `""`)...), '"')
}

func (t text) append(line []byte, b *dataset.Block, i int, query string) ([]byte, error) {
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

// columnar writes Parquet.
type columnar struct {
	*cells
	out *parquet.Writer
}

func newParquet(w io.Writer, o *Options) (*columnar, error) {
	c, err := newCells(o)
	if err != nil {
		return nil, err
	}
	fields := make([]parquet.Field, len(c.names))
	for i, name := range c.names {
		if !utf8.ValidString(name) {
			return nil, fmt.Errorf("column %q: %w: it is not UTF-8", name, ErrText)
		}
		fields[i] = parquet.Field{Name: name, Text: i == 1}
	}
	out, err := parquet.NewWriter(w, fields)
	return &columnar{c, out}, err
}

func (c *columnar) write(b *dataset.Block, row int, query string) error {
	if !utf8.ValidString(query) {
		return fmt.Errorf("query id %q: %w: it is not UTF-8", query, ErrText)
	}
	if err := c.fill(b, row); err != nil {
		return err
	}
	return c.out.Add(c.values, []string{query})
}

func (c *columnar) close() error { return c.out.Close() }
