package scored

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data/internal/decimal"
	"github.com/lambdamart/lambdamart/io/data/internal/tables"
	"github.com/lambdamart/lambdamart/io/stream"
)

// textRows reads CSV or TSV.
type textRows struct {
	path    string
	in      *stream.Reader
	bounded stream.Allowance // of in
	csv     *csv.Reader
	columns Columns
	places         // of the columns
	last    string // query of the row before
}

// openText reads the names of the columns. It returns nil for an empty file that is one of several
// parts.
func openText(in *stream.Input, c Columns, comma rune, mayBeEmpty bool) (rowReader, error) {
	reader, err := in.Reader()
	if err != nil {
		return nil, err
	}
	r := &textRows{path: in.Name(), in: reader, bounded: stream.Allowance{R: reader}, columns: c}
	r.csv = csv.NewReader(&r.bounded)
	r.csv.Comma, r.csv.ReuseRecord = comma, true
	names, err := r.record()
	if err == io.EOF && mayBeEmpty {
		reader.Close()
		return nil, nil
	}
	if err == io.EOF {
		err = &dataset.Error{Path: r.path, Err: ErrNoRows}
	} else if err != nil {
		err = r.located(err)
	} else {
		names[0] = strings.TrimPrefix(names[0], "\ufeff")
		r.places, err = find(r.path, names, c)
	}
	if err != nil {
		reader.Close()
		return nil, err
	}
	return r, nil
}

// longestRecord bounds the bytes of a row, since a quote that is never closed would make one row of
// everything after it.
const longestRecord = 1 << 24

// record reads a row.
func (r *textRows) record() ([]string, error) {
	r.bounded.Left = longestRecord
	return r.csv.Read()
}

func (r *textRows) close() { r.in.Close() }

// located adds the place to an error of the CSV reader. Errors of the input have it already.
func (r *textRows) located(err error) error {
	var parse *csv.ParseError
	switch {
	case errors.Is(err, stream.ErrLong):
		return &dataset.Error{Path: r.path, Err: stream.ErrLong}
	case !errors.As(err, &parse):
		return err
	case errors.Is(err, csv.ErrFieldCount):
		return &dataset.Error{Path: r.path, Line: parse.Line, Err: ErrRecordLength}
	}
	return &dataset.Error{Path: r.path, Line: parse.Line, Err: fmt.Errorf("at byte %d: %w", parse.Column,
		parse.Err)}
}

func (r *textRows) next(b *Batch) error {
	*b = Batch{Query: b.Query[:0], Target: b.Target[:0], Score: b.Score[:0], Weight: b.Weight[:0]}
	for len(b.Query) < batchRows {
		cells, err := r.record()
		if err == io.EOF && len(b.Query) > 0 {
			return nil
		}
		if err == io.EOF {
			return err
		}
		if err != nil {
			return r.located(err)
		}
		if err := r.add(b, cells); err != nil {
			return err
		}
	}
	return nil
}

// add adds a row to the batch.
func (r *textRows) add(b *Batch, cells []string) error {
	query := cells[r.query]
	if tables.IsMissing(query) {
		return r.fault(r.query, r.columns.Query, query, ErrQuery)
	}
	if query != r.last {
		r.last = strings.Clone(query) // so that the whole line is not kept
	}
	target, err := r.number(cells[r.target], &b.MissingTargets, &b.NaNTargets)
	if err == nil && math.IsInf(target, 0) {
		err = ErrTarget
	}
	if err != nil {
		return r.fault(r.target, r.columns.Target, cells[r.target], err)
	}
	score, err := r.number(cells[r.score], &b.MissingScores, &b.NaNScores)
	if err != nil {
		return r.fault(r.score, r.columns.Score, cells[r.score], err)
	}
	b.Query, b.Target, b.Score = append(b.Query, r.last), append(b.Target, target), append(b.Score, score)
	if r.weight < 0 {
		return nil
	}
	weight, err := decimal.Parse([]byte(strings.TrimSpace(cells[r.weight])))
	if err != nil || !isWeight(weight) {
		return r.fault(r.weight, r.columns.Weight, cells[r.weight], dataset.ErrWeight)
	}
	b.Weight = append(b.Weight, weight)
	return nil
}

func (r *textRows) fault(place int, column, token string, err error) error {
	line, _ := r.csv.FieldPos(place)
	return &dataset.Error{Path: r.path, Line: line, Field: column, Token: token, Err: err}
}

// number reads a cell.
func (r *textRows) number(cell string, missing, nan *int) (float64, error) {
	v, err := strconv.ParseFloat(cell, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		v, err = strconv.ParseFloat(strings.TrimSpace(cell), 64)
	}
	gone := err != nil && tables.IsMissing(cell)
	if err != nil && !gone {
		return 0, ErrNumber
	}
	count(&v, gone, missing, nan)
	return v, nil
}
