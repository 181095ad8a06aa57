package rows

import (
	"io"
	"sync"
	"sync/atomic"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/io/data/internal/decimal"
)

// defaultBlockSize is the number of bytes of text that a worker reads at a time: large enough that getting a
// block costs little in comparison, and small enough that the block stays in a second-level cache.
const defaultBlockSize = 1 << 18

// Text is consecutive whole lines of a file. A worker owns one and reuses its memory for each
// block.
type Text struct {
	Path      string // of the file, for messages
	Bytes     []byte // the lines, each with its line end, and decimal.Padding zeros after them
	Size      int    // bytes of the lines
	FirstRow  int    // number of the first row
	FirstLine int    // number of the first line, from 1
	Rows      int    // lines that are rows

	index int // of the block in all files
}

// blocks is the text of a file, block by block. next fills b with the next block, or returns io.EOF
// when none is left; blocks are in the order of the file. Several workers may call next concurrently. end
// returns
// the numbers of the block and of the row after the last one, once next has returned io.EOF.
type blocks interface {
	next(b *Text) error
	end() (index, row int)
	close()
}

// progress is called with the number of stored bytes that were read so far, and their total.
type progress func(read, total int64)

// sequence reads the blocks of any input one after the other.
type sequence struct {
	mu       sync.Mutex
	in       *stream.Input
	r        *stream.Reader
	progress progress
	lines    Lines
	size     int    // bytes of a block, or what the longest line needs
	rest     []byte // text that was read but is not in a block yet: the beginning of a line
	after    Text   // numbers of the next block
	err      error  // why there are no more bytes
}

// newSequence returns the blocks of a part, without the bytes that the part skips. The first block has the
// number index.
func newSequence(p *part, index int, lines Lines, size int, report progress) (*sequence, error) {
	r, err := p.in.Reader()
	if err != nil {
		return nil, err
	}
	if _, err := io.CopyN(io.Discard, r, p.skip); err != nil {
		r.Close()
		return nil, err
	}
	after := Text{Path: p.in.Name(), FirstRow: p.firstRow, FirstLine: p.firstLine, index: index}
	return &sequence{in: p.in, r: r, lines: lines, size: size, progress: report, after: after}, nil
}

func (s *sequence) close() { s.r.Close() }

func (s *sequence) end() (index, row int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.after.index, s.after.FirstRow
}

func (s *sequence) next(b *Text) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, end := s.read(b.Bytes[:0])
	if end == 0 {
		b.index = s.after.index
		return s.err
	}
	s.rest = append(s.rest[:0], text[end:]...)
	counted := s.lines.count(text[:end])
	*b = s.after
	b.Rows = counted.rows
	b.Bytes, b.Size = pad(text, end), end
	s.after.index++
	s.after.FirstRow += counted.rows
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
	for s.err == nil {
		text = grow(text, want)
		n, err := io.ReadFull(s.r, text[len(text):want])
		seen := len(text)
		text = text[:seen+n]
		if err == io.ErrUnexpectedEOF {
			err = io.EOF
		}
		if s.err = err; err == io.EOF && len(text) > 0 {
			if text[len(text)-1] != '\n' {
				text = append(text, '\n')
			}
			return text, len(text) // a quote may be open; the parser reports that
		}
		if end := s.lines.lastEnd(text, seen) + 1; end > 0 {
			return text, end
		}
		if s.lines.Quotes && len(text) > longestQuoted {
			s.err = &dataset.Error{Path: s.after.Path, Line: s.after.FirstLine, Err: dataset.ErrQuoteOpen}
			break
		}
		if len(text) > longestLine {
			s.err = &dataset.Error{Path: s.after.Path, Line: s.after.FirstLine, Err: dataset.ErrLineLong}
			break
		}
		want = 2 * len(text)
	}
	return text, s.lines.lastEnd(text, 0) + 1
}

// grow returns text with capacity for size bytes and the padding.
func grow(text []byte, size int) []byte {
	if cap(text) >= size+decimal.Padding {
		return text
	}
	return append(make([]byte, 0, size+size/8+decimal.Padding), text...)
}

// pad cuts text at end and writes zeros to the padding after it, so that a fast path that loads
// bytes there loads the same ones each time.
func pad(text []byte, end int) []byte {
	text = grow(text, end)[:end+decimal.Padding]
	clear(text[end:])
	return text
}

// table has the places of the blocks of a plain file, so that any worker can read any block.
type table struct {
	in      *stream.Input
	lines   Lines
	entries []entry
	rows    int // of the whole file
}

// entry is a block of a table.
type entry struct {
	offset    int64
	size      int
	firstRow  int
	firstLine int
	rows      int
}

// pass is one reading of all blocks of a table. Workers read them in parallel.
type pass struct {
	table    *table
	index    int // of the file's first block
	firstRow int // of the file
	progress progress
	taken    atomic.Int64
	read     atomic.Int64
}

func (p *pass) close() {}

func (p *pass) end() (index, row int) {
	return p.index + len(p.table.entries), p.firstRow + p.table.rows
}

func (p *pass) next(b *Text) error {
	index := int(p.taken.Add(1)) - 1
	b.index = p.index + index
	if index >= len(p.table.entries) {
		return io.EOF
	}
	e := p.table.entries[index]
	b.Path = p.table.in.Name()
	b.FirstRow, b.FirstLine, b.Rows = p.firstRow+e.firstRow, e.firstLine, e.rows
	if p.table.lines.Quotes && e.size > longestQuoted {
		return &dataset.Error{Path: b.Path, Line: e.firstLine, Err: dataset.ErrQuoteOpen}
	}
	text := grow(b.Bytes[:0], e.size+1)[:e.size]
	if _, err := p.table.in.ReadAt(text, e.offset); err == io.EOF {
		return &dataset.Error{Path: p.table.in.Name(), Err: dataset.ErrChanged}
	} else if err != nil {
		return err
	}
	if text[e.size-1] != '\n' {
		if index < len(p.table.entries)-1 {
			return &dataset.Error{Path: p.table.in.Name(), Err: dataset.ErrChanged}
		}
		text = append(text, '\n')
	}
	b.Bytes, b.Size = pad(text, len(text)), len(text)
	p.progress(p.read.Add(int64(e.size)), p.table.in.Size())
	return nil
}
