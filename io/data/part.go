package data

import (
	"context"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/io/data/internal/rows"
	"github.com/lambdamart/lambdamart/peers"
)

// Peers share data by whole queries. Each reads its own part of the files that all of them see. Text is
// divided at boundaries of queries into parts of about the same number of bytes, and Parquet into parts of
// about the same number of rows.

// Errors about data that peers share.
var (
	// ErrUndivided means that data of this form cannot be divided among ranks.
	ErrUndivided = rows.ErrUndivided
	// ErrUnequal means that peers do not see the same file.
	ErrUnequal = rows.ErrUnequal
)

// SameFile returns an error unless all peers see the same file at path, as far as its size and some pieces
// show.
func SameFile(path string, g peers.Group) error {
	if g.Size() == 1 {
		return nil
	}
	in, err := stream.Open(path, stream.Options{})
	if err != nil {
		return err
	}
	defer in.Close()
	return rows.SameInputs(in.Name(), []*stream.Input{in}, g)
}

// divisible is data that can become a peer's part of it.
type divisible interface {
	dataset.File
	Divide(ctx context.Context, g peers.Group) error
}

// divide makes a file this peer's part of it.
func (f *File) divide(path string, g peers.Group) error {
	whole, ok := f.File.(divisible)
	if !ok {
		return &dataset.Error{Path: path, Err: ErrUndivided}
	}
	return whole.Divide(context.Background(), g)
}

// divide replaces stored data by this peer's part of it.
func (s *Set) divide(g peers.Group) {
	first, end := shareOut(s.Meta.Queries, g)
	meta := dataset.PartOf(s.Meta, g, first, end)
	meta.Labels, meta.SecondLabels = slices.Clone(meta.Labels), slices.Clone(meta.SecondLabels)
	meta.Weights, meta.InitialScores, meta.Positions = slices.Clone(meta.Weights),
		slices.Clone(meta.InitialScores), slices.Clone(meta.Positions)
	for i := range meta.Queries { // so that the memory of the whole can be released
		meta.Queries[i].ID = strings.Clone(meta.Queries[i].ID)
	}
	row := meta.Part.FirstRow
	s.Meta, s.Bins = meta, s.Bins.Rows(row, row+meta.NumRows())
}

// shareOut returns the queries of this peer, from the first to the one before end, if data that has the
// given queries is divided among the peers of a group: each has about as many rows.
func shareOut(queries []dataset.Query, g peers.Group) (first, end int) {
	if len(queries) == 0 {
		return 0, 0
	}
	last := queries[len(queries)-1]
	rows := last.First + last.Len
	begin := func(rank int) int { // the first query that begins at or after the rank's share
		for n, q := range queries {
			if q.First*g.Size() >= rows*rank {
				return n
			}
		}
		return len(queries)
	}
	first, end = begin(g.Rank()), len(queries)
	if g.Rank()+1 < g.Size() {
		end = begin(g.Rank() + 1)
	}
	return first, end
}
