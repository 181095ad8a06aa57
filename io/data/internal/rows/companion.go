package rows

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data/internal/decimal"
	"github.com/lambdamart/lambdamart/io/stream"
)

// Companions are the files beside the data that LightGBM reads with it. Each has the name of the
// data with an ending behind it, and a line for each row, except .query. A companion is read when
// it is first needed. Blank lines do not count.
//
//	.query     the number of rows of each query, a line each
//	.weight    the weight of each row, or of each query: finite, not negative
//	.init      the score from which training begins: finite
//	.label2    the label of a second goal: finite
//	.position  where the document was shown: any word
type Companions struct {
	path      string // of the data
	none      bool   // there are none: the data is standard input
	counts    func() (*counts, error)
	weights   func() ([]float64, error)
	initial   func() ([]float64, error)
	positions func() (places, error)
	second    func() ([]float64, error)
}

// CompanionsOf returns the companions of the data at path.
func CompanionsOf(path string) *Companions {
	c := &Companions{path: path, none: path == "-"}
	if !c.none {
		c.path = filepath.Clean(path) // without the slash that the path of a folder may end in
	}
	c.counts = sync.OnceValues(c.readCounts)
	c.weights = sync.OnceValues(func() ([]float64, error) {
		return c.readNumbers(".weight", dataset.ErrWeight, func(v float64) bool { return v >= 0 && !math.IsInf(v, 0) })
	})
	c.initial = sync.OnceValues(func() ([]float64, error) {
		return c.readNumbers(".init", dataset.ErrInitial, isFinite)
	})
	c.positions = sync.OnceValues(c.readPositions)
	c.second = sync.OnceValues(func() ([]float64, error) { return c.readNumbers(".label2", dataset.ErrSecondLabel, isFinite) })
	return c
}

// Exists reports whether there is a companion with that ending.
func (c *Companions) Exists(ending string) bool {
	if c.none {
		return false
	}
	_, err := os.Stat(c.path + ending)
	return err == nil
}

// Existing returns the paths of the companions that there are, except .query.
func (c *Companions) Existing() []string {
	var there []string
	for _, ending := range []string{".weight", ".init", ".label2", ".position"} {
		if c.Exists(ending) {
			there = append(there, c.path+ending)
		}
	}
	return there
}

// HasQueries reports whether there is a .query file.
func (c *Companions) HasQueries() bool { return c.Exists(".query") }

// HasWeights reports whether there is a .weight file.
func (c *Companions) HasWeights() bool { return c.Exists(".weight") }

// counts is the content of the companion .query.
type counts struct {
	path  string
	there bool  // whether the companion exists
	rows  []int // of each query
}

func (c *Companions) readCounts() (*counts, error) {
	n := &counts{path: c.path + ".query"}
	if c.none {
		return n, nil
	}
	var err error
	n.there, err = readColumn(n.path, dataset.ErrCount, func(token []byte) bool {
		rows, err := strconv.ParseUint(string(token), 10, 40)
		n.rows = append(n.rows, int(rows))
		return err == nil
	})
	return n, err
}

// divide sets the queries of m, the rows of the data at path, by the counts. If there is no
// companion, it returns the error missing.
func (n *counts) divide(m *dataset.Meta, path string, missing error) error {
	if !n.there {
		return &dataset.Error{Path: path, Err: missing}
	}
	first := 0
	for i, rows := range n.rows {
		if rows == 0 {
			m.EmptyQueries++
			continue
		}
		m.Queries = append(m.Queries, dataset.Query{ID: strconv.Itoa(i), First: first, Len: rows})
		first += rows
	}
	return n.checkSum(m.NumRows(), path)
}

// checkSum returns an error unless the counts add up to the number of rows.
func (n *counts) checkSum(rows int, path string) error {
	sum := 0
	for _, n := range n.rows {
		sum += n
	}
	if sum == rows {
		return nil
	}
	detail := fmt.Sprintf("%d queries of %d rows; %d rows in %s", len(n.rows), sum, rows, path)
	return &dataset.Error{Path: n.path, Err: dataset.ErrCountSum, Detail: detail}
}

// CheckCounts returns an error if there is a .query whose counts do not add up to the number of
// rows.
func (c *Companions) CheckCounts(rows int) error {
	counts, err := c.counts()
	if err != nil || !counts.there {
		return err
	}
	return counts.checkSum(rows, c.path)
}

// complete sets what the companions other than .query say of the rows of m.
func (c *Companions) complete(m *dataset.Meta) error {
	if m.Weights != nil {
		c.passOver(".weight", "a weight", m)
	} else {
		weights, err := c.weights()
		if err != nil {
			return err
		}
		weights = c.ofRows(weights, m)
		if err := c.checkCount(".weight", dataset.ErrWeightCount, weights != nil, len(weights), m.NumRows()); err != nil {
			return err
		}
		m.Weights = weights
	}
	initial, err := c.initial()
	if err != nil {
		return err
	}
	if err := c.checkCount(".init", dataset.ErrInitialCount, initial != nil, len(initial), m.NumRows()); err != nil {
		return err
	}
	m.InitialScores = initial
	if err := c.completeSecond(m); err != nil {
		return err
	}
	return c.completePositions(m)
}

// completeSecond sets the second labels of m, unless its rows have them.
func (c *Companions) completeSecond(m *dataset.Meta) (err error) {
	if m.SecondLabels != nil {
		c.passOver(".label2", "a second label", m)
		return nil
	}
	if m.SecondLabels, err = c.second(); err != nil {
		return err
	}
	return c.checkCount(".label2", dataset.ErrSecondCount, m.SecondLabels != nil, len(m.SecondLabels), m.NumRows())
}

// completePositions sets the positions of m, unless its rows have them.
func (c *Companions) completePositions(m *dataset.Meta) error {
	if m.Positions != nil {
		c.passOver(".position", "a position", m)
		return nil
	}
	positions, err := c.positions()
	if err != nil {
		return err
	}
	m.Positions, m.PositionNames = positions.rows, positions.names
	return c.checkCount(".position", dataset.ErrPositionCount, positions.rows != nil, len(positions.rows), m.NumRows())
}

// passOver remarks that a companion is not read, if there is one, because the rows have what it says.
func (c *Companions) passOver(ending, what string, m *dataset.Meta) {
	if c.Exists(ending) {
		m.Remarks = append(m.Remarks, fmt.Sprintf("%s%s is not read: the rows have %s each", c.path, ending, what))
	}
}

// isFinite reports whether a number is neither infinite nor NaN.
func isFinite(v float64) bool { return !math.IsInf(v, 0) && !math.IsNaN(v) }

// ofRows returns the weights of rows. Where there is a weight for each query instead, as XGBoost has it,
// all rows of a query get it, and a remark says so.
func (c *Companions) ofRows(weights []float64, m *dataset.Meta) []float64 {
	if len(weights) == m.NumRows() || len(weights) != len(m.Queries) || m.EmptyQueries > 0 {
		return weights
	}
	all := make([]float64, 0, m.NumRows())
	for n, q := range m.Queries {
		for range q.Len {
			all = append(all, weights[n])
		}
	}
	m.Remarks = append(m.Remarks, fmt.Sprintf("%s.weight has %d lines, one for each query: all documents of a query get its weight", c.path, len(weights)))
	return all
}

// checkCount returns an error if there is a companion that has not one entry for each row.
func (c *Companions) checkCount(ending string, wrong error, there bool, n, rows int) error {
	if !there || n == rows {
		return nil
	}
	return &dataset.Error{Path: c.path + ending, Err: wrong, Detail: fmt.Sprintf("%d lines, %d rows in %s", n, rows, c.path)}
}

// readNumbers returns the numbers of a companion, nil if there is none.
func (c *Companions) readNumbers(ending string, bad error, accept func(float64) bool) ([]float64, error) {
	if c.none {
		return nil, nil
	}
	var values []float64
	there, err := readColumn(c.path+ending, bad, func(token []byte) bool {
		v, err := decimal.Parse(token)
		values = append(values, v)
		return err == nil && accept(v)
	})
	if there && values == nil {
		values = []float64{}
	}
	return values, err
}

func (c *Companions) readPositions() (p places, err error) {
	if c.none {
		return p, nil
	}
	path, many := c.path+".position", false
	there, err := readColumn(path, dataset.ErrPosition, func(token []byte) bool {
		p.add(token)
		many = len(p.names) > mostPlaces
		return !many && IsPlace(token)
	})
	if many {
		return places{}, &dataset.Error{Path: path, Err: dataset.ErrPositions}
	}
	if there && p.rows == nil {
		p.rows = []int32{}
	}
	return p, err
}

// readColumn calls accept for each line of a file that is not blank, without the blanks around it.
// A line that is not accepted is the error bad. exists is false if there is no such file.
func readColumn(path string, bad error, accept func(token []byte) bool) (exists bool, err error) {
	text, err := readWhole(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	text = bytes.TrimPrefix(text, ByteOrderMark)
	for n := 1; len(text) > 0; n++ {
		line, rest, _ := bytes.Cut(text, newline)
		token := bytes.Trim(line, " \t\r")
		if len(token) > 0 && !accept(token) {
			column := bytes.Index(line, token) + 1
			return true, &dataset.Error{Path: path, Line: n, Column: column, Token: Shorten(token), Err: bad}
		}
		text = rest
	}
	return true, nil
}

// ByteOrderMark may stand before text in UTF-8.
var ByteOrderMark = []byte("\xef\xbb\xbf")

func readWhole(path string) (content []byte, err error) {
	err = stream.ReadFile(path, func(r io.Reader, _ string) error {
		content, err = io.ReadAll(r)
		return err
	})
	return content, err
}
