package scoring

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/lambdamart/lambdamart/dataset"
)

// WriteLines writes the numbers of one row a line, in the order of the data, separated by tabs
// them. Every number has the fewest digits that read back to the same float64. Memory does not grow
// with the number of rows. Errors are those of src, of the model and of w, as they are.
func (o Output) WriteLines(ctx context.Context, w io.Writer, src dataset.Streamer) (Summary, error) {
	format := func(memory []byte, numbers []float64) []byte { return appendLines(memory[:0], numbers, o.width) }
	return stream(ctx, src, o, format, func(_ *dataset.Block, text []byte) error {
		_, err := w.Write(text)
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

// WriteRun writes a TREC run: a line "qid Q0 docid rank score tag" for each document, those of each
// query by their scores, the highest first, and equal scores in the order of the data. A document
// without an id is named by the number of its row, from 1. The rows of each query must follow each
// other. All scores are in memory.
func WriteRun(ctx context.Context, w io.Writer, src dataset.Source, m Model, tag string) (Summary, error) {
	s, err := Scores(m).All(ctx, src)
	if err != nil {
		return Summary{}, err
	}
	for _, q := range s.Meta.Queries {
		for rank, row := range ranked(q, s.Numbers) {
			score := strconv.FormatFloat(s.Numbers[row], 'g', -1, 64)
			if _, err := fmt.Fprintln(w, q.ID, "Q0", document(s.Meta, row), rank+1, score, tag); err != nil {
				return Summary{}, err
			}
		}
	}
	return s.Summary, nil
}

// ranked returns the numbers of a query's rows by their scores, the highest first.
func ranked(q dataset.Query, scores []float64) []int {
	rows := make([]int, q.Len)
	for i := range rows {
		rows[i] = q.First + i
	}
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return rows
}

// document returns the name of a row's document.
func document(meta *dataset.Meta, row int) string {
	if meta.Docs != nil && meta.Docs[row] != "" {
		return meta.Docs[row]
	}
	return strconv.Itoa(meta.FirstRow() + row + 1)
}
