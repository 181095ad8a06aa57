package rows

import (
	"strconv"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// Block is a block of rows that is being filled. Its users get the dataset.Block.
type Block struct {
	dataset.Block
	found
}

// Reset removes all rows. The first row that is appended next has the given place.
func (b *Block) Reset(path string, firstRow, firstLine int) {
	b.Path, b.FirstRow, b.FirstLine = path, firstRow, firstLine
	f := &b.found
	*f = found{labels: f.labels[:0], weights: f.weights[:0], more: f.more, docs: f.docs[:0],
		runs: f.runs[:0], lastColumn: -1}
	for i := range f.more {
		f.more[i] = f.more[i][:0]
	}
	b.Rows = b.Rows[:0]
}

// EndedBy notes the error that ended the block, if there is one.
func (b *Block) EndedBy(err error) { b.found.err = err }

// Close completes a block: it sets the slices that have an entry for each row, and finds the queries of the
// rows, if there are any, by their ids, or else by the counts of the .query file.
func (b *Block) Close(c *Companions) error {
	b.Labels, b.Weights, b.Docs = b.found.labels, b.found.weights, b.found.docs
	b.Scores = reuse.Zeros(b.Scores, b.Len())
	b.Queries = b.Queries[:0]
	end := b.FirstRow + b.Len()
	if b.Len() > 0 && !b.found.runs[0].has {
		counts, err := c.counts()
		if err == nil {
			b.divideByCounts(counts, -c.firstRow(), end)
		}
		return err
	}
	for i, r := range b.found.runs {
		next := end
		if i+1 < len(b.found.runs) {
			next = b.found.runs[i+1].first
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
