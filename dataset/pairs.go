package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
)

// Pair is a preference between two documents of a query, such as from a click on one below the other.
type Pair struct {
	Query         int // index in Meta.Queries
	Better, Worse int // indexes of the documents within the query
	Weight        float64
}

// ComparePairs orders pairs by query, and then by their documents, as in Meta.Pairs.
func ComparePairs(a, b Pair) int {
	return cmp.Or(cmp.Compare(a.Query, b.Query), cmp.Compare(a.Better, b.Better), cmp.Compare(a.Worse, b.Worse))
}

// PairsOf returns the pairs of a query, given by its index.
func (m *Meta) PairsOf(query int) []Pair {
	from := sort.Search(len(m.Pairs), func(i int) bool { return m.Pairs[i].Query >= query })
	to := from + sort.Search(len(m.Pairs)-from, func(i int) bool { return m.Pairs[from+i].Query > query })
	return m.Pairs[from:to]
}

// ErrPairWeights means that sums of the weights of pairs would be infinite.
var ErrPairWeights = errors.New("the weights of all pairs up to this one add up to more than a float64 can " +
	"hold; divide all of them by a common factor")

// checkPairs returns an error for pairs that are not sorted, or not of two documents of a query, and for
// weights that cannot be added up.
func (m *Meta) checkPairs() error {
	if !slices.IsSortedFunc(m.Pairs, ComparePairs) {
		return fmt.Errorf("pairs are not sorted by query, better and worse document")
	}
	sum := 0.0
	for i, p := range m.Pairs {
		if p.Query < 0 || p.Query >= len(m.Queries) {
			return fmt.Errorf("pair %d is of query %d of %d", i, p.Query, len(m.Queries))
		}
		n := m.Queries[p.Query].Len
		if min(p.Better, p.Worse) < 0 || max(p.Better, p.Worse) >= n || p.Better == p.Worse {
			return fmt.Errorf("pair %d has the documents %d and %d of query %q, which has %d; give two of "+
				"them",
				i, p.Better, p.Worse, m.Queries[p.Query].ID, n)
		}
		if !(p.Weight >= 0 && p.Weight <= math.MaxFloat64) {
			return fmt.Errorf("the weight of pair %d is %v; weights are finite and not negative", i, p.Weight)
		}
		if sum += p.Weight; sum > math.MaxFloat64 {
			return fmt.Errorf("the weight of pair %d is %v: %w", i, p.Weight, ErrPairWeights)
		}
	}
	return nil
}

// appendPairs appends the pairs of the queries from index first up to, but without, index end of another
// Meta, of which the first one gets the index at.
func (m *Meta) appendPairs(from *Meta, first, end, at int) {
	if from.Pairs != nil && m.Pairs == nil {
		m.Pairs = []Pair{}
	}
	for query := first; query < end; query++ {
		for _, p := range from.PairsOf(query) {
			p.Query += at - first
			m.Pairs = append(m.Pairs, p)
		}
	}
}
