package dataset

import (
	"cmp"
	"context"
	"sort"
	"sync/atomic"

	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// memory is a [Source] of data in memory.
type memory struct {
	meta    *Meta
	workers int
	read    func(b *Block, rows []int) error
}

// blockRows is the number of rows of a block of data in memory.
const blockRows = 256

// NewMemory returns a source of data whose rows m describes, read by the given number of goroutines; 0 means
// GOMAXPROCS. read appends the rows with the given numbers, at most 256, to b.Rows. Blocks are reused: read
// may find Memory as it has set it before.
func NewMemory(m *Meta, workers int, read func(b *Block, rows []int) error) Source {
	return &memory{m, par.Threads(workers), read}
}

// Workers implements [Source].
func (s *memory) Workers() int { return s.workers }

// NumRows implements [Source].
func (s *memory) NumRows(context.Context) (rows int, known bool, err error) {
	return s.meta.NumRows(), true, nil
}

// HasWeights implements [Source].
func (s *memory) HasWeights() bool { return s.meta.Weights != nil }

// Part implements [Source].
func (s *memory) Part() *Part { return s.meta.Part }

// Blocks implements [Source]. If Work returns several errors, Blocks returns the error of the first block. In
// a pass with Emit, each worker fills one block; then these blocks are emitted, and the next ones begin.
func (s *memory) Blocks(ctx context.Context, p Pass) (*Meta, error) {
	pool := par.New(s.workers)
	defer pool.Close()
	all := (s.meta.NumRows() + blockRows - 1) / blockRows
	atOnce, inOrder := all, p.Emit != nil
	if inOrder {
		atOnce = s.workers
	}
	blocks, errs := make([]memoryBlock, s.workers), make([]error, atOnce)
	var failed atomic.Bool // so that later blocks need not be begun
	for first := 0; first < all; first += atOnce {
		n := min(atOnce, all-first)
		pool.Run(n, func(worker, i int) {
			b := &blocks[worker]
			if inOrder {
				b = &blocks[i]
			}
			if ctx.Err() == nil && !failed.Load() {
				errs[i] = b.fill(s, p, worker, (first+i)*blockRows)
				failed.CompareAndSwap(false, errs[i] != nil)
			}
		})
		for i := range n {
			if err := cmp.Or(ctx.Err(), errs[i]); err != nil {
				return nil, err
			}
			if inOrder {
				if err := p.Emit(&blocks[i].Block); err != nil {
					return nil, err
				}
			}
		}
	}
	if inOrder {
		return nil, nil
	}
	return s.meta, nil
}

// memoryBlock is a block of data in memory that is being filled.
type memoryBlock struct {
	Block
	kept []int
}

// fill makes b the block that begins with a row, and calls Work for it.
func (b *memoryBlock) fill(s *memory, p Pass, worker, first int) error {
	end := min(first+blockRows, s.meta.NumRows())
	b.kept, b.Rows = b.kept[:0], b.Rows[:0]
	for row := first; row < end; row++ {
		if p.Keep == nil || p.Keep(row) {
			b.kept = append(b.kept, row)
		}
	}
	if p.Emit != nil {
		b.describe(s.meta, first, end)
	}
	if len(b.kept) == 0 && p.Emit == nil {
		return nil
	}
	if err := s.read(&b.Block, b.kept); err != nil {
		return err
	}
	return p.Work(worker, &b.Block)
}

// describe sets all of a block but its rows, which are those in [from, to) of the data.
func (b *Block) describe(m *Meta, from, to int) {
	b.FirstRow, b.FirstLine, b.Labels, b.Queries = from, from+1, m.Labels[from:to], b.Queries[:0]
	b.Scores = reuse.Zeros(b.Scores, b.Len())
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
