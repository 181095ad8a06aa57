// Package group collects the documents of each query from rows in any order, in
// bounded memory.
//
// Rows are read once where the rows of each query follow each other. As soon as a
// query comes back, reading starts again and rows are sorted: as many as
// [Options.Memory] holds at a time, each time into a temporary file, which are
// merged at the end. The file has no name while it is in use, so nothing is left
// of it however the program ends.
//
// Either way queries come in the order of their first rows and documents in the
// order of theirs, so that no result depends on which way was taken.
//
// Memory is that of the largest query, some rows on the way and, for each query, 8
// to 16 bytes and while sorting its id; the sort takes [Options.Memory] besides.
package group

import (
	"context"
	"errors"
	"hash/maphash"

	"github.com/lambdamart/lambdamart/metric"
)

// Rows are consecutive rows. All slices have one entry a row.
type Rows struct {
	Query  []string // ids; the texts may be kept
	Labels []float64
	Scores []float64 // NaN: judged, but not ranked
	Docs   []string  // ids; nil where there are none; the texts may be kept
}

// Source reads all rows and calls emit for them in their order. It may be called
// twice.
type Source func(ctx context.Context, emit func(Rows) error) error

// Sink takes lists of queries. What it needs of them it copies.
type Sink interface {
	// Reset forgets all lists.
	Reset()
	Add(lists ...metric.List) error
}

// Options bound the memory of the sort.
type Options struct {
	Memory int64  // bytes; below 1: DefaultMemory
	Folder string // for the temporary file; empty: os.TempDir
}

// DefaultMemory is the memory of the sort in bytes, enough for 13 million rows
// without document ids.
const DefaultMemory = 512 << 20

// Stats tell what was found.
type Stats struct {
	Rows    int
	Queries int
	Sorted  bool  // a query came back
	Stored  int64 // bytes in the temporary file
}

// errReturns says that a query came back.
var errReturns = errors.New("a query came back")

// Queries makes one list of the rows of each query and hands them to the sink.
func Queries(ctx context.Context, src Source, opts Options, sink Sink) (Stats, error) {
	s := stream{lists: lists{sink: sink}, ended: map[uint64]struct{}{}, seed: maphash.MakeSeed()}
	sink.Reset()
	err := src(ctx, s.add)
	if errors.Is(err, errReturns) {
		sink.Reset()
		return sorted(ctx, src, opts, sink)
	}
	if err == nil {
		err = s.lists.flush()
	}
	return Stats{Rows: s.lists.rows, Queries: s.lists.queries}, err
}

// stream makes lists of rows of which each query's follow each other.
type stream struct {
	lists lists
	seed  maphash.Seed
	// ended has a hash of each query that began. Two queries of one hash make rows
	// be sorted in vain.
	ended map[uint64]struct{}
}

func (s *stream) add(rows Rows) error {
	for from, to := 0, 0; from < len(rows.Query); from = to {
		id := rows.Query[from]
		for to = from + 1; to < len(rows.Query) && rows.Query[to] == id; to++ {
		}
		if !s.lists.open || id != s.lists.id {
			if err := s.begin(id); err != nil {
				return err
			}
		}
		var docs []string
		if rows.Docs != nil {
			docs = rows.Docs[from:to]
		}
		s.lists.add(rows.Labels[from:to], rows.Scores[from:to], docs)
	}
	return nil
}

func (s *stream) begin(id string) error {
	hash := maphash.String(s.seed, id)
	if _, returns := s.ended[hash]; returns {
		return errReturns
	}
	s.ended[hash] = struct{}{}
	return s.lists.begin(id)
}
