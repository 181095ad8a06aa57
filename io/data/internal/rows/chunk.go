package rows

import (
	"bytes"
	"context"
	"io"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/stream"
)

// A plain file is divided into blocks before it is parsed, so that any worker can read any block
// and knows the numbers of its first row and first line. Line ends must be found for that, and
// doing so in one sequence would take as long as parsing in parallel. The table of blocks is
// therefore made in two steps.
//
// First, the file is cut every size bytes, wherever that falls, and workers summarize these chunks
// in any order (lookAt). Then the summaries, and no text, are joined in their order (join). Each
// chunk that has a line end begins a new block after its first one (⏎; a letter is a line):
//
//	chunks   │ 0          │ 1          │ 2          │ 3          │ 4
//	text     │aaaa⏎bb⏎cccc│cc⏎ddd⏎eeeee│eeeeeeeeeeee│ee⏎ff⏎gggggg│ggg⏎
//	blocks   │<-- block 0 -->│<--------- block 1 ------>│<- block 2 ->│
//
// Here lines a to c are block 0, lines d and e block 1, and lines f and g block 2.
//
// Two things about a chunk depend on the text before it, which its worker has not seen:
//
//   - Whether it begins within double quotes, where line ends do not end a line. There are only two
//     possibilities, and so a chunk is summarized for both, in two views. (A chunk without quotes is
//     within them from one end to the other, or outside; no second look is needed.)
//   - Whether the line that it begins within is a row. That is decided by the first byte of a line
//     that is not blank, which may be in the chunk or before it. A view has the answer of the chunk
//     alone, and join uses it if only blanks of the line precede the chunk.

// makeTable finds the blocks of a plain file and counts its rows.
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

// chunk is the summary of a piece of a file that may begin and end anywhere: chunk[0] if it begins outside of
// quotes, chunk[1] if it begins within them.
type chunk [2]view

// view is the summary of a chunk under one of two assumptions: it begins outside of quotes, or within them.
//
//	│rest of a line ⏎ a line ⏎ a line ⏎ beginning of a line│
//	│<─── head ────>│<─ lines and rows ─>│<──── tail ─────>│
//	               end
//
// The head may be the whole chunk, and the tail may be empty. Both of them may be one line with
// parts of it in chunks before and after.
type view struct {
	head   Opening // whether the head's line is a row, if only blanks of it came before the chunk
	end    int     // place of the line end after the head; -1 if the head is the whole chunk
	before int     // line ends within quotes in the head

	lines int     // line ends after end, those within quotes included
	rows  int     // rows that begin after end, including the tail if its beginning shows that it is a row
	tail  Opening // what the beginning of the tail says about its line; Unknown if that is blank

	inside bool // the chunk ends within quotes
}

// lookAt summarizes a chunk.
func (l Lines) lookAt(text []byte) chunk {
	c := chunk{l.view(text, false)}
	switch {
	case !l.Quotes: // the second view is never looked at
	case bytes.IndexByte(text, '"') >= 0:
		c[1] = l.view(text, true)
	default:
		c[1] = view{head: OpensRow, end: -1, before: bytes.Count(text, newline), inside: true}
	}
	return c
}

// view summarizes a chunk that begins within quotes (inside) or outside of them. A line with quotes
// is a row.
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
		v.tail = l.Opening(text)
		if v.tail == OpensRow {
			v.rows++
		}
		if at, v.inside = l.nextEnd(text, 0, false); at >= 0 {
			v.lines += l.quotedEnds(text[:at]) + 1
		}
	}
	v.lines += l.quotedEnds(text)
	return v
}

// quotedEnds counts the line ends in text that has no line end outside of quotes.
func (l Lines) quotedEnds(text []byte) int {
	if !l.Quotes {
		return 0
	}
	return bytes.Count(text, newline)
}

// join makes blocks of chunks.
func (l Lines) join(from *part, chunks []chunk, size int64) *table {
	t := &table{in: from.in, lines: l}
	// The state between two chunks: the block that is open with what is known of it so far, and how
	// the text up to here ends.
	last := entry{offset: from.skip, firstLine: from.firstLine}
	lines := 0        // line ends in the open block
	opened := Unknown // what the line is that the text ends within
	inside := 0       // 1 if the text ends within quotes: the view that holds for the next chunk
	for i := range chunks {
		c := &chunks[i][inside]
		inside = 0
		if c.inside {
			inside = 1
		}
		if opened == Unknown { // the head has the first byte of its line that is not blank
			opened = c.head
			if opened == OpensRow {
				last.rows++
			}
		}
		lines += c.before
		if c.end < 0 {
			continue
		}
		lines++ // after the head
		if i > 0 {
			next := from.skip + int64(i)*size + int64(c.end) + 1
			t.add(last, next)
			last = entry{offset: next, firstLine: last.firstLine + lines, firstRow: t.rows}
			lines = 0
		}
		lines += c.lines
		last.rows += c.rows
		opened = c.tail
	}
	t.add(last, from.in.Size())
	return t
}

// add puts a block into the table now that its end is known.
func (t *table) add(e entry, end int64) {
	e.size = int(end - e.offset)
	if e.size <= 0 {
		return
	}
	t.rows += e.rows
	t.entries = append(t.entries, e)
}
