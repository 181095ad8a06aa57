package dataset

import (
	"context"
	"sort"

	"github.com/lambdamart/lambdamart/internal/reuse"
)

// Block is consecutive rows of a [Streamer] with all that is known of them. It belongs to the
// source, which reuses it once its rows have been emitted.
//
// The features of the rows are stored as a compressed sparse matrix: those of row i of the block
// are Features[Starts[i]:Starts[i+1]], and their values are at the same places of Values.
// [Block.Row] returns them.
type Block struct {
	FirstRow  int    // number of the first row in the whole data
	FirstLine int    // line of the first row, or a blank one before it, from 1; its row in its file where rows are not lines
	Path      string // of the file that the rows are in
	Labels    []float64
	Docs      []string // document ids; nil unless they were asked for

	// Queries are the queries of the rows, numbered as in the whole data. The first may have begun
	// in the block before, and the last may continue in the next one. Queries is nil where rows have
	// no query id and there is no .query file.
	Queries []Query

	// Scores is for work to fill and for emit to read. It has an entry for each row, which is zero
	// at first.
	Scores []float64

	Starts   []int     // of each row in Features and Values, and the end of the last row
	Features []int32   // feature numbers, strictly ascending within a row
	Values   []float64 // NaN is a missing value
}

// Begin makes b the rows in [from, to) of data in memory, with all but their features. It reuses the memory
// of b.
func (b *Block) Begin(m *Meta, from, to int) {
	*b = Block{
		FirstRow: from, FirstLine: from + 1,
		Labels: m.Labels[from:to], Scores: reuse.Slice(b.Scores, to-from),
		Queries: b.Queries[:0], Starts: append(b.Starts[:0], 0), Features: b.Features[:0], Values: b.Values[:0],
	}
	clear(b.Scores)
	if m.Docs != nil {
		b.Docs = m.Docs[from:to]
	}
	before := sort.Search(len(m.Queries), func(i int) bool { return m.Queries[i].First+m.Queries[i].Len > from })
	for _, q := range m.Queries[before:] {
		if q.First >= to {
			break
		}
		first, end := max(q.First, from), min(q.First+q.Len, to)
		b.Queries = append(b.Queries, Query{ID: q.ID, First: first, Len: end - first})
	}
}

// Len returns the number of rows, which is at least 1.
func (b *Block) Len() int { return len(b.Labels) }

// Row returns the features of row i of the block, 0 ≤ i < b.Len(). They are valid as long as the
// block.
func (b *Block) Row(i int) Row {
	from, to := b.Starts[i], b.Starts[i+1]
	return Row{Number: b.FirstRow + i, Feature: b.Features[from:to], Value: b.Values[from:to]}
}

// Streamer is a [Source] that can also pass its rows in their order.
type Streamer interface {
	Source

	// Stream reads the data once, in memory that does not depend on its size. It calls work for
	// blocks of rows, from up to [Source.Workers] goroutines at once; worker, from 0, says from
	// which. Then it calls emit for the blocks, one at a time and in the order of the data. An
	// error of work, of emit or of the data ends the reading: all blocks before it have been
	// emitted, and none after it.
	//
	// Unlike Scan, Stream accepts queries that come back after another query, and rows without any
	// query, since scores do not depend on them.
	Stream(ctx context.Context, work func(worker int, b *Block) error, emit func(b *Block) error) error

	// HasWeights reports whether rows have weights. Blocks do not carry them, only the Meta that
	// Scan returns.
	HasWeights() bool
}

// File is ranking data that is open. Its methods must not be called at the same time. Those who
// open it close it after use.
type File interface {
	Streamer

	// Close releases the files. No other method may be called afterwards.
	Close() error
}
