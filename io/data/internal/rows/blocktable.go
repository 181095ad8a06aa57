package rows

import (
	"context"
	"io"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/stream"
)

// blockTable is the list of places of the blocks of a plain file, so that any worker can read any block, and
// knows the number of its first line.
type blockTable struct {
	in      *stream.Input
	quotes  bool // lines may have quotes
	entries []entry
	rows    int // of the whole file
}

// entry is a block of a table.
type entry struct {
	offset    int64
	size      int
	firstLine int
	counted   lineCount
}

// tabling is a table in the making: workers cut off the next block, one at a time, and count its lines and
// rows at the same time.
type tabling struct {
	*blockTable
	lines Lines
	size  int // of a block, or of what has its first line
	end   int64
	p     progress

	mu sync.Mutex
	at int64 // where the next block begins
}

// makeTable finds the blocks of a plain file and counts its rows.
func makeTable(ctx context.Context, from *Input, lines Lines, size, workers int,
	p progress) (*blockTable, error) {
	t := &tabling{blockTable: &blockTable{in: from.In, quotes: lines.Quotes}, lines: lines, size: size,
		end: from.In.Size(), p: p, at: from.Skip}
	group, ctx := errgroup.WithContext(ctx)
	for range workers {
		group.Go(func() error { return t.run(ctx) })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	line := from.Lines + 1
	for i := range t.entries {
		e := &t.entries[i]
		e.firstLine = line
		t.rows, line = t.rows+e.counted.rows, line+e.counted.lines
	}
	return t.blockTable, nil
}

// run counts the lines of blocks until there are none left.
func (t *tabling) run(ctx context.Context) error {
	var text []byte
	for {
		var e entry
		index, err := 0, ctx.Err()
		if err == nil {
			index, e, text, err = t.next(text)
		}
		if err != nil || e.size == 0 {
			return err
		}
		if len(text) < e.size && !(t.quotes && e.size > longestQuoted) {
			text = grow(text[:0], e.size)[:e.size]
			if err := readAll(t.in, text, e.offset); err != nil {
				return err
			}
		}
		counted := t.lines.count(text)
		t.mu.Lock()
		t.entries[index].counted = counted
		t.mu.Unlock()
	}
}

// next cuts off the next block, which has size 0 at the end of the file. text is its last bytes, or all.
func (t *tabling) next(text []byte) (index int, e entry, _ []byte, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e = entry{offset: t.at}
	if text, e.size, err = t.cut(text); err != nil || e.size == 0 {
		return 0, e, nil, err
	}
	t.entries = append(t.entries, e)
	t.at += int64(e.size)
	t.p(t.at, t.end)
	return len(t.entries) - 1, e, text, nil
}

// cut returns the size of the next block, and the bytes by which it was found: with quotes all of them, and
// otherwise the last ones if they suffice, so that workers wait little for each other.
func (t *tabling) cut(text []byte) (_ []byte, size int, err error) {
	n, read := int64(t.size), int64(t.size)
	if !t.quotes {
		read = max(1, n/64)
	}
	for n < t.end-t.at {
		text = grow(text[:0], int(n))[:read]
		if err := readAll(t.in, text, t.at+n-read); err != nil {
			return nil, 0, err
		}
		end := t.lines.lastEnd(text)
		switch {
		case end >= 0:
			return text[:end+1], int(n-read) + end + 1, nil
		case t.quotes && n > longestQuoted: // reading the block reports that
			return text[:1], int(t.end - t.at), nil
		case t.quotes:
			n = min(2*n, longestQuoted+1)
		case read == n:
			n *= 2
		}
		read = n
	}
	return text[:0], int(t.end - t.at), nil
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
