// Package group collects the documents of each query from rows in any order.
//
// If the rows of each query are consecutive, they are read once. As soon as a query reappears after another
// one, reading starts again, and rows are sorted by query in memory.
//
// In both cases queries are in the order of their first rows, and the documents of a query in the order of
// their rows, so results do not depend on which case applies.
//
// Memory holds the largest query, about flushRows rows and, for each query, 8 to 16 bytes. The sort holds all
// rows: 40 bytes for each, its document id, and 32 bytes with that.
package group

import (
	"context"
	"errors"
	"hash/maphash"

	"github.com/lambdamart/lambdamart/metric"
)

// Rows are consecutive rows. All slices have one entry a row. They are read-only and valid only until the
// call returns; the texts in them may be kept.
type Rows struct {
	Query  []string // ids
	Labels []float64
	Scores []float64 // NaN: judged, but not ranked
	Docs   []string  // ids; nil if there are none
}

// Source reads all rows and calls emit for them in order. It may be called twice. It returns an error of emit
// unchanged.
type Source func(ctx context.Context, emit func(Rows) error) error

// Sink receives the lists of queries. The slices of a list are valid only during the call: a sink copies what
// it keeps.
type Sink interface {
	// Reset discards all lists: reading begins, or begins again.
	Reset()
	Add(lists ...metric.List) error
}

// Stats describes what was found.
type Stats struct {
	Rows    int
	Queries int
	Sorted  bool // a query reappeared after another one
}

// errReturns means that a query reappeared after another one.
var errReturns = errors.New("a query came back")

// Queries makes one list of the rows of each query and passes the lists to the sink.
func Queries(ctx context.Context, src Source, sink Sink) (Stats, error) {
	s := streamed{lists: lists{sink: sink}, begun: map[uint64]struct{}{}, seed: maphash.MakeSeed()}
	sink.Reset()
	err := src(ctx, s.add)
	if errors.Is(err, errReturns) {
		sink.Reset()
		return sorted(ctx, src, sink)
	}
	if err == nil {
		err = s.lists.flush()
	}
	return Stats{Rows: s.lists.rows, Queries: s.lists.queries}, err
}

// streamed makes lists as long as the rows of each query are consecutive.
type streamed struct {
	lists lists
	seed  maphash.Seed
	// begun has a hash of each query that has begun, which takes less memory than its id. If two queries have
	// the same hash, rows are sorted although they need not be.
	begun map[uint64]struct{}
}

func (s *streamed) add(rows Rows) error {
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

func (s *streamed) begin(id string) error {
	hash := maphash.String(s.seed, id)
	if _, returns := s.begun[hash]; returns {
		return errReturns
	}
	s.begun[hash] = struct{}{}
	return s.lists.begin(id)
}
