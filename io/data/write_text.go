package data

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
)

// lineWriter writes text, a line for each row.
type lineWriter struct {
	rowForm
	out  *bufio.Writer
	line []byte
}

// rowForm is one way of writing a row as text.
type rowForm interface {
	append(line []byte, b *dataset.Block, row int, query string) ([]byte, error)
}

func newLines(w io.Writer, f rowForm) *lineWriter {
	return &lineWriter{rowForm: f, out: bufio.NewWriter(w)}
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
