package dataset

import (
	"context"
	"sync"
)

// Stream implements [Streamer]. Workers fill as many blocks as there are workers at the same time;
// then these blocks are emitted, and the next ones begun.
func (d *Dense) Stream(ctx context.Context, work func(worker int, b *Block) error, emit func(b *Block) error) error {
	blocks, errs := make([]Block, d.workers), make([]error, d.workers)
	rows, query := d.meta.NumRows(), 0
	for first := 0; first < rows; {
		n := 0
		var group sync.WaitGroup
		for ; n < len(blocks) && first < rows; n++ {
			from, to, worker := first, min(first+denseRows, rows), n
			query = d.queryOf(query, from)
			begin := query
			group.Go(func() {
				d.fill(&blocks[worker], from, to, begin)
				errs[worker] = work(worker, &blocks[worker])
			})
			first = to
		}
		group.Wait()
		for i := range n {
			if err := ctx.Err(); err != nil {
				return err
			}
			if errs[i] != nil {
				return errs[i]
			}
			if err := emit(&blocks[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// queryOf returns the number of the query that a row belongs to, which is not before query.
func (d *Dense) queryOf(query, row int) int {
	for q := d.meta.Queries[query]; row >= q.First+q.Len; q = d.meta.Queries[query] {
		query++
	}
	return query
}

// fill makes b the rows from one to another, the first of which belongs to the given query.
func (d *Dense) fill(b *Block, from, to, query int) {
	n := to - from
	*b = Block{
		FirstRow: from, FirstLine: from + 1,
		Labels: d.meta.Labels[from:to], Scores: resized(b.Scores, n),
		Queries: b.Queries[:0], Starts: append(b.Starts[:0], 0), Features: b.Features[:0], Values: b.Values[:0],
	}
	clear(b.Scores)
	if d.meta.Docs != nil {
		b.Docs = d.meta.Docs[from:to]
	}
	for r := from; r < to; r++ {
		b.Features, b.Values = append(b.Features, d.features...), append(b.Values, d.row(r)...)
		b.Starts = append(b.Starts, len(b.Values))
	}
	for ; query < len(d.meta.Queries) && d.meta.Queries[query].First < to; query++ {
		q := d.meta.Queries[query]
		first, end := max(q.First, from), min(q.First+q.Len, to)
		b.Queries = append(b.Queries, Query{ID: q.ID, First: first, Len: end - first})
	}
}

// resized returns a slice of n, in the memory of s if it has room for so many.
func resized(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	return s[:n]
}

// HasWeights reports whether rows have weights.
func (d *Dense) HasWeights() bool { return d.meta.Weights != nil }
