package study

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
)

// ReadFolds reads the folds of the queries of m. The text has a line for each query, in the order of the
// data, with the name of its fold; or lines of a query id and the name of its fold, in any order, for
// each id. Text after # and blank lines do not count. name is that of the file in errors, which name the
// line too.
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

// foldLines returns the lines that say something. All have one word, or all have two.
func foldLines(r io.Reader, name string) (lines []foldLine, err error) {
	scanner := bufio.NewScanner(r)
	for number := 1; scanner.Scan(); number++ {
		text, _, _ := strings.Cut(scanner.Text(), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
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
		return nil, fmt.Errorf("%s: %w: %d lines for %d queries; each query has a line", name, ErrFolds, len(lines),
			len(m.Queries))
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

// FromRows makes folds of the number of the fold in each row, as a column of a table has it. The rows of
// a query must agree.
func FromRows(m *dataset.Meta, numbers []float64) (Folds, error) {
	if len(numbers) != m.NumRows() {
		return Folds{}, fmt.Errorf("%w: numbers of %d rows; the data has %d", ErrFolds, len(numbers), m.NumRows())
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
