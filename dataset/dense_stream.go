package dataset

import (
	"cmp"
	"context"
	"sync"
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
	b.Begin(d.meta, from, to)
	for r := from; r < to; r++ {
		b.Features, b.Values = append(b.Features, d.features...), append(b.Values, d.row(r)...)
		b.Starts = append(b.Starts, len(b.Values))
	}
}

// HasWeights reports whether rows have weights.
func (d *Dense) HasWeights() bool { return d.meta.Weights != nil }
