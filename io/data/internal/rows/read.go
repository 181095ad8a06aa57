package rows

import (
	"cmp"
	"context"
	"io"
	"sync"

	"github.com/lambdamart/lambdamart/dataset"
)

// Blocks implements [dataset.Source]: it reads all rows once.
func (f *File) Blocks(ctx context.Context, pass dataset.Pass) (*dataset.Meta, error) {
	rows := 0
	if pass.Emit == nil {
		rows, _, _ = f.NumRows(ctx) // reading the rows reports errors
	}
	r := &reading{file: f, pass: pass, joiner: NewJoiner(ctx, &f.Data, pass.Emit, rows)}
	defer r.joiner.Close()
	r.from = chain{file: f, ctx: ctx, left: f.parts, anyPlace: pass.Emit == nil}
	defer r.from.close()
	var group sync.WaitGroup
	for worker := range f.Opts.Workers {
		group.Go(func() { r.run(worker) })
	}
	group.Wait()
	return r.joiner.Result()
}

// reading is one pass over the files.
type reading struct {
	file   *File
	pass   dataset.Pass
	from   chain
	joiner *Joiner
}

// run reads all blocks, or all up to the first one with an error. Since workers take blocks in order, those
// before a block with an error have been begun, and are finished.
func (r *reading) run(worker int) {
	p := r.file.newParser()
	var text Text
	var b Block
	for goOn := true; goOn; {
		err := r.from.next(&text)
		if err == nil {
			err = r.read(worker, p, &text, &b)
		}
		goOn = r.joiner.Take(text.index, &b, err) && err == nil
	}
}

// read does the part of the work on a block that needs no order: it parses the rows and calls Work.
func (r *reading) read(worker int, p Parser, text *Text, b *Block) error {
	b.Reset(text.Path, text.FirstRow, text.FirstLine, text.Rows)
	b.bytes = text.Size
	failed := r.parse(worker, p, text, b)
	if r.pass.Emit == nil {
		return cmp.Or(r.work(worker, p, b), failed)
	}
	if failed != nil {
		return failed
	}
	if err := b.Close(r.file.Companions); err != nil || b.Len() == 0 {
		return err
	}
	return r.pass.Work(worker, &b.Block)
}

// mostValues is the number of values of rows after which Work is called in a pass without Emit: they stay in
// the second-level cache between parsing and work.
const mostValues = 1 << 13

// parse appends the rows of a text to a block.
func (r *reading) parse(worker int, p Parser, text *Text, b *Block) error {
	values, row, opts := 0, p.Row(), &r.file.Opts
	p.Open(text)
	for p.Next() {
		if err := p.Begin(); err != nil {
			return err
		}
		b.AddQuery(row)
		if r.pass.Keep != nil && !r.pass.Keep(row.Number) {
			if err := p.Skip(); err != nil {
				return err
			}
			b.AddRow(row, opts)
			continue
		}
		if err := p.Features(); err != nil {
			return err
		}
		b.Rows = append(b.Rows, dataset.Row{Number: row.Number, Feature: row.Feature, Value: row.Value})
		if values += len(row.Value); values >= mostValues && r.pass.Emit == nil {
			if err := r.work(worker, p, b); err != nil {
				return err
			}
			values = 0
		}
		b.AddRow(row, opts)
	}
	if b.Len() != text.Rows {
		return &dataset.Error{Path: text.Path, Err: dataset.ErrChanged}
	}
	return nil
}

// work calls Work for the rows that have been parsed, if there are any, and forgets them.
func (r *reading) work(worker int, p Parser, b *Block) (err error) {
	if len(b.Rows) > 0 {
		err = r.pass.Work(worker, &b.Block)
	}
	b.Rows = b.Rows[:0]
	p.Forget()
	return err
}

// chain reads the blocks of all parts, one part after the other, and numbers blocks and rows.
type chain struct {
	file     *File
	ctx      context.Context
	anyPlace bool // blocks of plain files may be read in any order

	mu    sync.Mutex
	left  []*Input // that are not begun
	now   blocks   // of the current part; nil before the first one and after the last one
	index int      // of the next block
	row   int      // of its first row
}

// next fills b with the next block of all parts.
func (c *chain) next(b *Text) error {
	now, err := c.take(b)
	if err != nil {
		return err
	}
	return now.load(b)
}

// take makes b the next block, and returns the blocks that load its text. A block that cannot be taken has
// the number of the next one, and so do all after it.
func (c *chain) take(b *Text) (now blocks, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for b.index = c.index; ; {
		if c.now == nil && len(c.left) == 0 {
			return nil, io.EOF
		}
		if c.now == nil {
			if now, err = c.file.blocks(c.ctx, c.left[0], c.anyPlace); err != nil {
				return nil, err
			}
			c.now, c.left = now, c.left[1:]
		}
		if err = c.now.next(b); err != io.EOF {
			break
		}
		c.close()
		c.now = nil
	}
	b.index, b.FirstRow = c.index, c.row
	if err == nil {
		c.index, c.row = c.index+1, c.row+b.Rows
	}
	return c.now, err
}

func (c *chain) close() {
	if c.now != nil {
		c.now.close()
	}
}
