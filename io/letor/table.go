package letor

import (
	"bytes"
	"context"
	"io"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/lambdamart/lambdamart/io/stream"
)

// makeTable finds the blocks of a plain file and counts its rows.
//
// The file is cut into chunks of one size; workers look at them in any order. A
// block is the lines that begin in a chunk, a line beginning where the one before
// it ends. Only joining what the chunks hold needs their order.
func makeTable(ctx context.Context, in *stream.Input, size, workers int, p progress) (*table, error) {
	begin, err := skipMark(in)
	if err != nil {
		return nil, err
	}
	length := in.Size() - begin
	chunks := make([]chunk, (length+int64(size)-1)/int64(size))
	var taken, read atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for range min(workers, len(chunks)) {
		group.Go(func() error {
			text := make([]byte, size)
			for i := taken.Add(1) - 1; i < int64(len(chunks)); i = taken.Add(1) - 1 {
				if err := ctx.Err(); err != nil {
					return err
				}
				offset := i * int64(size)
				text := text[:min(int64(size), length-offset)]
				if err := readAll(in, text, begin+offset); err != nil {
					return err
				}
				chunks[i] = lookAt(text)
				p(read.Add(int64(len(text))), in.Size())
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return join(in, chunks, begin, int64(size)), nil
}

// skipMark returns where the text begins: after the byte order mark.
func skipMark(in *stream.Input) (int64, error) {
	head := make([]byte, len(byteOrderMark))
	if _, err := in.ReadAt(head, 0); err != nil && err != io.EOF {
		return 0, err
	}
	if bytes.Equal(head, byteOrderMark) {
		return int64(len(byteOrderMark)), nil
	}
	return 0, nil
}

func readAll(in *stream.Input, dst []byte, offset int64) error {
	n, err := in.ReadAt(dst, offset)
	if n < len(dst) && err == io.EOF {
		return &Error{Path: in.Name(), Err: ErrChanged}
	}
	if n < len(dst) {
		return err
	}
	return nil
}

// opening is what the first byte of a line that is not blank tells.
type opening int

const (
	unknown opening = iota // not seen yet
	opensRow
	opensNone // an empty line or a comment
)

// lineOpening tells what the beginning of a line says about it.
func lineOpening(text []byte) opening {
	for _, c := range text {
		if isBlank(c) {
			continue
		}
		if c == '\n' || c == '#' {
			return opensNone
		}
		return opensRow
	}
	return unknown
}

// lineCount is how much text holds, by lines.
type lineCount struct {
	lines int // line ends
	rows  int // lines with more than blanks and comments
}

// countLines counts in whole lines.
func countLines(text []byte) (c lineCount) {
	for len(text) > 0 {
		if lineOpening(text) == opensRow {
			c.rows++
		}
		c.lines++
		text = text[bytes.IndexByte(text, '\n')+1:]
	}
	return c
}

// chunk is what a part of a file holds, cut anywhere.
type chunk struct {
	head opening // of the line that the chunk begins within, if the chunk tells
	end  int     // where that line's end is; -1 if not in the chunk
	lineCount
	tail opening // of the line that the chunk ends within: counted above if it is a row
}

func lookAt(text []byte) chunk {
	c := chunk{head: lineOpening(text), end: bytes.IndexByte(text, '\n')}
	if c.end < 0 {
		return c
	}
	for at := c.end; at >= 0; {
		text = text[at+1:]
		c.lines++
		c.tail = lineOpening(text)
		if c.tail == opensRow {
			c.rows++
		}
		at = bytes.IndexByte(text, '\n')
	}
	return c
}

// join makes blocks of chunks. The first block begins with the text, and ends
// like every other after the first line end of the next chunk that has one.
func join(in *stream.Input, chunks []chunk, begin, size int64) *table {
	t := &table{in: in}
	last := entry{offset: begin, firstLine: 1}
	lines := 0        // that end in the last block
	opened := unknown // of the line that the chunks so far end within
	for i, c := range chunks {
		if opened == unknown {
			opened = c.head
			if opened == opensRow {
				last.rows++
			}
		}
		if c.end < 0 {
			continue
		}
		if i > 0 {
			next := begin + int64(i)*size + int64(c.end) + 1
			lines++
			t.add(last, next)
			last = entry{offset: next, firstLine: last.firstLine + lines, firstRow: t.rows}
			lines = -1
		}
		lines += c.lines
		last.rows += c.rows
		opened = c.tail
	}
	t.add(last, in.Size())
	return t
}

// add puts a block into the table, the end of which is known now.
func (t *table) add(e entry, end int64) {
	e.size = int(end - e.offset)
	if e.size == 0 {
		return
	}
	t.rows += e.rows
	t.entries = append(t.entries, e)
}
