package rows

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/fingerprint"
	"github.com/lambdamart/lambdamart/internal/peers"
	"github.com/lambdamart/lambdamart/internal/stream"
)

// Peers share data by whole queries: each gets about the same number of rows, and a part begins with the
// first query that starts at or after its share of the rows. So each peer counts the rows of all text; of
// Parquet, the footers have the numbers. Queries are found by their ids, or by the numbers of rows in the
// companion .query. Rows without queries, which can be scored, are divided anywhere.

// Errors about data that peers share.
var (
	// ErrUndivided means that data of this form cannot be divided among peers.
	ErrUndivided = errors.New("several peers can share data that is neither compressed text nor standard " +
		"input, and data that lambdamart bin has stored; decompress it, or bin it first")
	// ErrUnequal means that peers do not see the same file.
	ErrUnequal = errors.New("the peers do not see the same file; put it where all machines see it, or copy " +
		"it to each")
)

// Divide reduces the data to this peer's part. It is a collective, called before rows are read.
func (f *File) Divide(ctx context.Context, g peers.Group) error {
	if err := SameInputs(f.Path, f.Inputs, g); err != nil {
		return err
	}
	all, _, err := f.NumRows(ctx)
	if err != nil {
		return err
	}
	if _, err := f.find(ctx, 0, func(_ string, row *Row) bool {
		f.Opts.first = &queryRun{id: string(row.Query), has: row.Query != nil, line: row.Line,
			column: row.QueryColumn}
		return true
	}); err != nil {
		return err
	}
	first, end, err := f.Share(g, all, f.Opts.first != nil && f.Opts.first.has, func(row int) (int, error) {
		return f.queryAfter(ctx, row)
	})
	if err != nil {
		return err
	}
	for _, p := range f.parts {
		rows := p.table.rows
		if err := p.table.cut(f.lines, first, end); err != nil {
			return err
		}
		first, end = first-rows, end-rows
	}
	return nil
}

// Share returns rows [first, end) of this peer's part, given the number of all rows and whether they have
// query ids, and has the companions read for them. queryAfter returns the first row after the query of a row.
func (d *Data) Share(g peers.Group, all int, hasIDs bool, queryAfter func(row int) (int, error)) (first,
	end int, err error) {
	begin := func(rank int) (row int, err error) {
		row = all / g.Size() * rank
		switch {
		case rank == g.Size():
			return all, nil
		case rank == 0 || row == 0:
		case hasIDs:
			return queryAfter(row - 1)
		case d.Companions.Exists(".query"):
			row, err = d.Companions.QueryFrom(row)
		}
		return min(row, all), err
	}
	if first, err = begin(g.Rank()); err == nil {
		end, err = begin(g.Rank() + 1)
	}
	d.Opts.Part = &dataset.Part{Peers: g, FirstRow: first, Rows: all}
	d.Companions.Divide(d.Opts.Part, end-first)
	return first, end, err
}

// SameInputs returns an error unless all inputs can be read from any place, and all peers see the same ones
// and the same companions, as far as their sizes and some pieces show.
func SameInputs(path string, inputs []*stream.Input, g peers.Group) error {
	words := []int64{int64(len(inputs))}
	for _, in := range inputs {
		if path == "-" || !in.Seekable() {
			return &dataset.Error{Path: in.Name(), Err: ErrUndivided}
		}
		words = appendPrint(words, in, in.Size())
	}
	companions := CompanionsOf(path)
	for _, ending := range endings {
		words = append(words, -1)
		if f, err := os.Open(companions.path + ending); err == nil {
			if info, err := f.Stat(); err == nil {
				words = appendPrint(words, f, info.Size())
			}
			f.Close()
		}
	}
	if lengths := []int64{int64(len(words))}; !g.Same(lengths) || !g.Same(words) {
		return &dataset.Error{Path: path, Err: ErrUnequal}
	}
	return nil
}

// appendPrint appends the size of a file and a fingerprint of some pieces.
func appendPrint(words []int64, in io.ReaderAt, size int64) []int64 {
	const pieces, length = 16, 1 << 12
	var sum fingerprint.Sum
	piece := make([]byte, length)
	for number := range pieces {
		n, _ := in.ReadAt(piece, size/pieces*int64(number))
		sum.Bytes(number, piece[:n])
	}
	return append(words, size, int64(sum[0]), int64(sum[1]))
}

// queryAfter returns the first row after the query of a row.
func (f *File) queryAfter(ctx context.Context, row int) (int, error) {
	var id []byte
	return f.find(ctx, row, func(_ string, row *Row) bool {
		if id == nil {
			id = append([]byte{}, row.Query...)
		}
		return !bytes.Equal(row.Query, id)
	})
}

// Place finds the place of a row, as [dataset.Meta].Where does. It reads the file up to the row.
func (f *File) Place(number int) (place *dataset.Error) {
	_, _ = f.find(context.Background(), number, func(path string, row *Row) bool { // place is nil after an error
		place = &dataset.Error{Path: path, Line: row.Line, Column: row.LabelColumn, Field: f.Opts.LabelField}
		return true
	})
	return place
}

// find returns the first row from a row on that stop accepts, or the number of all rows. The parser has read
// the beginning of the row.
func (f *File) find(ctx context.Context, from int, stop func(path string, row *Row) bool) (int, error) {
	c := chain{file: f, ctx: ctx, left: f.parts, anyPlace: true}
	defer c.close()
	p := f.newParser()
	var text Text
	for {
		blocks, err := c.take(&text)
		switch {
		case err == io.EOF:
			return c.row, nil
		case err != nil:
			return 0, err
		case c.row <= from:
			continue
		}
		if err := blocks.load(&text); err != nil {
			return 0, err
		}
		p.Open(&text)
		for p.Next() {
			if err := p.Begin(); err != nil {
				return 0, err
			}
			if row := p.Row(); row.Number >= from && stop(text.Path, row) {
				return row.Number, nil
			}
			if err := p.Skip(); err != nil {
				return 0, err
			}
		}
	}
}

// cut reduces a table to rows [first, end) of the file.
func (t *blockTable) cut(lines Lines, first, end int) (err error) {
	all, row := t.entries, 0
	t.entries, t.rows = nil, 0
	for _, e := range all {
		n := e.counted.rows
		from, to := max(first-row, 0), min(end-row, n)
		row += n
		if from >= to {
			continue
		}
		if to-from < n {
			if e, err = t.within(lines, e, from, to); err != nil {
				return err
			}
		}
		t.entries, t.rows = append(t.entries, e), t.rows+to-from
	}
	return nil
}

// within returns rows [from, to) of a block.
func (t *blockTable) within(lines Lines, e entry, from, to int) (entry, error) {
	text := make([]byte, e.size)
	if err := readAll(t.in, text, e.offset); err != nil {
		return e, err
	}
	begin, end := lines.RowAt(text, from), lines.RowAt(text, to)
	return entry{offset: e.offset + int64(begin), size: end - begin,
		firstLine: e.firstLine + bytes.Count(text[:begin], newline), counted: lineCount{rows: to - from}}, nil
}

// RowAt returns where row n of some lines begins.
func (l Lines) RowAt(text []byte, n int) (at int) {
	for {
		if l.IsRow(text[at:]) {
			if n == 0 {
				return at
			}
			n--
		}
		end := l.NextEnd(text, at)
		if end < 0 {
			return len(text)
		}
		at = end + 1
	}
}

// sumBefore returns the sum of n over the peers before this one, and over all peers.
func sumBefore(g peers.Group, n int) (before, all int) {
	counts := make([]int64, g.Size())
	g.AllGather(counts, []int64{int64(n)})
	for rank, c := range counts {
		if rank < g.Rank() {
			before += int(c)
		}
		all += int(c)
	}
	return before, all
}
