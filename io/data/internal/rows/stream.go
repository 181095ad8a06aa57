package rows

import (
	"context"
	"io"
	"strconv"
	"sync"

	"github.com/lambdamart/lambdamart/dataset"
)

// Block is a block of rows that is being filled. Its users get the dataset.Block.
type Block struct {
	dataset.Block
	found Found
}

// HasWeights reports whether rows have weights.
func (f *File) HasWeights() bool { return f.opts.Weights || f.companions.HasWeights() }

// Stream reads the data once, as [dataset.Streamer] says.
func (f *File) Stream(ctx context.Context, work func(worker int, b *dataset.Block) error, emit func(b *dataset.Block) error) error {
	from := &chain{file: f, left: f.parts}
	defer from.close()
	turn := newTurn(ctx)
	defer turn.close()
	s := &streaming{file: f, blocks: from, work: work, emit: emit, turn: turn}
	if f.opts.first != nil {
		s.first = *f.opts.first
	}
	var group sync.WaitGroup
	for worker := range f.opts.Workers {
		group.Go(func() { s.run(worker) })
	}
	group.Wait()
	err := s.result()
	for _, p := range f.parts { // at most one of them is a section that is not the beginning of its file
		err = p.inFile(err)
	}
	return err
}

// streaming is one call of Stream.
type streaming struct {
	file   *File
	blocks *chain
	work   func(worker int, b *dataset.Block) error
	emit   func(b *dataset.Block) error

	// What only the worker whose turn it is may use.
	turn  *turn
	first run // of the data
	rows  int // emitted so far
}

// chain reads the blocks of all parts, one part after the other.
type chain struct {
	mu    sync.Mutex
	file  *File
	left  []*part   // that are not begun
	now   *sequence // of the current part; nil before the first one
	index int       // of the next block
	row   int       // of the next block
}

func (c *chain) next(b *Text) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		b.index = c.index // each part numbers its blocks, and its end, from 0
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

// prepare does the part of the work on a block that needs no order: it parses the rows and calls
// work.
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
	return s.work(worker, &dst.Block)
}

// finish does the part of the work on a block that needs the order of the blocks. failed is the
// error that ended prepare; the rows before it may have an earlier one.
func (s *streaming) finish(b *Block, failed error) error {
	for _, r := range b.found.runs {
		if r.first == 0 && s.file.opts.first == nil {
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
	return s.emit(&b.Block)
}

func (s *streaming) result() error {
	if s.turn.err != io.EOF {
		return s.turn.err
	}
	path := s.file.path
	if s.rows == 0 && s.file.opts.IsEmpty() {
		return &dataset.Error{Path: path, Err: dataset.ErrEmpty}
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

// Reset removes all rows. The first row that is appended next has the given place.
func (b *Block) Reset(path string, firstRow, firstLine int) {
	b.Path, b.FirstRow, b.FirstLine = path, firstRow, firstLine
	f := &b.found
	*f = Found{labels: f.labels[:0], weights: f.weights[:0], docs: f.docs[:0], runs: f.runs[:0]}
	b.Starts, b.Features, b.Values = append(b.Starts[:0], 0), b.Features[:0], b.Values[:0]
}

// AddQuery notes the query id of a row.
func (b *Block) AddQuery(row *Row) { b.found.AddQuery(row) }

// Append adds a row whose query was noted by AddQuery.
func (b *Block) Append(row *Row, opts *Options) {
	b.found.AddRow(row, opts)
	b.Features = append(b.Features, row.Feature...)
	b.Values = append(b.Values, row.Value...)
	b.Starts = append(b.Starts, len(b.Values))
}

// Close completes a block that has rows: it finds their queries by their ids, or else by the
// companion .query.
func (b *Block) Close(c *Companions) error {
	b.setLen()
	return b.divide(c)
}

// setLen sets the slices that have an entry for each row.
func (b *Block) setLen() {
	b.Labels, b.Docs = b.found.labels, b.found.docs
	if cap(b.Scores) < b.Len() {
		b.Scores = make([]float64, b.Len()*5/4)
	}
	b.Scores = b.Scores[:b.Len()]
	clear(b.Scores)
}

// divide finds the queries of the rows: by their ids, or else by the counts of the .query file.
func (b *Block) divide(c *Companions) error {
	b.Queries = b.Queries[:0]
	end := b.FirstRow + b.Len()
	if !b.found.runs[0].has {
		counts, err := c.counts()
		if err == nil {
			b.divideByCounts(counts, end)
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

func (b *Block) divideByCounts(c *counts, end int) {
	begin := 0
	for i, n := range c.rows {
		first, last := max(begin, b.FirstRow), min(begin+n, end)
		if first < last {
			b.Queries = append(b.Queries, dataset.Query{ID: strconv.Itoa(c.first + i), First: first, Len: last - first})
		}
		begin += n
	}
}
