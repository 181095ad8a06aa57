package dataset

import (
	"cmp"
	"context"
	"sort"
	"sync"

	"github.com/lambdamart/lambdamart/internal/reuse"
)

// Stream implements [Streamer]. Workers fill as many blocks as there are workers at the same time;
// then these blocks are emitted, and the next ones begun.
func (d *Dense) Stream(ctx context.Context, work func(worker int, b *Block) error, emit func(b *Block) error) error {
	blocks, errs := make([]Block, d.workers), make([]error, d.workers)
	for first := 0; first < d.meta.NumRows(); first += len(blocks) * denseRows {
		n := d.fillAll(blocks, errs, first, work)
		for i := range n {
			if err := cmp.Or(ctx.Err(), errs[i]); err != nil {
				return err
			}
			if err := emit(&blocks[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// fillAll fills blocks with the rows from first on, each by a worker that calls work for it, and
// returns the number of blocks that have rows.
func (d *Dense) fillAll(blocks []Block, errs []error, first int, work func(worker int, b *Block) error) (n int) {
	rows := d.meta.NumRows()
	var group sync.WaitGroup
	for ; n < len(blocks) && first < rows; n++ {
		worker, from, to := n, first, min(first+denseRows, rows)
		group.Go(func() {
			d.fill(&blocks[worker], from, to)
			errs[worker] = work(worker, &blocks[worker])
		})
		first = to
	}
	group.Wait()
	return n
}

// fill makes b the rows in [from, to).
func (d *Dense) fill(b *Block, from, to int) {
	n := to - from
	*b = Block{
		FirstRow: from, FirstLine: from + 1,
		Labels: d.meta.Labels[from:to], Scores: reuse.Slice(b.Scores, n),
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
	queries := d.meta.Queries
	before := sort.Search(len(queries), func(i int) bool { return queries[i].First+queries[i].Len > from })
	for _, q := range queries[before:] {
		if q.First >= to {
			break
		}
		first, end := max(q.First, from), min(q.First+q.Len, to)
		b.Queries = append(b.Queries, Query{ID: q.ID, First: first, Len: end - first})
	}
}

// HasWeights reports whether rows have weights.
func (d *Dense) HasWeights() bool { return d.meta.Weights != nil }
