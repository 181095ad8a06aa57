package rows

import (
	"slices"
	"strconv"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// Block is a block of rows that is being filled. Its users get the dataset.Block.
type Block struct {
	dataset.Block
	more    [][]float64 // further labels, by label; nil if rows have none
	places  places
	runs    []queryRun
	columns int   // largest feature number plus 1
	bytes   int   // of text
	err     error // what ended the block early; the other fields are about the rows before it
}

// Reset removes all rows. The first of those that are appended next has the given place.
func (b *Block) Reset(path string, firstRow, firstLine, rows int) {
	for i := range b.more {
		b.more[i] = b.more[i][:0]
	}
	*b = Block{more: b.more, runs: b.runs[:0], Block: dataset.Block{Path: path, FirstRow: firstRow,
		FirstLine: firstLine, Rows: b.Rows[:0], Labels: slices.Grow(b.Labels[:0], rows), Weights: b.Weights[:0],
		Docs: b.Docs[:0], Queries: b.Queries, Scores: b.Scores, Memory: b.Memory}}
}

// AddQuery notes the query id of a row.
func (b *Block) AddQuery(row *Row) {
	if n := len(b.runs); n > 0 && b.runs[n-1].is(row.Query) {
		return
	}
	b.runs = append(b.runs, queryRun{
		id:     string(row.Query),
		has:    row.Query != nil,
		first:  row.Number,
		line:   row.Line,
		column: row.QueryColumn,
	})
}

// AddRow records labels, weight, position and document of a row.
func (b *Block) AddRow(row *Row, keep *Options) {
	b.Labels = append(b.Labels, row.Label)
	if keep.Weights {
		b.Weights = append(b.Weights, row.Weight)
	}
	if b.more == nil {
		b.more = make([][]float64, len(keep.More))
	}
	for i, label := range row.More {
		b.more[i] = append(b.more[i], label)
	}
	if keep.Places {
		b.places.add(row.Place, true)
	}
	if keep.Docs {
		b.Docs = append(b.Docs, row.Doc)
	}
	b.columns = max(b.columns, row.Last+1)
}

// Close completes a block that is emitted: it finds the queries of the rows, if there are any, by their ids,
// or else by the counts of the .query file.
func (b *Block) Close(c *Companions) error {
	b.Scores = reuse.Zeros(b.Scores, b.Len())
	b.Queries = b.Queries[:0]
	end := b.FirstRow + b.Len()
	if b.Len() > 0 && !b.runs[0].has {
		counts, err := c.counts()
		if err == nil {
			b.divideByCounts(counts, -c.firstRow(), end)
		}
		return err
	}
	for i, r := range b.runs {
		next := end
		if i+1 < len(b.runs) {
			next = b.runs[i+1].first
		}
		b.Queries = append(b.Queries, dataset.Query{ID: r.id, First: r.first, Len: next - r.first})
	}
	return nil
}

// divideByCounts finds the queries by the numbers of their rows, of which the first one begins at begin.
func (b *Block) divideByCounts(counts []int, begin, end int) {
	for i, n := range counts {
		first, last := max(begin, b.FirstRow), min(begin+n, end)
		if first < last {
			b.Queries = append(b.Queries, dataset.Query{ID: strconv.Itoa(i), First: first, Len: last - first})
		}
		begin += n
	}
}
