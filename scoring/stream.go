// Package scoring computes the output of a model for every row of ranking data: its score, the leaf that it
// reaches in each tree, or the contribution of each feature to the score.
//
// Data is read once. Goroutines parse blocks of rows, collect some hundreds of rows in a dense
// matrix, since models score many rows faster than one, and compute the numbers of the block;
// blocks are handed out in the order of the data:
//
//	blocks of rows → dense batches → numbers → emit, or lines of text
//	    (parallel, in any order)              (one at a time, in order)
//
// Results do not depend on the number of goroutines.
//
// If features of the model are query context, they are computed from all rows of each query, which must
// follow each other then. Data without queries is an error, and [Output.All] reads the data twice.
//
// Feature n of the data is feature n of the model. A feature that the data lacks counts as zero, and one that
// the model does not know is ignored; the [Summary] of a pass has the largest feature number of each. Tables
// are matched to a model by the names of their columns when they are opened.
package scoring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/provenance"
)

// Stream computes the numbers of all rows, block by block, in memory that does not depend on the number of
// rows. emit is called for the blocks in the order of the data, with all numbers of the block's first row,
// then of the next row, and so on. The block and the numbers are valid until emit returns.
//
// Errors of src and emit are returned as they are; one of the model about a row of a file has the place too.
func (o Output) Stream(ctx context.Context, src dataset.Source,
	emit func(b *dataset.Block, numbers []float64) error) (Summary, error) {
	keep := func(memory, numbers []float64) []float64 { return append(memory[:0], numbers...) }
	return stream(ctx, src, o, keep, emit)
}

// stream computes the numbers of each block and passes them to convert, in parallel, and passes the results
// to emit in the order of the data. convert may reuse the memory of its result for an earlier block.
func stream[T any](ctx context.Context, src dataset.Source, o Output,
	convert func(memory []T, numbers []float64) []T, emit func(b *dataset.Block, converted []T) error) (Summary,
	error) {
	if err := o.check(); err != nil {
		return Summary{}, err
	}
	src = o.begin(src)
	workers := o.workers(src.Workers())
	var converted sync.Map // results of blocks that are not emitted yet: *dataset.Block to []T
	of := func(b *dataset.Block) []T {
		value, _ := converted.Load(b)
		slice, _ := value.([]T)
		return slice
	}
	work := func(worker int, b *dataset.Block) error {
		if b.Len() > o.rowsAtOnce() {
			return nil // emitted in parts
		}
		numbers, err := workers[worker].block(b)
		converted.Store(b, convert(of(b), numbers))
		return err
	}
	var memory []T
	serial := newBatches(o)
	emitPart := func(b *dataset.Block) error {
		numbers, err := serial.block(b)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		memory = convert(memory, numbers)
		return emit(b, memory)
	}
	err := dataset.Stream(ctx, src, work, func(b *dataset.Block) error {
		if b.Len() > o.rowsAtOnce() {
			return inParts(b, o.rowsAtOnce(), emitPart)
		}
		return emit(b, of(b))
	})
	err = inFile(ctx, src, err)
	summary := o.summarize(append(workers, serial))
	if noticing, ok := src.(interface{ Noticed() []string }); ok {
		summary.Noticed = noticing.Noticed()
	}
	return summary, err
}

// inFile adds the place of the row that an error is about, if one process reads a file that can be read
// again.
func inFile(ctx context.Context, src dataset.Source, err error) error {
	inRow, ok := errors.AsType[RowError](err)
	if !ok || src.Part() != nil {
		return err
	}
	if meta, other := dataset.Describe(ctx, src); other == nil && meta.Where != nil {
		inRow.Renumber(func(row int) int {
			err = fmt.Errorf("%s: %w", meta.Place(row), err)
			return row
		})
	}
	return err
}

// begin prepares a pass over a source, and returns the rows of the model.
func (o *Output) begin(src dataset.Source) dataset.Source {
	o.first, _ = src.Part().First()
	o.watch = provenance.NewWatch(o.known)
	return o.features.Source(src)
}

// mostNumbers is how many numbers of a block are in memory at the same time: a block may have thousands of
// rows, and contributions of wide data hundreds of thousands of numbers for each. It is a variable for tests.
var mostNumbers = 1 << 24

// rowsAtOnce returns the number of rows whose numbers are in memory at the same time.
func (o Output) rowsAtOnce() int { return max(1, mostNumbers/max(1, o.width)) }

// inParts calls emit for parts of a block, which have at most so many rows.
func inParts(b *dataset.Block, rows int, emit func(part *dataset.Block) error) error {
	for first := 0; first < b.Len(); first += rows {
		if err := emit(partOf(b, first, min(first+rows, b.Len()))); err != nil {
			return err
		}
	}
	return nil
}

// partOf returns a block of the rows from, up to but without to, of a block.
func partOf(b *dataset.Block, from, to int) *dataset.Block {
	part := *b
	part.FirstRow, part.FirstLine = b.FirstRow+from, b.FirstLine+from
	part.Rows, part.Labels, part.Scores = b.Rows[from:to], b.Labels[from:to], b.Scores[from:to]
	if b.Weights != nil {
		part.Weights = b.Weights[from:to]
	}
	if b.Docs != nil {
		part.Docs = b.Docs[from:to]
	}
	part.Queries = slices.DeleteFunc(slices.Clone(b.Queries), func(q dataset.Query) bool {
		return q.First >= b.FirstRow+to || q.First+q.Len <= part.FirstRow
	})
	return &part
}

// Scored is the numbers computed for all rows of some data.
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
	src = o.begin(src)
	workers := o.workers(src.Workers())
	meta, err := dataset.Scan(ctx, src, nil,
		func(worker int, row dataset.Row) error { return workers[worker].add(row) })
	if err != nil {
		return nil, inFile(ctx, src, err)
	}
	all := make([]float64, meta.NumRows()*o.width)
	for _, w := range workers {
		numbers, results, err := w.take()
		if err != nil {
			return nil, inFile(ctx, src, err)
		}
		for i, row := range numbers {
			copy(all[row*o.width:(row+1)*o.width], results[i*o.width:])
		}
	}
	summary := o.summarize(workers)
	summary.Noticed = meta.Remarks
	return &Scored{Meta: meta, Numbers: all, Summary: summary}, nil
}

// Summary reports how many rows were scored, and which features the data and the model have. Features of
// query context are not counted, because they are computed.
type Summary struct {
	Rows  int
	Data  int // largest feature number of the rows; 0 if they have none
	Model int // largest feature number that the model knows; -1 if it has no features
	Used  int // largest feature number that the model's scores depend on; -1 if there is none
	First int // smallest feature number that the model's scores depend on; 0 if there is none

	Noticed []string // what the reader of a stream noticed about its cells, one sentence each

	categories []provenance.Unknown // of the features with categories
}

func (o Output) summarize(workers []*batches) Summary {
	total, used := o.features.Raw()
	s := Summary{Model: total - 1, Used: -1, categories: o.watch.Found()}
	if n := len(used); n > 0 {
		s.First, s.Used = used[0], used[n-1]
	}
	for _, w := range workers {
		s.Rows += w.count
		s.Data = max(s.Data, int(w.largest))
	}
	return s
}

// OfAll returns the summary of the rows of all peers that share the data, except that Noticed remains that of
// this peer. It is a collective.
func (s Summary) OfAll(part *dataset.Part) Summary {
	g := part.Group()
	s.Rows, s.Data, s.categories = g.SumOf(s.Rows), g.MaxOf(s.Data), provenance.OfAll(s.categories, g)
	return s
}

// Remarks returns sentences for the user. Warnings are what was noticed about the cells, and that the data
// has features or only categories that the model does not know, or no feature that it uses: it was probably
// trained on other data. A note says that the data lacks features that the model uses, which is not unusual
// in sparse text.
func (s Summary) Remarks() (warnings, notes []string) {
	warnings = slices.Concat(s.Noticed, provenance.Sentences(s.categories))
	if s.Data > s.Model {
		warnings = append(warnings, fmt.Sprintf("the data has columns up to %d, the model knows "+
			"them up to %d: the others are ignored", s.Data, s.Model))
	}
	switch {
	case s.First > s.Data && s.Rows > 0:
		warnings = append(warnings, fmt.Sprintf("the data has columns up to %d, the model uses "+
			"columns from %d on: all documents have one score; score data with the features of the training data",
			s.Data, s.First))
	case s.Used > s.Data:
		notes = []string{fmt.Sprintf("the data has columns up to %d, the model uses column %d: absent features "+
			"count as zero", s.Data, s.Used)}
	}
	return warnings, notes
}
