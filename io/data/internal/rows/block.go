package rows

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/stream"
)

// defaultBlockSize is the number of bytes of text that a worker reads at a time: large enough that getting a
// block costs little in comparison, and small enough that the block stays in a second-level cache.
const defaultBlockSize = 1 << 18

// Text is consecutive whole lines of a file. A worker owns one and reuses its memory for each block.
type Text struct {
	Path      string // of the file, for messages
	Bytes     []byte // the lines, each with its line end, and Padding zeros after them
	Size      int    // bytes of the lines
	FirstRow  int    // number of the first row in all files, which chain sets
	FirstLine int    // number of the first line, from 1
	Rows      int    // lines that are rows

	index int   // of the block in all files
	entry entry // of a block that load reads
}

// blocks is the text of a file, block by block. next makes b the next block in the order of the file, or
// returns io.EOF when none is left. load reads its text, unless next has done that; several workers may call
// load concurrently.
type blocks interface {
	next(b *Text) error
	load(b *Text) error
	close()
}

// progress is called with the number of stored bytes that were read so far, and their total.
type progress func(read, total int64)

// sequence reads the blocks of any input one after the other.
type sequence struct {
	in       *stream.Input
	r        *stream.Reader
	progress progress
	lines    Lines
	size     int    // bytes of a block, or what the longest line needs
	rest     []byte // text that was read but is not in a block yet: the beginning of a line
	after    Text   // numbers of the next block
	err      error  // why there are no more bytes
}

// newSequence returns the blocks of an input, without the bytes that are skipped.
func newSequence(p *Input, lines Lines, size int, report progress) (*sequence, error) {
	r, err := p.In.Reader()
	if err != nil {
		return nil, err
	}
	if _, err := io.CopyN(io.Discard, r, p.Skip); err != nil {
		r.Close()
		return nil, err
	}
	after := Text{Path: p.In.Name(), FirstLine: p.Lines + 1}
	return &sequence{in: p.In, r: r, lines: lines, size: size, progress: report, after: after}, nil
}

func (s *sequence) close() { s.r.Close() }

func (s *sequence) load(*Text) error { return nil }

func (s *sequence) next(b *Text) error {
	text, end := s.read(b.Bytes[:0])
	if end == 0 {
		return s.err
	}
	s.rest = append(s.rest[:0], text[end:]...)
	counted := s.lines.count(text[:end])
	*b = s.after
	b.Rows = counted.rows
	b.Bytes, b.Size = pad(text, end), end
	s.after.FirstLine += counted.lines
	s.progress(s.r.Consumed(), s.in.Size())
	return nil
}

// read appends to text what is left from the block before, and reads until text has the size of a
// block and at least one whole line, or the input ends. It returns text and the place after its
// last whole line, 0 if there is none. A last line without a line end gets one, unless the input
// ends with an error: then the line is left out.
func (s *sequence) read(text []byte) (_ []byte, end int) {
	text = append(text, s.rest...)
	want := len(text) + s.size
	longest, tooLong := longestLine, dataset.ErrLineLong
	if s.lines.Quotes {
		longest, tooLong = longestQuoted, dataset.ErrQuoteOpen
	}
	for s.err == nil {
		text = grow(text, want)
		n, err := io.ReadFull(s.r, text[len(text):want])
		text = text[:len(text)+n]
		if err == io.ErrUnexpectedEOF {
			err = io.EOF
		}
		if s.err = err; err == io.EOF && len(text) > 0 {
			if text[len(text)-1] != '\n' {
				text = append(text, '\n')
			}
			return text, len(text) // a quote may be open; the parser reports that
		}
		if end := s.lines.lastEnd(text) + 1; end > 0 {
			return text, end
		}
		if len(text) > longest {
			s.err = &dataset.Error{Path: s.after.Path, Line: s.after.FirstLine, Err: tooLong}
			break
		}
		want = min(2*len(text), longest+1)
	}
	return text, s.lines.lastEnd(text) + 1
}

// grow returns text with capacity for size bytes and the padding. Unlike slices.Grow, it does not copy what
// is behind text.
func grow(text []byte, size int) []byte {
	if cap(text) >= size+Padding {
		return text
	}
	return append(make([]byte, 0, size+size/8+Padding), text...)
}

// pad cuts text at end and writes zeros to the padding after it, so that a fast path that loads
// bytes there loads the same ones each time.
func pad(text []byte, end int) []byte {
	text = grow(text, end)[:end+Padding]
	clear(text[end:])
	return text
}

// pass is one reading of all blocks of a table. Workers read them in parallel.
type pass struct {
	table    *blockTable
	progress progress
	taken    int // blocks
	read     atomic.Int64
}

// close has nothing to release: the file stays open until [File.Close].
func (p *pass) close() {}

func (p *pass) next(b *Text) error {
	if p.taken == len(p.table.entries) {
		return io.EOF
	}
	b.entry = p.table.entries[p.taken]
	b.Path, b.FirstLine, b.Rows = p.table.in.Name(), b.entry.firstLine, b.entry.counted.rows
	p.taken++
	return nil
}

func (p *pass) load(b *Text) error {
	e := b.entry
	if p.table.quotes && e.size > longestQuoted {
		return &dataset.Error{Path: b.Path, Line: e.firstLine, Err: dataset.ErrQuoteOpen}
	}
	text := grow(b.Bytes[:0], e.size+1)[:e.size]
	if err := readAll(p.table.in, text, e.offset); err != nil {
		return err
	}
	if text[e.size-1] != '\n' {
		if e.offset < p.table.entries[len(p.table.entries)-1].offset {
			return &dataset.Error{Path: p.table.in.Name(), Err: dataset.ErrChanged}
		}
		text = append(text, '\n')
	}
	b.Bytes, b.Size = pad(text, len(text)), len(text)
	p.progress(p.read.Add(int64(e.size)), p.table.in.Size())
	return nil
}

// turn lets workers do something for each block in the order of the blocks, one at a time.
type turn struct {
	ctx     context.Context
	unwatch func() bool // ends watching ctx
	mu      sync.Mutex
	changed *sync.Cond
	index   int                  // number of the block whose turn it is
	early   map[int]func() error // what is to be done for later blocks
	err     error                // why no other block gets a turn
}

// newTurn returns a turn that begins with block 0. It ends when ctx does. Close it after use.
func newTurn(ctx context.Context) *turn {
	t := &turn{ctx: ctx, early: map[int]func() error{}}
	t.changed = sync.NewCond(&t.mu)
	t.unwatch = context.AfterFunc(ctx, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.changed.Broadcast()
	})
	return t
}

// Close ends watching the context.
func (t *turn) Close() { t.unwatch() }

// Err returns why no other block gets a turn, nil if the next one does.
func (t *turn) Err() error { return t.err }

// ErrStopped ends a pass in which a worker has panicked, so that no other worker waits for it.
var ErrStopped = errors.New("a worker has stopped")

// take calls do for the block with the given index. If blocks before it are not done yet, the take of the
// last of them calls do instead. With wait, take returns only after that. An error of do ends all turns. take
// reports whether there is more to do.
func (t *turn) take(index int, wait bool, do func() error) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	defer t.changed.Broadcast()
	t.early[index] = do
	for t.early[t.index] != nil && t.err == nil && t.ctx.Err() == nil {
		do := t.early[t.index]
		t.err = ErrStopped // unless do returns
		t.err = do()
		delete(t.early, t.index)
		t.index++
	}
	t.changed.Broadcast()
	for wait && t.index <= index && t.err == nil && t.ctx.Err() == nil {
		t.changed.Wait()
	}
	if t.err == nil {
		t.err = t.ctx.Err()
	}
	return t.err == nil
}

// Row is what a parser has read of the current row. Its slices are valid until the next row; the slices of
// its features are valid until [Parser].Forget.
type Row struct {
	Number      int // in the data
	Line        int // in the file, from 1
	Label       float64
	LabelColumn int       // of the label's first byte, from 1; 0 in tables, whose columns have names
	Weight      float64   // if Options.Weights says that rows have one
	More        []float64 // further labels, in the order of Options.More
	Place       []byte    // where the document was shown, if Options.Places says that rows have it
	Query       []byte    // id; nil if the row has none
	QueryColumn int       // of the id's first byte, or of the place where it is missing, from 1
	Doc         string    // if Options.Docs asks for it
	Feature     []int32   // strictly ascending
	Value       []float64
	Last        int // largest feature number, -1 if there is none
}

// Parser reads the rows of blocks, one at a time. Every worker has its own.
type Parser interface {
	// Open starts with the rows of a block.
	Open(t *Text)

	// Next goes to the next row, after Features or Skip, and reports whether there is one.
	Next() bool

	// Row returns the Row that the parser fills: number and line in Next, labels, weight, place
	// and query in Begin, the rest in Features.
	Row() *Row

	// Forget allows the memory of the features of all rows so far to be reused. So does Open.
	Forget()

	// Begin reads labels, weight, place and query of the row.
	Begin() error

	// Features reads the features of the row, after Begin.
	Features() error

	// Skip skips the features of the row, after Begin, without converting them: Feature and
	// Value are undefined then, and a wrong value is not an error.
	Skip() error
}
