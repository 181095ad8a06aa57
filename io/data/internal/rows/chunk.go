package rows

import (
	"bytes"
	"context"
	"io"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/stream"
)

// makeTable finds the blocks of a plain file and counts its rows.
//
// The file is cut into chunks of one size; workers look at them in any order. A
// block is the lines that begin in a chunk, a line beginning where the one before
// it ends. Only joining what the chunks hold needs their order.
func makeTable(ctx context.Context, from *part, lines Lines, size, workers int, p progress) (*table, error) {
	in, begin := from.in, from.skip
	length := max(0, in.Size()-begin)
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
				chunks[i] = lines.lookAt(text)
				p(read.Add(int64(len(text))), in.Size())
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return lines.join(from, chunks, int64(size)), nil
}

func readAll(in *stream.Input, dst []byte, offset int64) error {
	n, err := in.ReadAt(dst, offset)
	if n < len(dst) && err == io.EOF {
		return &dataset.Error{Path: in.Name(), Err: dataset.ErrChanged}
	}
	if n < len(dst) {
		return err
	}
	return nil
}

// chunk is what a part of a file holds, cut anywhere: what its lines are if it
// begins outside quotes, and if it begins within them.
type chunk struct {
	from   [2]view // 0: outside
	quotes bool    // there are any
}

// view is what a chunk holds.
type view struct {
	head   Opening // of the line that the chunk begins within, if the chunk tells
	end    int     // where that line's end is; -1 if not in the chunk
	before int     // line ends within quotes before it
	lineCount
	tail   Opening // of the line that the chunk ends within: counted above if it is a row
	inside bool    // the chunk ends within quotes
}

func (l Lines) lookAt(text []byte) chunk {
	c := chunk{quotes: l.Quotes && bytes.IndexByte(text, '"') >= 0}
	c.from[0] = l.view(text, false)
	if c.quotes {
		c.from[1] = l.view(text, true)
	} else if l.Quotes {
		ends := bytes.Count(text, newline)
		c.from[1] = view{head: OpensRow, end: -1, before: ends, inside: true}
	}
	return c
}

// view looks at a chunk that begins inside quotes, or not.
func (l Lines) view(text []byte, inside bool) view {
	v := view{head: OpensRow}
	if !inside {
		v.head = l.Opening(text)
	}
	v.end, v.inside = l.nextEnd(text, 0, inside)
	if v.end < 0 {
		v.before = l.quotedEnds(text)
		return v
	}
	v.before = l.quotedEnds(text[:v.end])
	for at := v.end; at >= 0; {
		text = text[at+1:]
		v.lines++
		v.tail = l.Opening(text)
		if v.tail == OpensRow {
			v.rows++
		}
		at, v.inside = l.nextEnd(text, 0, false)
		v.lines += l.quotedEnds(text[:max(at, 0)])
	}
	v.lines += l.quotedEnds(text)
	return v
}

// quotedEnds counts the line ends of text that is within one line.
func (l Lines) quotedEnds(text []byte) int {
	if !l.Quotes {
		return 0
	}
	return bytes.Count(text, newline)
}

// join makes blocks of chunks. The first block begins with the text, and ends
// like every other after the first line end of the next chunk that has one.
func (l Lines) join(from *part, chunks []chunk, size int64) *table {
	t := &table{in: from.in, lines: l}
	last := entry{offset: from.skip, firstLine: from.firstLine}
	lines := 0        // that end in the last block
	opened := Unknown // of the line that the chunks so far end within
	inside := 0       // 1 if they end within quotes
	for i := range chunks {
		c := &chunks[i].from[inside]
		inside = 0
		if c.inside {
			inside = 1
		}
		if opened == Unknown {
			opened = c.head
			if opened == OpensRow {
				last.rows++
			}
		}
		lines += c.before
		if c.end < 0 {
			continue
		}
		if i > 0 {
			next := from.skip + int64(i)*size + int64(c.end) + 1
			lines++
			t.add(last, next)
			last = entry{offset: next, firstLine: last.firstLine + lines, firstRow: t.rows}
			lines = -1
		}
		lines += c.lines
		last.rows += c.rows
		opened = c.tail
	}
	t.add(last, from.in.Size())
	return t
}

// add puts a block into the table, the end of which is known now.
func (t *table) add(e entry, end int64) {
	e.size = int(end - e.offset)
	if e.size <= 0 {
		return
	}
	t.rows += e.rows
	t.entries = append(t.entries, e)
}
