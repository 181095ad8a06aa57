package rows

import (
	"context"
	"io"
	"strconv"
	"sync"

	"github.com/lambdamart/lambdamart/dataset"
)

// Block is consecutive rows of a file. It belongs to the one that streams, and is
// filled anew when its rows have been emitted.
type Block struct {
	FirstRow  int    // number of the first row in the data
	FirstLine int    // number of the first line, from 1
	Path      string // of the file
	Labels    []float64
	Docs      []string // document ids; nil unless asked for

	// Queries are the queries of the rows, in the numbering of the data; the first
	// may have begun in the block before, and the last may go on in the next. They
	// are nil where rows have no query id and there is no .query file.
	Queries []dataset.Query

	// Scores is for work to fill and for emit to read. It has an entry for each
	// row, zero at first.
	Scores []float64

	Found
	start   []int // of each row in feature and value, and the end of the last
	feature []int32
	value   []float64
}

// Len returns the number of rows, which is at least 1.
func (b *Block) Len() int { return len(b.Labels) }

// Row returns the features of row i of the block, i < b.Len(). They are valid as long
// as the block.
func (b *Block) Row(i int) dataset.Row {
	from, to := b.start[i], b.start[i+1]
	return dataset.Row{Number: b.FirstRow + i, Feature: b.feature[from:to], Value: b.value[from:to]}
}

// Stream reads the data once, in memory that does not depend on its size. Workers
// parse blocks of rows and call work on them, from up to [File.Workers]
// goroutines at once; worker, from 0, tells which. Then emit is called for the
// blocks, one at a time and in the order of the file. An error of work, emit or
// the file ends the reading; all blocks before it have been emitted, and none
// after it.
//
// Unlike Scan, Stream accepts queries that come back, since scores do not depend
// on them, and rows without any query.
func (f *File) Stream(ctx context.Context, work func(worker int, b *Block) error, emit func(b *Block) error) error {
	from := &chain{file: f, left: f.parts}
	defer from.close()
	turn := newTurn(ctx)
	defer turn.close()
	s := &streaming{file: f, blocks: from, work: work, emit: emit, turn: turn}
	var group sync.WaitGroup
	for worker := range f.opts.Workers {
		group.Go(func() { s.run(worker) })
	}
	group.Wait()
	return s.result()
}

// streaming is one call of Stream.
type streaming struct {
	file   *File
	blocks *chain
	work   func(worker int, b *Block) error
	emit   func(b *Block) error

	turn  *turn // and what its holder may use:
	first run   // of the data
	rows  int   // emitted so far
}

// chain reads the blocks of all parts, one part after the other.
type chain struct {
	mu    sync.Mutex
	file  *File
	left  []*part   // not begun
	now   *sequence // nil before the first
	index int       // of the next block
	row   int       // of the next block
}

func (c *chain) next(b *Text) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		b.index = c.index // a part numbers its blocks, and its end, by itself
		if c.now == nil {
			if len(c.left) == 0 {
				return io.EOF
			}
			if err := c.begin(c.left[0]); err != nil {
				return err
			}
			c.left = c.left[1:]
		}
		switch err := c.now.next(b); {
		case err == nil:
			b.index = c.index
			c.index++
			c.row += b.Rows
			return nil
		case err != io.EOF:
			b.index = c.index
			return err
		}
		c.close()
	}
}

func (c *chain) begin(p *part) (err error) {
	p.firstRow = c.row
	c.now, err = newSequence(p, c.file.lines, c.file.opts.BlockSize, c.file.opts.Progress)
	return err
}

func (c *chain) close() {
	if c.now != nil {
		c.now.close()
		c.now = nil
	}
}

func (s *streaming) run(worker int) {
	p := s.file.newParser()
	var text Text
	var rows Block
	for goOn := true; goOn; {
		err := s.blocks.next(&text)
		if err == nil {
			err = s.prepare(worker, p, &text, &rows)
		}
		goOn = s.turn.take(text.index, func() error { return s.finish(&rows, err) })
	}
}

// prepare does what needs no order.
func (s *streaming) prepare(worker int, p Parser, text *Text, dst *Block) error {
	if err := dst.parse(p, text, &s.file.opts); err != nil {
		return err
	}
	if dst.Len() == 0 {
		return nil
	}
	if err := dst.divide(s.file.companions); err != nil {
		return err
	}
	return s.work(worker, dst)
}

// finish does what needs order. failed is what ended the preparation; the rows
// before it may hold an earlier error.
func (s *streaming) finish(b *Block, failed error) error {
	for _, r := range b.runs {
		if r.first == 0 {
			s.first = r
		}
		if err := s.file.opts.sameKind(b.Path, r, s.first); err != nil {
			return err
		}
	}
	if failed != nil || b.Len() == 0 {
		return failed
	}
	s.rows += b.Len()
	return s.emit(b)
}

func (s *streaming) result() error {
	if s.turn.err != io.EOF {
		return s.turn.err
	}
	path := s.file.path
	if s.rows == 0 {
		return &Error{Path: path, Err: ErrEmpty}
	}
	if s.first.has {
		return nil
	}
	return s.file.companions.CheckCounts(s.rows)
}

// parse fills b with the rows of a text.
func (b *Block) parse(p Parser, text *Text, opts *Options) error {
	b.Reset(text.Path, text.FirstRow, text.FirstLine)
	row := p.Row()
	p.Open(text)
	for p.Next() {
		if err := p.Begin(); err != nil {
			return err
		}
		b.AddQuery(row)
		if err := p.Features(); err != nil {
			return err
		}
		b.Append(row, opts)
	}
	b.setLen()
	return nil
}

// Reset forgets all rows, and begins with rows from a place on.
func (b *Block) Reset(path string, firstRow, firstLine int) {
	b.Path, b.FirstRow, b.FirstLine = path, firstRow, firstLine
	b.Found = Found{labels: b.labels[:0], weights: b.weights[:0], docs: b.docs[:0], runs: b.runs[:0]}
	b.start, b.feature, b.value = append(b.start[:0], 0), b.feature[:0], b.value[:0]
}

// Append adds a row, whose query has been noted.
func (b *Block) Append(row *Row, opts *Options) {
	b.AddRow(row, opts)
	b.feature = append(b.feature, row.Feature...)
	b.value = append(b.value, row.Value...)
	b.start = append(b.start, len(b.value))
}

// Close ends the block, which has rows, and finds their queries: by their ids, or
// else by the companion .query.
func (b *Block) Close(c *Companions) error {
	b.setLen()
	return b.divide(c)
}

// setLen makes the public slices as long as the labels that were found.
func (b *Block) setLen() {
	b.Labels, b.Docs = b.labels, b.docs
	if cap(b.Scores) < b.Len() {
		b.Scores = make([]float64, b.Len()*5/4)
	}
	b.Scores = b.Scores[:b.Len()]
	clear(b.Scores)
}

// divide finds the queries of the rows: by their ids, or else by the counts of
// the .query file.
func (b *Block) divide(c *Companions) error {
	b.Queries = b.Queries[:0]
	end := b.FirstRow + b.Len()
	if !b.runs[0].has {
		counts, err := c.counts()
		if err == nil {
			b.divideByCounts(counts.rows, end)
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

func (b *Block) divideByCounts(rows []int, end int) {
	begin := 0
	for i, n := range rows {
		first, last := max(begin, b.FirstRow), min(begin+n, end)
		if first < last {
			b.Queries = append(b.Queries, dataset.Query{ID: strconv.Itoa(i), First: first, Len: last - first})
		}
		begin += n
	}
}
