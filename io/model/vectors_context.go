package model

import (
	"fmt"
	"math"

	"github.com/lambdamart/lambdamart/internal/widened"
	"github.com/lambdamart/lambdamart/tree"
)

// querySizes divides rows into queries of 1 to 12 rows.
func querySizes(rows int) []int {
	var sizes []int
	for size := 1; rows > 0; size = size%12 + 1 {
		sizes = append(sizes, min(size, rows))
		rows -= size
	}
	return sizes
}

// rowsFor returns the rows with the columns of e, including query context if e has it. Features that the
// vectors lack are missing values.
func (s *Vectors) rowsFor(e *tree.Ensemble) ([][]float64, error) {
	columns, err := s.columns(e)
	if err != nil {
		return nil, err
	}
	rows := make([][]float64, len(s.Rows))
	for i := range rows {
		rows[i] = make([]float64, len(columns))
		for j, column := range columns {
			if rows[i][j] = math.NaN(); column >= 0 {
				rows[i][j] = s.Rows[i].Values[column]
			}
		}
	}
	switch {
	case e.Context == nil && s.Queries != nil:
		return nil, fmt.Errorf("%w: the vectors are rows of queries, and the model has no query context",
			errFeature)
	case e.Context == nil:
		return rows, nil
	case s.Queries == nil:
		return nil, fmt.Errorf("%w: the model has query context, and the vectors are single rows", errFeature)
	}
	return widen(rows, s.Queries, e), nil
}

// widen returns rows with the query context of e. sizes are the numbers of rows of the queries.
func widen(rows [][]float64, sizes []int, e *tree.Ensemble) [][]float64 {
	var wide [][]float64
	for _, size := range sizes {
		var values []float64
		for _, row := range rows[:size] {
			values = append(values, row...)
		}
		values = widened.Rows(values, size, e.Context, e.UsedFeatures())
		width := e.Context.Len()
		for i := range size {
			wide = append(wide, values[i*width:(i+1)*width])
		}
		rows = rows[size:]
	}
	return wide
}
