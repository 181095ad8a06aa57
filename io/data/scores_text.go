package data

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/io/data/internal/decimal"
	"github.com/lambdamart/lambdamart/io/data/internal/tables"
)

// scoreText reads CSV or TSV.
type scoreText struct {
	path    string
	in      *stream.Reader
	bounded stream.Allowance // of in
	csv     *csv.Reader
	columns ScoreOptions
	places  scorePlaces
	last    string // query of the row before
}

// openScoreText reads the names of the columns. It returns nil for an empty file that is one of several
// parts.
func openScoreText(in *stream.Input, c ScoreOptions, comma rune, mayBeEmpty bool) (scoreReader, error) {
	reader, err := in.Reader()
	if err != nil {
		return nil, err
	}
	r := &scoreText{path: in.Name(), in: reader, bounded: stream.Allowance{R: reader}, columns: c}
	r.csv = csv.NewReader(&r.bounded)
	r.csv.Comma, r.csv.ReuseRecord = comma, true
	names, err := r.record()
	if err == io.EOF && mayBeEmpty {
		reader.Close()
		return nil, nil
	}
	if err == io.EOF {
		err = &dataset.Error{Path: r.path, Err: errNoScoreRows}
	} else if err != nil {
		err = r.located(err)
	} else {
		names[0] = strings.TrimPrefix(names[0], "\ufeff")
		r.places, err = c.find(r.path, names)
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
func (r *scoreText) record() ([]string, error) {
	r.bounded.Left = longestRecord
	return r.csv.Read()
}

func (r *scoreText) close() { r.in.Close() }

// located adds the place to an error of the CSV reader. Errors of the input have it already.
func (r *scoreText) located(err error) error {
	var parse *csv.ParseError
	switch {
	case errors.Is(err, stream.ErrLong):
		return &dataset.Error{Path: r.path, Err: stream.ErrLong}
	case !errors.As(err, &parse):
		return err
	case errors.Is(err, csv.ErrFieldCount):
		return &dataset.Error{Path: r.path, Line: parse.Line, Err: errRecord}
	}
	return &dataset.Error{Path: r.path, Line: parse.Line, Err: fmt.Errorf("at byte %d: %w", parse.Column,
		parse.Err)}
}

func (r *scoreText) next(b *ScoreBatch) error {
	*b = ScoreBatch{Query: b.Query[:0], Target: b.Target[:0], Score: b.Score[:0], Weight: b.Weight[:0]}
	for len(b.Query) < scoreBatchRows {
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
func (r *scoreText) add(b *ScoreBatch, cells []string) error {
	query := cells[r.places.query]
	if tables.IsMissing(query) {
		return r.fault(r.places.query, r.columns.Query, query, tables.ErrQuery)
	}
	if query != r.last {
		r.last = strings.Clone(query) // so that the whole line is not kept
	}
	target, err := r.number(cells[r.places.target], &b.MissingTargets, &b.NaNTargets)
	if err == nil && math.IsInf(target, 0) {
		err = errTarget
	}
	if err != nil {
		return r.fault(r.places.target, r.columns.Target, cells[r.places.target], err)
	}
	score, err := r.number(cells[r.places.score], &b.MissingScores, &b.NaNScores)
	if err != nil {
		return r.fault(r.places.score, r.columns.Score, cells[r.places.score], err)
	}
	b.Query, b.Target, b.Score = append(b.Query, r.last), append(b.Target, target), append(b.Score, score)
	if r.places.weight < 0 {
		return nil
	}
	weight, err := decimal.Parse([]byte(strings.TrimSpace(cells[r.places.weight])))
	if err != nil || !isWeight(weight) {
		return r.fault(r.places.weight, r.columns.Weight, cells[r.places.weight], dataset.ErrWeight)
	}
	b.Weight = append(b.Weight, weight)
	return nil
}

func (r *scoreText) fault(place int, column, token string, err error) error {
	line, _ := r.csv.FieldPos(place)
	return &dataset.Error{Path: r.path, Line: line, Field: column, Token: token, Err: err}
}

// number reads a cell.
func (r *scoreText) number(cell string, missing, nan *int) (float64, error) {
	v, err := strconv.ParseFloat(cell, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		v, err = strconv.ParseFloat(strings.TrimSpace(cell), 64)
	}
	gone := err != nil && tables.IsMissing(cell)
	if err != nil && !gone {
		return 0, errNumber
	}
	countMissing(&v, gone, missing, nan)
	return v, nil
}
