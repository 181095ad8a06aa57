package rows

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/fingerprint"
	"github.com/lambdamart/lambdamart/internal/peers"
	"github.com/lambdamart/lambdamart/internal/stream"
)

// Peers share text by whole queries: the bytes of all files are divided equally, and each boundary moves on
// to the next line, and then to the next query.
//
//	bytes     │ rank 0               │ rank 1               │ rank 2
//	lines     aaaaaa⏎aaaaaa⏎bbbbbb⏎bb│bbbb⏎bbbbbb⏎cccccc⏎cccc│cc⏎dddddd⏎dddddd⏎
//	parts     │ rank 0                           │ rank 1     │ rank 2
//
// A line end within quotes does not end a line, so the peers count quotes first. Queries are found by their
// ids, or by the numbers of rows in the companion .query, for which the peers count the rows before each
// boundary. Rows without queries, which can be scored, are divided between lines.

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
	inputs := make([]*stream.Input, len(f.parts))
	for i, p := range f.parts {
		inputs[i] = p.in
	}
	if err := SameInputs(f.Path, inputs, g); err != nil {
		return err
	}
	d := newDivision(f, g)
	if err := d.findKind(); err != nil {
		return err
	}
	begin, err := d.begin(ctx)
	if err != nil {
		return err
	}
	f.parts = d.between(begin, d.next(begin))
	rows, _, err := f.NumRows(ctx)
	if err != nil {
		return err
	}
	f.Opts.Part = PartOf(g, rows)
	f.Companions.Divide(f.Opts.Part, rows)
	return nil
}

// PartOf returns the part of a peer that has this many rows, without the numbers of queries.
func PartOf(g peers.Group, rows int) *dataset.Part {
	p := &dataset.Part{Peers: g}
	p.FirstRow, p.Rows = sumBefore(g, rows)
	return p
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
	var print fingerprint.Sum
	piece := make([]byte, length)
	for number := range pieces {
		n, _ := in.ReadAt(piece, size/pieces*int64(number))
		print.Bytes(number, piece[:n])
	}
	return append(words, size, int64(print[0]), int64(print[1]))
}

// division finds the boundaries of one peer's part. Places are numbers of bytes before them, in all files one
// after the other and without what the files skip.
type division struct {
	*File
	group peers.Group
	files []int64 // where each file begins, and where the last one ends
}

func newDivision(f *File, g peers.Group) *division {
	d := &division{File: f, group: g, files: []int64{0}}
	for i, p := range f.parts {
		d.files = append(d.files, d.files[i]+max(0, p.in.Size()-p.skip))
	}
	return d
}

// end returns the place after all bytes.
func (d *division) end() int64 { return d.files[len(d.parts)] }

// file returns the number of the file that has the byte at a place.
func (d *division) file(at int64) int {
	after, _ := slices.BinarySearch(d.files, at+1)
	return after - 1
}

// mark returns where the bytes of a peer begin if each peer gets about the same number. Its part begins after
// the next line end, and the part of rank 0 at 0.
func (d *division) mark(rank int) int64 {
	if rank == d.group.Size() {
		return d.end()
	}
	return d.end() / int64(d.group.Size()) * int64(rank)
}

// next returns where the next peer's part begins, given where this peer's begins.
func (d *division) next(begin int64) int64 {
	all := make([]int64, d.group.Size()+1)
	d.group.AllGather(all[:d.group.Size()], []int64{begin})
	all[d.group.Size()] = d.end()
	return all[d.group.Rank()+1]
}

// findKind finds whether the rows have query ids, by the first one.
func (d *division) findKind() error {
	_, err := d.find(0, func(row *Row) bool {
		d.Opts.first = &run{id: string(row.Query), has: row.Query != nil, line: row.Line, column: row.QueryColumn}
		return true
	})
	return err
}

// begin returns where this peer's part begins.
func (d *division) begin(ctx context.Context) (int64, error) {
	line, err := d.line()
	hasIDs := d.Opts.first != nil && d.Opts.first.has
	switch {
	case err != nil || d.group.Rank() == 0 && hasIDs:
		return line, err
	case hasIDs:
		return d.query(line)
	case d.Companions.HasQueries():
		return d.counted(ctx, line)
	}
	return line, nil
}

// line returns the first line after this peer's mark.
func (d *division) line() (int64, error) {
	mark := d.mark(d.group.Rank())
	inside, err := d.inside(mark)
	if err != nil || d.group.Rank() == 0 || mark == d.end() {
		return mark, err
	}
	n, err := d.lines.length(d.section(mark, d.files[d.file(mark)+1]).bytes(), inside)
	return mark + n, err
}

// length returns the number of bytes up to and including a line end that is not within quotes, or of all
// bytes. inside is true if the text begins within quotes.
func (l Lines) length(r io.Reader, inside bool) (n int64, err error) {
	err = pieces(r, func(piece []byte) bool {
		end := 0
		if end, inside = l.NextEnd(piece, 0, inside); end >= 0 {
			n += int64(end) + 1
			return false
		}
		n += int64(len(piece))
		return true
	})
	return n, err
}

// pieces calls do for the bytes of r, piece by piece, until it returns false.
func pieces(r io.Reader, do func(piece []byte) bool) error {
	piece := make([]byte, 1<<16)
	for {
		n, err := r.Read(piece)
		if !do(piece[:n]) || err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// inside reports whether this peer's mark is within quotes. It is a collective if text may have quotes. Each
// peer counts quotes up to the next mark, from the beginning of the file that has this mark.
func (d *division) inside(mark int64) (bool, error) {
	if !d.lines.Quotes {
		return false, nil
	}
	next := d.mark(d.group.Rank() + 1)
	quotes, err := d.quotes(max(mark, d.files[d.file(next)]), next)
	if err != nil {
		return false, err
	}
	all, before := make([]int64, d.group.Size()), int64(0)
	d.group.AllGather(all, []int64{quotes})
	for rank := range d.group.Rank() {
		if d.mark(rank+1) > d.files[d.file(mark)] { // these quotes are in the file of this peer's mark
			before += all[rank]
		}
	}
	return before%2 == 1, nil
}

// quotes counts the quotes between two places in a file.
func (d *division) quotes(from, to int64) (n int64, err error) {
	if from == to {
		return 0, nil
	}
	err = pieces(d.section(from, to).bytes(), func(piece []byte) bool {
		n += int64(bytes.Count(piece, quote))
		return true
	})
	return n, err
}

// query returns the end of the query of the first row at or after a line.
func (d *division) query(line int64) (int64, error) {
	var id []byte
	return d.find(line, func(row *Row) bool {
		if id == nil {
			id = append([]byte{}, row.Query...)
		}
		return !bytes.Equal(row.Query, id)
	})
}

// counted returns the beginning of the first query at or after a line, by the
// companion .query. It is a collective.
func (d *division) counted(ctx context.Context, line int64) (int64, error) {
	f := *d.File
	f.parts = d.between(line, d.next(line))
	rows, _, err := f.NumRows(ctx)
	if err != nil {
		return 0, err
	}
	before, _ := sumBefore(d.group, rows)
	first, err := d.Companions.QueryFrom(before)
	if err != nil || first <= before {
		return line, err
	}
	return d.find(line, func(*Row) bool {
		before++
		return before > first
	})
}

// find returns where the first row at or after a line begins that stop accepts, or the end of all bytes. The
// parser has read the beginning of the row.
func (d *division) find(line int64, stop func(row *Row) bool) (int64, error) {
	const blockSize = 1 << 15
	parser := d.newParser()
	for at := line; at < d.end(); at = d.files[d.file(at)+1] {
		p := d.section(at, d.files[d.file(at)+1])
		s, err := newSequence(p, d.lines, blockSize, func(int64, int64) {})
		if err != nil {
			return 0, err
		}
		row, err := d.findIn(s, parser, stop)
		s.close()
		if err != io.EOF {
			return at + row, p.inFile(err)
		}
	}
	return d.end(), nil
}

// findIn is find in a sequence of blocks. It returns io.EOF if stop accepts no row.
func (d *division) findIn(s *sequence, parser Parser, stop func(row *Row) bool) (int64, error) {
	var b Text
	for at := int64(0); ; at += int64(b.Size) {
		if err := s.next(&b); err != nil {
			return 0, err
		}
		parser.Open(&b)
		for n := 0; parser.Next(); n++ {
			if err := parser.Begin(); err != nil {
				return 0, err
			}
			if stop(parser.Row()) {
				return at + int64(d.lines.rowAt(b.Bytes[:b.Size], n)), nil
			}
			if err := parser.Skip(); err != nil {
				return 0, err
			}
		}
	}
}

// rowAt returns where row n of some lines begins.
func (l Lines) rowAt(text []byte, n int) (at int) {
	for {
		if l.IsRow(text[at:]) {
			if n == 0 {
				return at
			}
			n--
		}
		end, _ := l.NextEnd(text, at, false)
		if end < 0 {
			return len(text)
		}
		at = end + 1
	}
}

// section returns the bytes between two places in a file.
func (d *division) section(from, to int64) *part {
	i := d.file(from)
	p := d.parts[i]
	begin := p.skip + from - d.files[i]
	return &part{in: p.in.Section(begin, begin+to-from), firstLine: 1, before: begin, whole: p.in}
}

// bytes reads the bytes of a section.
func (p *part) bytes() io.Reader { return io.NewSectionReader(p.in, 0, p.in.Size()) }

// between returns the bytes between two places, as a part for each file.
func (d *division) between(from, to int64) (own []*part) {
	for from < to {
		end := min(to, d.files[d.file(from)+1])
		own = append(own, d.section(from, end))
		from = end
	}
	return own
}

// inFile changes the line in an error from a line of the section to a line of the file.
func (p *part) inFile(err error) error {
	var e *dataset.Error
	if p.before == 0 || !errors.As(err, &e) || e.Line == 0 || e.Path != p.in.Name() {
		return err
	}
	_ = pieces(io.NewSectionReader(p.whole, 0, p.before), func(piece []byte) bool { // err is reported already
		e.Line += bytes.Count(piece, newline)
		return true
	})
	return err
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
