package rows

import (
	"cmp"
	"context"
	"io"
	"slices"
	"sync"

	"github.com/lambdamart/lambdamart/dataset"
)

// Scan reads all rows once, as [dataset.Source] says.
func (f *File) Scan(ctx context.Context, keep func(row int) bool, visit func(worker int, row dataset.Row) error) (*dataset.Meta, error) {
	j := NewJoiner(&f.opts)
	for _, p := range f.parts {
		p.firstRow = j.meta.NumRows()
		if err := f.scanPart(ctx, p, j, keep, visit); err != nil {
			return nil, err
		}
	}
	return j.Finish(f.path, f.companions)
}

// scanPart reads the rows of a part.
func (f *File) scanPart(ctx context.Context, p *part, j *Joiner, keep func(row int) bool, visit func(worker int, row dataset.Row) error) error {
	from, done, err := f.blocks(ctx, p)
	if err != nil {
		return err
	}
	defer done()
	s := &scan{file: f, ctx: ctx, blocks: from, keep: keep, visit: visit}
	s.run(f.opts.Workers)
	if err := ctx.Err(); err != nil {
		return err
	}
	return p.inFile(s.join(p.in.Name(), j))
}

// scan is one pass over a part.
type scan struct {
	file   *File
	ctx    context.Context
	blocks blocks
	keep   func(row int) bool
	visit  func(worker int, row dataset.Row) error

	mu     sync.Mutex
	founds []indexed
	failed bool // a block has an error, and so later ones need not be begun
}

type indexed struct {
	index int
	found *Found
}

// run parses all blocks, or all up to the first one with an error. Since workers take blocks in
// order, those before a block with an error have been begun, and are finished.
func (s *scan) run(workers int) {
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() { s.work(worker) })
	}
	group.Wait()
}

func (s *scan) work(worker int) {
	p := s.file.newParser()
	var b Text
	for s.ctx.Err() == nil && !s.hasFailed() {
		switch err := s.blocks.next(&b); err {
		case nil:
			s.add(b.index, s.parse(worker, p, &b))
		case io.EOF:
			return
		default:
			s.add(b.index, &Found{err: err, lastColumn: -1})
		}
	}
}

func (s *scan) hasFailed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

func (s *scan) add(index int, f *Found) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.founds = append(s.founds, indexed{index, f})
	s.failed = s.failed || f.err != nil
}

// parse reads the rows of a block, and calls visit for those that are kept.
func (s *scan) parse(worker int, p Parser, b *Text) *Found {
	out := NewFound(b.Rows)
	out.bytes = b.Size
	p.Open(b)
	for p.Next() {
		if out.err = s.parseRow(worker, p, out); out.err != nil {
			return out
		}
	}
	if len(out.labels) != b.Rows {
		out.err = &dataset.Error{Path: b.Path, Err: dataset.ErrChanged}
	}
	return out
}

func (s *scan) parseRow(worker int, p Parser, out *Found) error {
	if err := p.Begin(); err != nil {
		return err
	}
	row := p.Row()
	out.AddQuery(row)
	if s.keep != nil && !s.keep(row.Number) {
		if err := p.Skip(); err != nil {
			return err
		}
		out.AddRow(row, &s.file.opts)
		return nil
	}
	if err := p.Features(); err != nil {
		return err
	}
	if err := s.visit(worker, dataset.Row{Number: row.Number, Feature: row.Feature, Value: row.Value}); err != nil {
		return err
	}
	out.AddRow(row, &s.file.opts)
	return nil
}

// join joins what was found in the blocks of the file at path, in their order.
func (s *scan) join(path string, j *Joiner) error {
	slices.SortStableFunc(s.founds, func(a, b indexed) int { return cmp.Compare(a.index, b.index) })
	rows := 0
	for _, f := range s.founds {
		rows += len(f.found.labels)
	}
	j.meta.Labels = slices.Grow(j.meta.Labels, rows)
	for _, f := range s.founds {
		if err := j.Add(path, f.found); err != nil {
			return err
		}
	}
	return nil
}
