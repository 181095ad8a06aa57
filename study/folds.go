package study

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/random"
)

// Folds says for each query of a data set to which fold it belongs.
type Folds struct {
	Names []string // of the folds: "1", "2", … if they were drawn
	Of    []int    // fold of each query, a place in Names
}

// ErrFolds is wrapped by the errors about folds that cannot be used.
var ErrFolds = errors.New("these folds cannot be used")

// DrawFolds divides the queries of m into n folds at random. Queries of one id are in one fold. Folds have
// about the same number of queries, and of queries without pairs, from which nothing is learned: each kind
// is dealt out in an order of hashes of the seed and the query's number.
func DrawFolds(m *dataset.Meta, n int, seed uint64) (Folds, error) {
	groups := queriesByID(m)
	switch {
	case n < 2:
		return Folds{}, fmt.Errorf("%w: %d of them; there must be at least 2", ErrFolds, n)
	case len(groups) < n:
		return Folds{}, fmt.Errorf("%w: %d folds of %d queries; take fewer folds, at least 2", ErrFolds, n,
			len(groups))
	}
	key := random.New(seed, random.Fold, 0)
	slices.SortFunc(groups, func(a, b []int) int {
		return cmp.Or(-compareBool(hasPairs(m, a), hasPairs(m, b)), cmp.Compare(key.Uint64(a[0]), key.Uint64(b[0])),
			cmp.Compare(a[0], b[0]))
	})
	f := Folds{Of: make([]int, len(m.Queries))}
	for fold := range n {
		f.Names = append(f.Names, strconv.Itoa(fold+1))
	}
	for i, group := range groups {
		for _, query := range group {
			f.Of[query] = i % n
		}
	}
	return f, f.check(m)
}

// queriesByID returns the numbers of the queries of each id, in the order of their first ones.
func queriesByID(m *dataset.Meta) (groups [][]int) {
	place := map[string]int{}
	for number, q := range m.Queries {
		at, known := place[q.ID]
		if !known {
			at = len(groups)
			place[q.ID], groups = at, append(groups, nil)
		}
		groups[at] = append(groups[at], number)
	}
	return groups
}

// hasPairs reports whether one of the queries has documents of different labels.
func hasPairs(m *dataset.Meta, queries []int) bool {
	return slices.ContainsFunc(queries, m.HasPairs)
}

// compareBool orders false before true.
func compareBool(a, b bool) int {
	number := map[bool]int{true: 1}
	return number[a] - number[b]
}

// Queries returns the numbers of the queries in a fold, and of all others, ascending.
func (f *Folds) Queries(fold int) (in, out []int) {
	for query, of := range f.Of {
		if of == fold {
			in = append(in, query)
		} else {
			out = append(out, query)
		}
	}
	return in, out
}

// check returns an error, which wraps [ErrFolds], if the folds are not of m's queries, if a query id is
// in two folds, or if a fold has no query from which something can be learned.
func (f *Folds) check(m *dataset.Meta) error {
	if len(f.Of) != len(m.Queries) {
		return fmt.Errorf("%w: they are of %d queries, and the data has %d", ErrFolds, len(f.Of), len(m.Queries))
	}
	if len(f.Names) < 2 {
		return fmt.Errorf("%w: there must be at least 2, and all %d queries are in fold %q", ErrFolds, len(f.Of),
			slices.Concat(f.Names, []string{""})[0])
	}
	if err := f.checkIDs(m); err != nil {
		return err
	}
	for fold, name := range f.Names {
		in, _ := f.Queries(fold)
		if len(in) == 0 {
			return fmt.Errorf("%w: fold %s has no query", ErrFolds, name)
		}
		if !hasPairs(m, in) {
			return fmt.Errorf("%w: in none of the %d queries of fold %s is a document more relevant than another, "+
				"so nothing can be judged by it; take fewer folds, or others",
				ErrFolds, len(in), name)
		}
	}
	return nil
}

// checkIDs returns an error if queries of one id are in several folds: some would be trained on when
// others are judged.
func (f *Folds) checkIDs(m *dataset.Meta) error {
	of := map[string]int{}
	for number, q := range m.Queries {
		fold, known := of[q.ID]
		if known && fold != f.Of[number] {
			return fmt.Errorf("%w: query %s is in the folds %s and %s; queries to validate on must not be trained on",
				ErrFolds, q.ID, f.Names[fold], f.Names[f.Of[number]])
		}
		of[q.ID] = f.Of[number]
	}
	return nil
}

// named makes folds of the name of each query's fold. Names that are integers are in the order of
// numbers, others in that of texts.
func named(of []string) Folds {
	f := Folds{Of: make([]int, len(of)), Names: slices.Compact(slices.Sorted(slices.Values(of)))}
	slices.SortStableFunc(f.Names, func(a, b string) int {
		x, errX := strconv.Atoi(a)
		y, errY := strconv.Atoi(b)
		if errX != nil || errY != nil {
			return 0
		}
		return cmp.Compare(x, y)
	})
	for query, name := range of {
		f.Of[query] = slices.Index(f.Names, name)
	}
	return f
}
