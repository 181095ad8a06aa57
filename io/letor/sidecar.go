package letor

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strconv"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/stream"
)

// counts are the numbers of rows in the queries of a file, as its companion
// .query has them. The form is LightGBM's.
type counts struct {
	path  string
	there bool  // the companion exists
	rows  []int // of each query
}

func readCounts(path string) (*counts, error) {
	c := &counts{path: path + ".query"}
	if path == "-" {
		return c, nil
	}
	var err error
	c.there, err = readColumn(c.path, ErrCount, func(token []byte) bool {
		n, err := strconv.ParseUint(string(token), 10, 40)
		c.rows = append(c.rows, int(n))
		return err == nil
	})
	return c, err
}

// divide gives m the queries that the counts make of the rows of the file at path.
func (c *counts) divide(m *dataset.Meta, path string) error {
	if !c.there {
		return &Error{Path: path, Err: ErrNoQueries}
	}
	first := 0
	for i, n := range c.rows {
		if n == 0 {
			m.EmptyQueries++
			continue
		}
		m.Queries = append(m.Queries, dataset.Query{ID: strconv.Itoa(i), First: first, Len: n})
		first += n
	}
	return c.checkSum(m.NumRows(), path)
}

// checkSum fails unless the counts add up to the rows.
func (c *counts) checkSum(rows int, path string) error {
	sum := 0
	for _, n := range c.rows {
		sum += n
	}
	if sum == rows {
		return nil
	}
	detail := fmt.Sprintf("%d queries of %d rows; %d rows in %s", len(c.rows), sum, rows, path)
	return &Error{Path: c.path, Err: ErrCountSum, Detail: detail}
}

// weights are those of the rows of a file, as its companion .weight has them.
type weights struct {
	path  string
	there bool // the companion exists
	rows  []float64
}

func readWeights(path string) (*weights, error) {
	w := &weights{path: path + ".weight"}
	if path == "-" {
		return w, nil
	}
	var err error
	w.there, err = readColumn(w.path, ErrWeight, func(token []byte) bool {
		weight, err := parseNumber(token)
		w.rows = append(w.rows, weight)
		return err == nil && weight >= 0 && !math.IsInf(weight, 0)
	})
	return w, err
}

// apply gives m the weights, if there are any.
func (w *weights) apply(m *dataset.Meta, path string) error {
	if !w.there {
		return nil
	}
	if len(w.rows) != m.NumRows() {
		detail := fmt.Sprintf("%d weights, %d rows in %s", len(w.rows), m.NumRows(), path)
		return &Error{Path: w.path, Err: ErrWeightCount, Detail: detail}
	}
	m.Weights = w.rows
	return nil
}

// readColumn calls accept for the one token of each line of a file that is not
// blank. It fails with bad where there is more than one token, or one that is not
// accepted. A file that does not exist gives false.
func readColumn(path string, bad error, accept func(token []byte) bool) (exists bool, err error) {
	text, err := readWhole(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	text = bytes.TrimPrefix(text, byteOrderMark)
	for n := 1; len(text) > 0; n++ {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		token := trimBlanks(line)
		if len(token) > 0 && !accept(token) {
			column := bytes.Index(line, token) + 1
			return true, &Error{Path: path, Line: n, Column: column, Token: shorten(token), Err: bad}
		}
		text = rest
	}
	return true, nil
}

func readWhole(path string) (content []byte, err error) {
	err = stream.ReadFile(path, func(r io.Reader, _ string) error {
		content, err = io.ReadAll(r)
		return err
	})
	return content, err
}
