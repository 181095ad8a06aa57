package data

import (
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/reuse"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/io/data/internal/parquet"
	"github.com/lambdamart/lambdamart/io/data/internal/tables"
)

// scoreParquet reads a Parquet file, its columns in parallel.
type scoreParquet struct {
	path    string
	columns ScoreOptions
	query   *parquet.Reader[string]
	target  *parquet.Reader[float64]
	score   *parquet.Reader[float64]
	weight  *parquet.Reader[float64] // nil without a column of weights
	null    [4][]bool
	row     int64 // number of rows that were read
}

func openScoreParquet(in *stream.Input, c ScoreOptions) (scoreReader, error) {
	f, err := tables.OpenParquet(in)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, column := range f.Columns {
		names = append(names, column.Name)
	}
	at, err := c.find(in.Name(), names)
	if err != nil {
		return nil, err
	}
	query, target, score := &f.Columns[at.query], &f.Columns[at.target], &f.Columns[at.score]
	errs := []error{query.TextColumn(), target.NumberColumn(), score.NumberColumn()}
	if at.weight >= 0 {
		errs = append(errs, f.Columns[at.weight].NumberColumn())
	}
	for _, err := range errs {
		if err != nil {
			return nil, &dataset.Error{Path: in.Name(), Err: err}
		}
	}
	r := &scoreParquet{path: in.Name(), columns: c,
		query: f.Texts(query), target: f.Numbers(target), score: f.Numbers(score)}
	if at.weight >= 0 {
		r.weight = f.Numbers(&f.Columns[at.weight])
	}
	for i := range r.null {
		r.null[i] = make([]bool, scoreBatchRows)
	}
	return r, nil
}

func (r *scoreParquet) close() {}

func (r *scoreParquet) next(b *ScoreBatch) error {
	*b = ScoreBatch{Query: reuse.Slice(b.Query, scoreBatchRows), Target: reuse.Slice(b.Target, scoreBatchRows),
		Score: reuse.Slice(b.Score, scoreBatchRows), Weight: b.Weight}
	var rows [4]int
	var errs [4]error
	var wg sync.WaitGroup
	wg.Go(func() { rows[0], errs[0] = r.query.Read(b.Query, r.null[0]) })
	wg.Go(func() { rows[1], errs[1] = r.target.Read(b.Target, r.null[1]) })
	if r.weight != nil {
		b.Weight = reuse.Slice(b.Weight, scoreBatchRows)
		wg.Go(func() { rows[3], errs[3] = r.weight.Read(b.Weight, r.null[3]) })
	}
	rows[2], errs[2] = r.score.Read(b.Score, r.null[2])
	wg.Wait()
	for _, err := range errs {
		if err != nil && err != io.EOF {
			return &dataset.Error{Path: r.path, Err: err}
		}
	}
	n := rows[0]
	if rows[1] != n || rows[2] != n || r.weight != nil && rows[3] != n {
		return &dataset.Error{Path: r.path, Err: fmt.Errorf("%w: columns of different lengths", parquet.ErrDamaged)}
	}
	if n == 0 {
		return io.EOF
	}
	b.Query, b.Target, b.Score = b.Query[:n], b.Target[:n], b.Score[:n]
	if r.weight != nil {
		b.Weight = b.Weight[:n]
	}
	return r.check(b)
}

// check counts missing numbers, and returns the error of the first row that has one.
func (r *scoreParquet) check(b *ScoreBatch) error {
	for i, query := range b.Query {
		r.row++
		target := b.Target[i]
		switch {
		case query == "" || r.null[0][i]:
			return &dataset.Error{Path: r.path, Row: r.row, Field: r.columns.Query, Err: tables.ErrQuery}
		case math.IsInf(target, 0):
			return &dataset.Error{Path: r.path, Row: r.row, Field: r.columns.Target, Err: errTarget}
		case r.weight != nil && (r.null[3][i] || !isWeight(b.Weight[i])):
			return &dataset.Error{Path: r.path, Row: r.row, Field: r.columns.Weight, Err: dataset.ErrWeight}
		}
		if math.IsNaN(target) || r.null[1][i] {
			countMissing(&b.Target[i], r.null[1][i], &b.MissingTargets, &b.NaNTargets)
		}
		if score := b.Score[i]; math.IsNaN(score) || r.null[2][i] {
			countMissing(&b.Score[i], r.null[2][i], &b.MissingScores, &b.NaNScores)
		}
	}
	return nil
}

// countMissing counts a number that is missing or NaN. A missing one becomes NaN.
func countMissing(v *float64, isMissing bool, missing, nan *int) {
	switch {
	case isMissing:
		*missing++
		*v = math.NaN()
	case math.IsNaN(*v):
		*nan++
	}
}
