package scoring

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/trec"
)

// WriteLines writes a line for each row, in the order of the data, with the numbers separated by tabs. Every
// number has the fewest digits that read back to the same float64. If ids is true, two columns come before
// the numbers: the id of the query, empty if the data has no queries, and the id of the document or, without
// one, the number of its row, from 1. Memory does not grow with the number of rows. Errors of src, of the
// model and of w are returned as they are; an error for an id that such a line cannot hold wraps [ErrID].
func (o Output) WriteLines(ctx context.Context, w io.Writer, src dataset.Source, ids bool) (Summary, error) {
	first, _ := src.Part().First()
	format := func(memory []byte, numbers []float64) []byte { return appendLines(memory[:0], numbers, o.width) }
	var lines []byte
	return stream(ctx, src, o, format, func(b *dataset.Block, text []byte) (err error) {
		if ids {
			if lines, err = appendIDs(lines[:0], b, first, text); err != nil {
				return err
			}
			text = lines
		}
		_, err = w.Write(text)
		return err
	})
}

// appendLines appends a line for each width numbers.
func appendLines(dst []byte, numbers []float64, width int) []byte {
	for i, v := range numbers {
		dst = strconv.AppendFloat(dst, v, 'g', -1, 64)
		if (i+1)%width == 0 {
			dst = append(dst, '\n')
		} else {
			dst = append(dst, '\t')
		}
	}
	return dst
}

// ErrID is wrapped by the error of [Output.WriteLines] for an id that would end its column or its line.
var ErrID = errors.New("an id with a tab or a line end cannot be written")

// appendIDs appends the lines of a block's rows, each with its ids before it. first is the number of the
// first row of the source in all data.
func appendIDs(dst []byte, b *dataset.Block, first int, text []byte) ([]byte, error) {
	queries := b.Queries
	for i := range b.Len() {
		query, doc := "", strconv.Itoa(first+b.FirstRow+i+1)
		for len(queries) > 0 && b.FirstRow+i >= queries[0].First+queries[0].Len {
			queries = queries[1:]
		}
		if len(queries) > 0 {
			query = queries[0].ID
		}
		if b.Docs != nil && b.Docs[i] != "" {
			doc = b.Docs[i]
		}
		if id := query + doc; strings.ContainsAny(id, "\t\n\r") {
			return nil, fmt.Errorf("query %q, document %q: %w", query, doc, ErrID)
		}
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		dst, text = fmt.Appendf(dst, "%s\t%s\t%s\n", query, doc, line), rest
	}
	return dst, nil
}

// WriteRun writes a TREC run: a line "qid Q0 docid rank score tag" for each document. Within a query,
// documents are sorted by score, highest first, and those with equal scores are in the order of the data. A
// document without an id is named by the number of its row, from 1. The rows of each query must follow each
// other. All scores are kept in memory. The error wraps [trec.ErrWord] for an id with blanks,
// [trec.ErrWrittenTwice] for two documents of one id in a query, and [trec.ErrWrittenScore] for a score that
// is not finite.
func WriteRun(ctx context.Context, w io.Writer, src dataset.Source, m Model, tag string) (Summary, error) {
	s, err := Scores(m).All(ctx, src)
	if err != nil {
		return Summary{}, err
	}
	var lines []byte
	for _, q := range s.Meta.Queries {
		run := trec.Query{ID: q.ID, Scores: s.Numbers[q.First:][:q.Len]}
		for row := q.First; row < q.First+q.Len; row++ {
			run.Docs = append(run.Docs, document(s.Meta, row))
		}
		if lines, err = trec.AppendQuery(lines[:0], run, tag); err != nil {
			return Summary{}, err
		}
		if _, err := w.Write(lines); err != nil {
			return Summary{}, err
		}
	}
	return s.Summary, nil
}

// document returns the name of a row's document.
func document(meta *dataset.Meta, row int) string {
	if meta.Docs != nil && meta.Docs[row] != "" {
		return meta.Docs[row]
	}
	first, _ := meta.Part.First()
	return strconv.Itoa(first + row + 1)
}
