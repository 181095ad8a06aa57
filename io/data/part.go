package data

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/fingerprint"
	"github.com/lambdamart/lambdamart/io/data/internal/rows"
	"github.com/lambdamart/lambdamart/io/data/letor"
	"github.com/lambdamart/lambdamart/io/stream"
	"github.com/lambdamart/lambdamart/ranks"
)

// Ranks share data by whole queries. Each reads its own part of a file that all of them see: of text, the
// lines between two boundaries of queries, which lie where the bytes are divided about equally.

// Errors about data that ranks share.
var (
	// ErrUndivided says that data of this form cannot be divided among ranks.
	ErrUndivided = errors.New("several ranks can share LETOR text that is not compressed, and data that lambdamart bin has stored; decompress it, or bin it first")
	// ErrUnequal says that ranks do not see the same file.
	ErrUnequal = errors.New("the ranks do not see the same file; put it where all machines see it, or copy it to each")
	// ErrWithRanks is wrapped by errors about what one process can load, and several ranks cannot.
	ErrWithRanks = errors.New("that needs one process, and there are several ranks")
)

// part is this rank's part of a file.
type part struct {
	dataset.File
	path  string
	group ranks.Group
	place dataset.Part
	rows  int   // of this part
	begin int64 // byte of the file at which the part begins
	seen  bool  // query ids were compared with those of other ranks
}

var _ dataset.Parted = (*File)(nil)

// Part implements [dataset.Parted].
func (f *File) Part() *dataset.Part {
	if p, ok := f.File.(*part); ok {
		return &p.place
	}
	return nil
}

// openPart opens this rank's part of the data at path.
func openPart(path string, o Options) (*File, error) {
	if err := checkCompanions(path); err != nil {
		return nil, err
	}
	in, err := stream.Open(path, stream.Options{})
	if err != nil {
		return nil, err
	}
	f, err := o.openPart(path, in, o.Ranks)
	if err != nil {
		in.Close()
		return nil, err
	}
	return f, nil
}

func (o *Options) openPart(path string, in *stream.Input, g ranks.Group) (*File, error) {
	form, err := o.Format.Of(path, in)
	if err != nil {
		return nil, err
	}
	if path == "-" || form.IsTable() || !in.Seekable() {
		return nil, fmt.Errorf("%s: %w", path, ErrUndivided)
	}
	if err := sameFile(in, g); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	begin, err := boundary(in, g.Rank(), g.Size())
	if err != nil {
		return nil, err
	}
	end, err := boundary(in, g.Rank()+1, g.Size())
	if err != nil {
		return nil, err
	}
	own := *o
	own.Format = form
	f, err := own.open(path, in.Section(begin, end))
	if err != nil {
		return nil, err
	}
	p := &part{File: f.File, path: path, group: g, begin: begin, place: dataset.Part{Ranks: g}}
	if p.rows, _, err = f.File.NumRows(context.Background()); err != nil {
		return nil, err
	}
	p.place.FirstRow, p.place.Rows = ranks.Before(g, p.rows)
	f.File = p
	return f, nil
}

// boundary returns where the part of a rank begins.
func boundary(in *stream.Input, rank, size int) (int64, error) {
	if rank == size {
		return in.Size(), nil
	}
	return letor.Boundary(in, in.Size()/int64(size)*int64(rank))
}

// sameFile returns an error unless all ranks see the same file, as far as its size and some pieces show.
func sameFile(in *stream.Input, g ranks.Group) error {
	const pieces, length = 16, 1 << 12
	print := fingerprint.Of(pieces, 1, func(h *fingerprint.Hash, number int) {
		piece := make([]byte, length)
		n, _ := in.ReadAt(piece, in.Size()/pieces*int64(number))
		h.Bytes(piece[:n])
	})
	words := []int64{in.Size()}
	for _, c := range print {
		words = append(words, int64(c))
	}
	if !ranks.Same(g, words) {
		return ErrUnequal
	}
	return nil
}

// Scan implements [dataset.Source]. Its numbers of rows are those of the part.
func (p *part) Scan(ctx context.Context, keep func(row int) bool, visit func(worker int, row dataset.Row) error) (*dataset.Meta, error) {
	meta, err := &dataset.Meta{}, error(nil)
	if p.rows > 0 {
		meta, err = p.File.Scan(ctx, keep, visit)
	}
	if err != nil {
		return nil, p.inFile(err)
	}
	if meta.Features = dataset.ColumnNames(ranks.MaxOf(p.group, len(meta.Features))); p.place.Rows == 0 {
		return nil, &dataset.Error{Path: p.path, Err: dataset.ErrEmpty}
	}
	if !p.seen {
		if err := p.checkQueries(meta); err != nil {
			return nil, err
		}
		p.seen = true
	}
	place := p.place
	place.FirstQuery, place.Queries = ranks.Before(p.group, len(meta.Queries))
	meta.Part = &place
	return meta, nil
}

// Stream implements [dataset.Streamer]. Its numbers of rows are those of the part.
func (p *part) Stream(ctx context.Context, work func(worker int, b *dataset.Block) error, emit func(b *dataset.Block) error) error {
	switch {
	case p.place.Rows == 0:
		return &dataset.Error{Path: p.path, Err: dataset.ErrEmpty}
	case p.rows == 0:
		return nil
	}
	return p.inFile(p.File.Stream(ctx, work, emit))
}

// inFile makes the line in an error, which is that of the part, one of the file.
func (p *part) inFile(err error) error {
	var e *dataset.Error
	if !errors.As(err, &e) || e.Line == 0 || e.Path != p.path {
		return err
	}
	before := 0
	_ = stream.ReadFile(p.path, func(r io.Reader, _ string) error {
		block := make([]byte, 1<<16)
		for r = io.LimitReader(r, p.begin); ; {
			n, err := r.Read(block)
			if before += bytes.Count(block[:n], []byte{'\n'}); err != nil {
				return err
			}
		}
	})
	e.Line += before
	return err
}

// checkQueries returns an error if a query of this rank comes back in the part of another one.
func (p *part) checkQueries(meta *dataset.Meta) error {
	n, found := dataset.FindElsewhere(p.group, len(meta.Queries), func(n int) string { return meta.Queries[n].ID })
	if found {
		return &dataset.Error{Path: p.path, Token: "qid:" + meta.Queries[n].ID, Err: dataset.ErrQueryReturns, Detail: "its rows are in the parts of several ranks"}
	}
	return nil
}

// checkCompanions refuses what lies beside the data and cannot be divided.
func checkCompanions(path string) error {
	c := rows.CompanionsOf(filepath.Clean(path))
	if there := c.Existing(); len(there) > 0 {
		return fmt.Errorf("%s: %w; bin the data in one process, which stores weights and initial scores with it", strings.Join(there, ", "), ErrWithRanks)
	}
	return nil
}

// divide replaces stored data by this rank's part of it.
func (s *Set) divide(g ranks.Group) {
	first, end := dataset.ShareOut(s.Meta.Queries, g)
	meta := dataset.PartOf(s.Meta, g, first, end)
	meta.Labels, meta.SecondLabels = slices.Clone(meta.Labels), slices.Clone(meta.SecondLabels)
	meta.Weights, meta.InitialScores, meta.Positions = slices.Clone(meta.Weights), slices.Clone(meta.InitialScores), slices.Clone(meta.Positions)
	for i := range meta.Queries { // so that the memory of the whole can be released
		meta.Queries[i].ID = strings.Clone(meta.Queries[i].ID)
	}
	row := meta.Part.FirstRow
	s.Meta, s.Bins = meta, s.Bins.Rows(row, row+meta.NumRows())
}
