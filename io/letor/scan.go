package letor

import (
	"cmp"
	"context"
	"io"
	"slices"
	"sync"

	"github.com/lambdamart/lambdamart/dataset"
)

// Scan reads all rows once, as dataset.Source says.
func (f *File) Scan(ctx context.Context, keep func(row int) bool, visit func(worker int, row dataset.Row) error) (*dataset.Meta, error) {
	from, done, err := f.blocks(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	s := &scan{file: f, ctx: ctx, blocks: from, keep: keep, visit: visit}
	s.run(f.opts.Workers)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s.join()
}

// scan is one pass over a file.
type scan struct {
	file   *File
	ctx    context.Context
	blocks blocks
	keep   func(row int) bool
	visit  func(worker int, row dataset.Row) error

	mu     sync.Mutex
	parts  []indexedPart
	failed bool // a part has an error: later blocks need not be begun
}

type indexedPart struct {
	index int
	part  *part
}

// run parses all blocks, or all up to the first error: since blocks are handed
// out in order, those before a block with an error have been begun, and are
// finished.
func (s *scan) run(workers int) {
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() { s.work(worker) })
	}
	group.Wait()
}

func (s *scan) work(worker int) {
	p := newParser(s.file.path, s.file.prefixes, s.file.opts)
	var b block
	for s.ctx.Err() == nil && !s.hasFailed() {
		switch err := s.blocks.next(&b); err {
		case nil:
			s.add(b.index, s.parse(worker, p, &b))
		case io.EOF:
			return
		default:
			s.add(b.index, &part{err: err})
		}
	}
}

func (s *scan) hasFailed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

func (s *scan) add(index int, p *part) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parts = append(s.parts, indexedPart{index, p})
	s.failed = s.failed || p.err != nil
}

// parse reads the rows of a block, and hands those out that are kept.
func (s *scan) parse(worker int, p *parser, b *block) *part {
	out := &part{labels: make([]float64, 0, b.rows), lastColumn: -1}
	p.open(b)
	for p.next() {
		if out.err = s.parseRow(worker, p, out); out.err != nil {
			return out
		}
	}
	if len(out.labels) != b.rows {
		out.err = &Error{Path: p.path, Err: ErrChanged}
	}
	return out
}

func (s *scan) parseRow(worker int, p *parser, out *part) error {
	if !p.begin() {
		return p.err
	}
	out.addQuery(p)
	if s.keep != nil && !s.keep(p.row) {
		out.addRow(p, p.skip())
		return nil
	}
	if !p.features() {
		return p.err
	}
	row := dataset.Row{Number: p.row, Feature: p.feature[:p.count], Value: p.value[:p.count]}
	if err := s.visit(worker, row); err != nil {
		return err
	}
	out.addRow(p, p.lastColumn())
	return nil
}

// join puts the parts together in the order of the file.
func (s *scan) join() (*dataset.Meta, error) {
	slices.SortStableFunc(s.parts, func(a, b indexedPart) int { return cmp.Compare(a.index, b.index) })
	rows := 0
	for _, p := range s.parts {
		rows += len(p.part.labels)
	}
	j := newJoiner(s.file.path, rows)
	for _, p := range s.parts {
		if err := j.add(p.part); err != nil {
			return nil, err
		}
	}
	return j.finish(s.file)
}
