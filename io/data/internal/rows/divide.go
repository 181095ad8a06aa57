package rows

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/fingerprint"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/peers"
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

// place is a byte of one of the files.
type place struct {
	part   int
	offset int64 // after what the part skips
}

// before reports whether p is before other.
func (p place) before(other place) bool {
	return p.part < other.part || p.part == other.part && p.offset < other.offset
}

// Divide reduces the data to this peer's part. It is a collective, called before rows are read.
func (f *File) Divide(ctx context.Context, g peers.Group) error {
	inputs := make([]*stream.Input, len(f.parts))
	for i, p := range f.parts {
		inputs[i] = p.in
	}
	if err := SameInputs(f.Path, inputs, g); err != nil {
		return err
	}
	d := &division{File: f, group: g}
	if err := d.findKind(); err != nil {
		return err
	}
	begin, err := d.begin(ctx)
	if err != nil {
		return err
	}
	f.cut(begin, d.next(begin))
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
	print := fingerprint.Of(pieces, 1, func(h *fingerprint.Hash, number int) {
		piece := make([]byte, length)
		n, _ := in.ReadAt(piece, size/pieces*int64(number))
		h.Bytes(piece[:n])
	})
	words = append(words, size)
	for _, c := range print {
		words = append(words, int64(c))
	}
	return words
}

// division finds the boundaries of one peer's part.
type division struct {
	*File
	group peers.Group
}

// size returns the number of bytes of a part.
func (p *part) size() int64 { return max(0, p.in.Size()-p.skip) }

// end returns the place after all bytes.
func (d *division) end() place { return place{part: len(d.parts)} }

// share returns where the bytes of a peer begin if each peer gets about the same number.
func (d *division) share(rank int) place {
	total := int64(0)
	for _, p := range d.parts {
		total += p.size()
	}
	at := total / int64(d.group.Size()) * int64(rank)
	for i, p := range d.parts {
		if at < p.size() {
			return place{i, at}
		}
		at -= p.size()
	}
	return d.end()
}

// next returns where the next peer's part begins, given where this peer's begins.
func (d *division) next(begin place) place {
	all := make([]int64, 2*d.group.Size())
	d.group.AllGather(all, []int64{int64(begin.part), begin.offset})
	rank := d.group.Rank() + 1
	if rank == d.group.Size() {
		return d.end()
	}
	return place{int(all[2*rank]), all[2*rank+1]}
}

// findKind finds whether the rows have query ids, by the first one.
func (d *division) findKind() error {
	return d.each(place{}, func(p Parser) bool {
		row := p.Row()
		d.Opts.first = &run{id: string(row.Query), has: row.Query != nil, line: row.Line, column: row.QueryColumn}
		return false
	})
}

// begin returns where this peer's part begins.
func (d *division) begin(ctx context.Context) (place, error) {
	line, err := d.line()
	switch {
	case err != nil || d.group.Rank() == 0 && d.hasIDs():
		return line, err
	case d.hasIDs():
		return d.query(line)
	case d.Companions.HasQueries():
		return d.counted(ctx, line)
	}
	return line, nil
}

func (d *division) hasIDs() bool { return d.Opts.first != nil && d.Opts.first.has }

// line returns the first line of this peer's bytes.
func (d *division) line() (place, error) {
	at := d.share(d.group.Rank())
	inside, err := d.inside(at, d.share(d.group.Rank()+1))
	if err != nil || at.part == len(d.parts) || at.offset == 0 {
		return at, err
	}
	p := d.parts[at.part]
	var last [1]byte
	if _, err := p.in.ReadAt(last[:], p.skip+at.offset-1); err != nil {
		return place{}, err
	}
	if last[0] == '\n' && !inside {
		return at, nil
	}
	in := io.NewSectionReader(p.in, p.skip+at.offset, p.size()-at.offset)
	length, ended, err := d.lines.length(in, inside)
	switch {
	case err != nil:
		return place{}, err
	case !ended:
		return place{part: at.part + 1}, nil
	}
	return place{at.part, at.offset + length}.in(d.parts), nil
}

// in returns p, or the beginning of the next part if p is the end of a part.
func (p place) in(parts []*part) place {
	if p.offset >= parts[p.part].size() {
		return place{part: p.part + 1}
	}
	return p
}

// length returns the number of bytes up to and including a line end that is not within quotes. inside is true
// if the text begins within quotes.
func (l Lines) length(r io.Reader, inside bool) (n int64, ended bool, err error) {
	block, end := make([]byte, 1<<14), 0
	for {
		size, err := r.Read(block)
		if end, inside = l.nextEnd(block[:size], 0, inside); end >= 0 {
			return n + int64(end) + 1, true, nil
		}
		n += int64(size)
		if err == io.EOF {
			return n, false, nil
		}
		if err != nil {
			return n, false, err
		}
	}
}

// inside reports whether the place where this peer's bytes begin is within quotes. end is where they end. It
// is a collective if text may have quotes.
func (d *division) inside(begin, end place) (bool, error) {
	if !d.lines.Quotes {
		return false, nil
	}
	odd, err := d.oddQuotes(begin, end) // in the file in which the next peer begins
	if err != nil {
		return false, err
	}
	own := []int64{int64(end.part), 0, 0}
	if odd {
		own[1] = 1
	}
	if begin.part < end.part || begin.offset == 0 {
		own[2] = 1 // what earlier peers have counted in that file does not matter
	}
	all := make([]int64, 3*d.group.Size())
	d.group.AllGather(all, own)
	state := int64(0)
	for rank := range d.group.Rank() {
		if all[3*rank+2] == 1 {
			state = 0
		}
		state ^= all[3*rank+1]
	}
	return state == 1, nil
}

// oddQuotes reports whether the bytes from begin to end have an odd number of quotes in the file in which
// they end.
func (d *division) oddQuotes(begin, end place) (odd bool, err error) {
	if begin.part < end.part {
		begin = place{part: end.part}
	}
	if end.part == len(d.parts) || !begin.before(end) {
		return false, nil
	}
	p := d.parts[end.part]
	in, block := io.NewSectionReader(p.in, p.skip+begin.offset, end.offset-begin.offset), make([]byte, 1<<18)
	for {
		n, err := in.Read(block)
		odd = odd != (bytes.Count(block[:n], []byte{'"'})%2 == 1)
		if err == io.EOF {
			return odd, nil
		}
		if err != nil {
			return odd, err
		}
	}
}

// query returns the end of the query of the first row at or after a line.
func (d *division) query(line place) (place, error) {
	var first []byte
	rows := 0
	err := d.each(line, func(p Parser) bool {
		id := p.Row().Query
		if rows == 0 {
			first = append([]byte{}, id...)
		}
		if !bytes.Equal(id, first) {
			return false
		}
		rows++
		return true
	})
	if err != nil {
		return place{}, err
	}
	return d.pass(line, rows)
}

// counted returns the beginning of the first query at or after a line, by the companion .query. It is a
// collective.
func (d *division) counted(ctx context.Context, line place) (place, error) {
	f := *d.File
	f.cut(line, d.next(line))
	rows, _, err := f.NumRows(ctx)
	if err != nil {
		return place{}, err
	}
	before, _ := sumBefore(d.group, rows)
	first, err := d.Companions.QueryFrom(before)
	if err != nil {
		return place{}, err
	}
	return d.pass(line, max(0, first-before))
}

// each calls do for the rows from a line on, after the parser has read the beginning of each, until do
// returns false.
func (d *division) each(from place, do func(p Parser) bool) error {
	parser := d.newParser()
	return d.blocks(from, func(_ place, b *Text) (more bool, err error) {
		parser.Open(b)
		for parser.Next() {
			if err := parser.Begin(); err != nil {
				return false, err
			}
			if !do(parser) {
				return false, nil
			}
			if err := parser.Skip(); err != nil {
				return false, err
			}
		}
		return true, nil
	})
}

// pass returns the line of the row that comes n rows after the first one at or after a line.
func (d *division) pass(from place, n int) (end place, err error) {
	end = d.end()
	if n == 0 {
		return from, nil
	}
	err = d.blocks(from, func(at place, b *Text) (more bool, err error) {
		for text := b.Bytes[:b.Size]; len(text) > 0; {
			if d.lines.Opening(text) == OpensRow {
				if n == 0 {
					end = at
					return false, nil
				}
				n--
			}
			length, _ := d.lines.nextEnd(text, 0, false)
			if length++; length == 0 {
				length = len(text)
			}
			at.offset += int64(length)
			text = text[length:]
		}
		return true, nil
	})
	return end, err
}

// blocks calls do for the blocks of lines from a line on, with the places where they begin, until do returns
// false.
func (d *division) blocks(from place, do func(at place, b *Text) (more bool, err error)) error {
	const blockSize = 1 << 15
	var b Text
	for ; from.part < len(d.parts); from = (place{part: from.part + 1}) {
		p := d.parts[from.part].section(from.offset, d.parts[from.part].size())
		s, err := newSequence(p, 0, d.lines, blockSize, func(int64, int64) {})
		if err != nil {
			return err
		}
		for more := true; more; from.offset += int64(b.Size) {
			if err = s.next(&b); err == nil {
				more, err = do(from, &b)
			}
			if err == io.EOF {
				break
			}
			if err != nil || !more {
				s.close()
				return p.inFile(err)
			}
		}
		s.close()
	}
	return nil
}

// section returns the bytes of a part from first to end-1, counted after the bytes that it skips.
func (p *part) section(first, end int64) *part {
	return &part{in: p.in.Section(p.skip+first, p.skip+end), firstLine: 1, before: p.skip + first, whole: p.in}
}

// cut reduces the files to the bytes between two places.
func (f *File) cut(begin, end place) {
	var own []*part
	for i, p := range f.parts {
		from, to := int64(0), p.size()
		if i == begin.part {
			from = begin.offset
		}
		if i == end.part {
			to = end.offset
		}
		if i >= begin.part && i <= end.part && from < to {
			own = append(own, p.section(from, to))
		}
	}
	f.parts = own
}

// inFile changes the line in an error from a line of the section to a line of the file.
func (p *part) inFile(err error) error {
	var e *dataset.Error
	if p.before == 0 || !errors.As(err, &e) || e.Line == 0 || e.Path != p.in.Name() {
		return err
	}
	in, block := io.NewSectionReader(p.whole, 0, p.before), make([]byte, 1<<16)
	for {
		n, failed := in.Read(block)
		e.Line += bytes.Count(block[:n], newline)
		if failed != nil {
			return err
		}
	}
}
