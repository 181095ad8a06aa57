package study

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/wording"
)

// Folds assigns each query of a data set to a fold.
type Folds struct {
	Names []string // of the folds: "1", "2", … if they were drawn
	Of    []int    // fold of each query, an index into Names
}

// ErrFolds is wrapped by errors about invalid folds.
var ErrFolds = errors.New("these folds cannot be used")

// DrawFolds divides the queries of m into n folds at random. Queries with the same id are in one fold. Folds
// have about the same number of queries, and about the same number of queries without pairs, from which
// nothing is learned: the queries of each kind are dealt out in the order of hashes of the seed and the
// query's index.
func DrawFolds(m *dataset.Meta, n int, seed uint64) (Folds, error) {
	groups := queriesByID(m)
	switch {
	case n < 2:
		return Folds{}, fmt.Errorf("%w: %d of them; there must be at least 2", ErrFolds, n)
	case len(groups) < n:
		return Folds{}, fmt.Errorf("%w: %s of %s; take fewer folds, at least 2", ErrFolds, wording.Count(n, "fold"),
			wording.Count(len(groups), "query"))
	}
	key := random.New(seed, random.Fold, 0)
	kind := func(group []int) int {
		if hasPairs(m, group) {
			return 0
		}
		return 1
	}
	slices.SortFunc(groups, func(a, b []int) int {
		return cmp.Or(cmp.Compare(kind(a), kind(b)), cmp.Compare(key.Uint64(a[0]), key.Uint64(b[0])),
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

// queriesByID returns the indexes of the queries with each id, in the order of their first occurrences.
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

// hasPairs reports whether one of the queries has documents with different labels.
func hasPairs(m *dataset.Meta, queries []int) bool {
	return slices.ContainsFunc(queries, m.HasPairs)
}

// queries returns the indexes of the queries in a fold and of all others, both ascending.
func (f *Folds) queries(fold int) (in, out []int) {
	for query, of := range f.Of {
		if of == fold {
			in = append(in, query)
		} else {
			out = append(out, query)
		}
	}
	return in, out
}

// check returns an error, which wraps [ErrFolds], if the folds do not belong to the queries of m, if a query
// id is in two folds, or if nothing can be learned from the queries of a fold.
func (f *Folds) check(m *dataset.Meta) error {
	if len(f.Of) != len(m.Queries) {
		return fmt.Errorf("%w: they are of %s, and the data has %s", ErrFolds, wording.Count(len(f.Of), "query"),
			wording.Thousands(len(m.Queries)))
	}
	if len(f.Names) < 2 {
		return fmt.Errorf("%w: there must be at least 2, and all %s are in fold %q", ErrFolds,
			wording.Count(len(f.Of), "query"), slices.Concat(f.Names, []string{""})[0])
	}
	if err := f.checkIDs(m); err != nil {
		return err
	}
	for fold, name := range f.Names {
		in, _ := f.queries(fold)
		if len(in) == 0 {
			return fmt.Errorf("%w: fold %s has no query", ErrFolds, name)
		}
		if !hasPairs(m, in) {
			return fmt.Errorf("%w: fold %s has %s, and in none do the grades of documents "+
				"differ, so the fold cannot judge a model; take fewer folds, or others",
				ErrFolds, name, wording.Count(len(in), "query"))
		}
	}
	return nil
}

// checkIDs returns an error if queries with the same id are in several folds, because a model would be
// evaluated on a query that it was trained on.
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

// named returns folds from the fold name of each query. Integer names are in numeric order, other names in
// lexical order.
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

// ReadFolds reads the folds of the queries of m. The text has either a line with the name of the fold for
// each query, in the order of the data, or a line with a query id and the name of its fold for each id, in
// any order. Text after # and blank lines are ignored. name is the file name for errors, which also contain
// the line number.
func ReadFolds(r io.Reader, name string, m *dataset.Meta) (Folds, error) {
	lines, err := foldLines(r, name)
	if err != nil {
		return Folds{}, err
	}
	var of []string
	if len(lines) > 0 && len(lines[0].words) == 2 {
		of, err = foldsByID(lines, name, m)
	} else {
		of, err = foldsInOrder(lines, name, m)
	}
	if err != nil {
		return Folds{}, err
	}
	f := named(of)
	if err := f.check(m); err != nil {
		return Folds{}, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// foldLine is a line of a file of folds.
type foldLine struct {
	number int // from 1
	words  []string
}

// foldLines returns the lines that are not blank. All have one word, or all have two.
func foldLines(r io.Reader, name string) (lines []foldLine, err error) {
	scanner := bufio.NewScanner(stream.WithoutMark(r))
	for number := 1; scanner.Scan(); number++ {
		text, _, _ := strings.Cut(scanner.Text(), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		if strings.HasPrefix(text, stream.Mark) {
			return nil, fmt.Errorf("%s:%d: %q: %w: %w", name, number, text, ErrFolds, stream.ErrMark)
		}
		if len(words) > 2 || len(lines) > 0 && len(words) != len(lines[0].words) {
			return nil, fmt.Errorf("%s:%d: %q: %w: a line has the name of a fold, or each a query id and the name "+
				"of a fold", name, number, scanner.Text(), ErrFolds)
		}
		lines = append(lines, foldLine{number, words})
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return lines, nil
}

func foldsInOrder(lines []foldLine, name string, m *dataset.Meta) (of []string, err error) {
	if len(lines) != len(m.Queries) {
		return nil, fmt.Errorf("%s: %w: %s for %s; each query has a line", name, ErrFolds,
			wording.Count(len(lines), "line"), wording.Count(len(m.Queries), "query"))
	}
	for _, line := range lines {
		of = append(of, line.words[0])
	}
	return of, nil
}

func foldsByID(lines []foldLine, name string, m *dataset.Meta) (of []string, err error) {
	byID := map[string]string{}
	for _, line := range lines {
		id, fold := line.words[0], line.words[1]
		if before, known := byID[id]; known && before != fold {
			return nil, fmt.Errorf("%s:%d: %w: query %s is in fold %s, and was in fold %s above", name, line.number,
				ErrFolds, id, fold, before)
		}
		byID[id] = fold
	}
	for _, q := range m.Queries {
		fold, known := byID[q.ID]
		if !known {
			return nil, fmt.Errorf("%s: %w: query %s of the data has no line", name, ErrFolds, q.ID)
		}
		of = append(of, fold)
	}
	return of, nil
}

// FromRows returns folds from the fold number of each row, such as a column of a table. All rows of a query
// must have the same number.
func FromRows(m *dataset.Meta, numbers []float64) (Folds, error) {
	if len(numbers) != m.NumRows() {
		return Folds{}, fmt.Errorf("%w: numbers of %s; the data has %s", ErrFolds,
			wording.Count(len(numbers), "row"), wording.Thousands(m.NumRows()))
	}
	var of []string
	for _, q := range m.Queries {
		first := numbers[q.First]
		if first != math.Trunc(first) || math.Abs(first) > 1e9 { // also NaN
			return Folds{}, fmt.Errorf("%w: row %d has the fold %v; folds are whole numbers", ErrFolds, q.First, first)
		}
		for row := q.First; row < q.First+q.Len; row++ {
			if numbers[row] != first {
				return Folds{}, fmt.Errorf("%w: query %s has rows of the folds %v and %v; a query is in one fold",
					ErrFolds, q.ID, first, numbers[row])
			}
		}
		of = append(of, strconv.Itoa(int(first)))
	}
	f := named(of)
	return f, f.check(m)
}
