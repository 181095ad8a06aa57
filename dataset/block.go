package dataset

import (
	"context"
)

// Block is consecutive rows of a [Source]. It belongs to the source, which reuses its memory and its rows'
// memory for another block once Work has returned, or Emit if there is one.
//
// In a pass without Emit, only Rows are set: everything else is in the Meta that the pass returns.
type Block struct {
	// Rows are the rows that the pass keeps, ascending by their numbers. In a pass with Emit, these are
	// usually all rows.
	Rows []Row

	FirstRow int // number of the first row in the whole data
	// line of the first row, or of a blank line before it, from 1; if rows are not lines, its row in its file
	FirstLine int
	Path      string // of the file that the rows are in
	Labels    []float64
	Weights   []float64 // nil unless a column of the file has them
	Docs      []string  // document ids; nil unless they were requested

	// Queries are the queries of the rows, numbered as in the whole data. The first may have begun in the
	// block before, and the last may continue in the next one. Queries is nil if rows have no query ids and
	// there is no .query file.
	Queries []Query

	// Scores is for Work to fill and for Emit to read. It has an entry for each row, which is zero
	// at first.
	Scores []float64

	Memory []float64 // for the source to use, such as for the values of its rows
}

// Len returns the number of rows, kept or not, which is at least 1.
func (b *Block) Len() int { return len(b.Labels) }

// Pass holds the options and callbacks of one reading of a [Source].
type Pass struct {
	// Keep reports whether the features of a row are wanted; nil keeps all rows. The values of other rows are
	// neither converted nor checked. It is called from the goroutines that call Work, in no defined order. A
	// call for row r implies only that the data has at least r+1 rows.
	Keep func(row int) bool

	// Work is called for blocks that have rows, from up to [Source.Workers] goroutines at the same time and
	// in any order; worker, from 0, is the number of the goroutine. It may be nil if Keep keeps no row.
	Work func(worker int, b *Block) error

	// Emit, if not nil, is called for the blocks, one at a time and in the order of the data, after Work. The
	// data is then read in memory that does not depend on its size, and there is no Meta. The rows of a query
	// need not follow each other, and rows need not have queries, since scores do not depend on them.
	Emit func(b *Block) error
}

// Scan reads all rows once, in any order, and returns everything but their values. It calls visit for each
// row that keep accepts, in the way that [Pass] describes for Work. visit may be nil if keep accepts no row.
func Scan(ctx context.Context, src Source, keep func(row int) bool,
	visit func(worker int, row Row) error) (*Meta, error) {
	return src.Blocks(ctx, Pass{Keep: keep, Work: func(worker int, b *Block) error {
		for _, row := range b.Rows {
			if err := visit(worker, row); err != nil {
				return err
			}
		}
		return nil
	}})
}

// Describe reads everything of a source but its values.
func Describe(ctx context.Context, src Source) (*Meta, error) {
	return src.Blocks(ctx, Pass{Keep: func(int) bool { return false }})
}

// Stream reads all rows once and calls emit for the blocks in their order, after work, which may be nil.
func Stream(ctx context.Context, src Source, work func(worker int, b *Block) error,
	emit func(b *Block) error) error {
	if work == nil {
		work = func(int, *Block) error { return nil }
	}
	_, err := src.Blocks(ctx, Pass{Work: work, Emit: emit})
	return err
}
