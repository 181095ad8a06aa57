package data

import (
	"context"
	"errors"
	"math"
	"sort"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data/internal/table"
)

// ErrQueryIDs means that a feature is the id of the query, as far as the data shows. A model would learn
// from it which query a document is in, which means nothing for other queries.
var ErrQueryIDs = errors.New("the column has one whole number in each query and another one in every " +
	"query, as query ids have; give group_column=name:NAME or ignore_column=name:NAME with its name, or " +
	"group_column=" + table.NoColumn + " if it is a feature")

// leastIDs is the smallest number of queries for which different numbers in all of them are no coincidence.
const leastIDs = 20

// checkIDs returns an error if a feature of a table whose queries are in a .query file has the ids of
// the queries. It reads the values of the few features whose bins are constant within each query.
func (l *Loader) checkIDs(ctx context.Context, s *Set, src *File) error {
	if src.table == nil || l.opts.Query != "" || src.table.GuessedQuery ||
		s.Meta.Part.Group().SumOf(len(s.Meta.Queries)) < leastIDs {
		return nil
	}
	suspects := s.constantInQueries()
	if len(suspects) == 0 {
		return nil
	}
	ids, err := readEnds(ctx, s.Meta, src, suspects)
	if err != nil {
		return err
	}
	for i, f := range suspects {
		if ids[i].areIDs(s.Meta.Part) {
			return &dataset.Error{Path: s.Path, Field: s.Meta.Features[f], Err: ErrQueryIDs}
		}
	}
	return nil
}

// constantInQueries returns the numbers of the features that have one bin in each query of all peers.
func (s *Set) constantInQueries() []int32 {
	varies := make([]int64, len(s.Bins.Columns))
	for column := range varies {
		if !s.constant(int32(column)) {
			varies[column] = 1
		}
	}
	s.Meta.Part.Group().Sum(varies)
	var features []int32
	for column, f := range s.Bins.Columns {
		if varies[column] == 0 {
			features = append(features, f)
		}
	}
	return features
}

func (s *Set) constant(column int32) bool {
	for _, q := range s.Meta.Queries {
		bin := s.Bins.At(int32(q.First), column)
		for row := q.First + 1; row < q.First+q.Len; row++ {
			if s.Bins.At(int32(row), column) != bin {
				return false
			}
		}
	}
	return true
}

// ends are the values of a feature in the first and in the last row of each query.
type ends struct{ first, last []float64 }

// readEnds reads the values of some features at the ends of the queries.
func readEnds(ctx context.Context, meta *dataset.Meta, src dataset.Source, features []int32) ([]ends, error) {
	n := len(meta.Queries)
	all, place := make([]ends, len(features)), map[int32]int{}
	for i, f := range features {
		all[i], place[f] = ends{make([]float64, n), make([]float64, n)}, i
	}
	queryOf := func(row int) (query int, isFirst, isLast bool) {
		query = sort.Search(n, func(i int) bool { return meta.Queries[i].First > row }) - 1
		q := meta.Queries[query]
		return query, row == q.First, row == q.First+q.Len-1
	}
	isEnd := func(row int) bool {
		_, isFirst, isLast := queryOf(row)
		return isFirst || isLast
	}
	_, err := dataset.Scan(ctx, src, isEnd, func(_ int, row dataset.Row) error {
		query, isFirst, isLast := queryOf(row.Number)
		for i, f := range row.Feature { // each value has a place of its own
			at, wanted := place[f]
			if wanted && isFirst {
				all[at].first[query] = row.Value[i]
			}
			if wanted && isLast {
				all[at].last[query] = row.Value[i]
			}
		}
		return nil
	})
	return all, err
}

// areIDs reports whether each query of all peers has a single whole number, and no two queries the same one.
func (e ends) areIDs(part *dataset.Part) bool {
	g := part.Group()
	words := make([]int64, len(e.first))
	other := false
	for n, v := range e.first {
		other = other || v != math.Trunc(v) || v != e.last[n]
		words[n] = int64(math.Float64bits(v + 0)) // not -0
	}
	if g.Any(other) {
		return false
	}
	seen := map[int64]bool{}
	for _, words := range g.Gather(words) {
		for _, word := range words {
			if seen[word] {
				return false
			}
			seen[word] = true
		}
	}
	return true
}
