package letor

import (
	"context"
	"io"
	"strconv"
	"sync"

	"github.com/lambdamart/lambdamart/dataset"
)

// Block is consecutive rows of a file. It belongs to the File, and is filled anew
// when its rows have been emitted.
type Block struct {
	FirstRow  int // number of the first row in the file
	FirstLine int // number of the first line, from 1
	Labels    []float64
	Docs      []string // document ids; nil unless Options.KeepDocs

	// Queries are the queries of the rows, in the numbering of the file; the first
	// may have begun in the block before, and the last may go on in the next. They
	// are nil where rows have no query id and there is no .query file.
	Queries []dataset.Query

	// Scores is for work to fill and for emit to read. It has an entry for each
	// row, zero at first.
	Scores []float64

	part
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

// Stream reads the file once, in memory that does not depend on its size. Workers
// parse blocks of rows and call work on them, from up to [File.Workers]
// goroutines at once; worker, from 0, tells which. Then emit is called for the
// blocks, one at a time and in the order of the file. An error of work, emit or
// the file ends the reading; all blocks before it have been emitted, and none
// after it.
//
// Unlike Scan, Stream accepts queries that come back, since scores do not depend
// on them, and rows without any query.
func (f *File) Stream(ctx context.Context, work func(worker int, b *Block) error, emit func(b *Block) error) error {
	from, err := newSequence(f.in, f.opts.blockSize, f.opts.Progress)
	if err != nil {
		return err
	}
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
	blocks *sequence
	work   func(worker int, b *Block) error
	emit   func(b *Block) error

	turn  *turn // and what its holder may use:
	first run   // of the file
	rows  int   // emitted so far
}

func (s *streaming) run(worker int) {
	p := newParser(s.file.path, s.file.prefixes, s.file.opts)
	var text block
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
func (s *streaming) prepare(worker int, p *parser, text *block, dst *Block) error {
	if err := dst.parse(p, text); err != nil {
		return err
	}
	if dst.Len() == 0 {
		return nil
	}
	if err := dst.divide(s.file); err != nil {
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
		if err := r.sameKind(s.first, s.file.path); err != nil {
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
	counts, err := s.file.counts()
	if err != nil || !counts.there {
		return err
	}
	return counts.checkSum(s.rows, path)
}

// parse fills b with the rows of a text.
func (b *Block) parse(p *parser, text *block) error {
	b.FirstRow, b.FirstLine = text.firstRow, text.firstLine
	b.part = part{labels: b.labels[:0], docs: b.docs[:0], runs: b.runs[:0]}
	b.start, b.feature, b.value = append(b.start[:0], 0), b.feature[:0], b.value[:0]
	p.open(text)
	for p.next() {
		if !p.begin() {
			return p.err
		}
		b.addQuery(p)
		if !p.features() {
			return p.err
		}
		b.addRow(p, p.lastColumn())
		b.feature = append(b.feature, p.feature[:p.count]...)
		b.value = append(b.value, p.value[:p.count]...)
		b.start = append(b.start, len(b.value))
	}
	b.Labels, b.Docs = b.labels, b.docs
	if cap(b.Scores) < b.Len() {
		b.Scores = make([]float64, b.Len()*5/4)
	}
	b.Scores = b.Scores[:b.Len()]
	clear(b.Scores)
	return nil
}

// divide finds the queries of the rows: by their ids, or else by the counts of
// the .query file.
func (b *Block) divide(f *File) error {
	b.Queries = b.Queries[:0]
	end := b.FirstRow + b.Len()
	if !b.runs[0].has {
		counts, err := f.counts()
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
