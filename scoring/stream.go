package scoring

import (
	"context"
	"sync"

	"github.com/lambdamart/lambdamart/dataset"
)

// Stream computes the numbers of all rows, block by block, in memory that does not depend on the number of
// rows. emit is called for the blocks in the order of the data, with all numbers of the block's first row,
// then of the next row, and so on. The block and the numbers are valid until emit returns.
//
// Errors of src, of the model and of emit are returned as they are.
func (o Output) Stream(ctx context.Context, src dataset.Source,
	emit func(b *dataset.Block, numbers []float64) error) (Summary, error) {
	keep := func(memory, numbers []float64) []float64 { return append(memory[:0], numbers...) }
	return stream(ctx, src, o, keep, emit)
}

// stream computes the numbers of each block and passes them to make, in parallel, and passes the results of
// make to emit in the order of the data. make may reuse the memory of its result for an earlier block.
func stream[T any](ctx context.Context, src dataset.Source, o Output,
	make func(memory []T, numbers []float64) []T, emit func(b *dataset.Block, made []T) error) (Summary, error) {
	if err := o.check(); err != nil {
		return Summary{}, err
	}
	o.first, _ = src.Part().First()
	src = o.features.Source(src)
	workers := o.workers(src.Workers())
	var made sync.Map // results of blocks that are not emitted yet: *dataset.Block to []T
	of := func(b *dataset.Block) []T {
		value, _ := made.Load(b)
		slice, _ := value.([]T)
		return slice
	}
	work := func(worker int, b *dataset.Block) error {
		numbers, err := workers[worker].block(b)
		made.Store(b, make(of(b), numbers))
		return err
	}
	err := dataset.Stream(ctx, src, work, func(b *dataset.Block) error { return emit(b, of(b)) })
	summary := o.summarize(workers)
	if noticing, ok := src.(interface{ Noticed() []string }); ok {
		summary.Noticed = noticing.Noticed()
	}
	return summary, err
}

// Scored has the numbers computed for all rows of some data.
type Scored struct {
	Meta    *dataset.Meta
	Numbers []float64 // row r has Numbers[r*w:(r+1)*w], with w the count of numbers for a row
	Summary Summary
}

// All computes the numbers of all rows and returns them together. Errors of src and of the model are returned
// as they are.
func (o Output) All(ctx context.Context, src dataset.Source) (*Scored, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	o.first, _ = src.Part().First()
	src = o.features.Source(src)
	workers := o.workers(src.Workers())
	meta, err := dataset.Scan(ctx, src, nil,
		func(worker int, row dataset.Row) error { return workers[worker].add(row) })
	if err != nil {
		return nil, err
	}
	all := make([]float64, meta.NumRows()*o.width)
	for _, w := range workers {
		numbers, results, err := w.take()
		if err != nil {
			return nil, err
		}
		for i, row := range numbers {
			copy(all[row*o.width:(row+1)*o.width], results[i*o.width:])
		}
	}
	return &Scored{Meta: meta, Numbers: all, Summary: o.summarize(workers)}, nil
}
