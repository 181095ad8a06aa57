package main

import (
	"bytes"
	"fmt"

	"github.com/lambdamart/lambdamart/internal/widened"
	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/tree"
)

// scorer is a loaded model.
type scorer struct{ *tree.Scorer }

// load reads a model.
func load(content []byte) (*scorer, error) {
	e, _, err := model.Read(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	s, err := tree.Compile(e)
	if err != nil {
		return nil, err
	}
	return &scorer{s}, nil
}

// width returns the number of values in a row.
func (s *scorer) width() int {
	if c := s.QueryContext(); c != nil {
		return c.Raw
	}
	return s.NumFeatures()
}

// score writes the scores of consecutive rows.
func (s *scorer) score(scores, rows []float64) error {
	if len(rows) != len(scores)*s.width() {
		return fmt.Errorf("%d values, want %d for each of %d rows", len(rows), s.width(), len(scores))
	}
	if c := s.QueryContext(); c != nil {
		rows = widened.Rows(rows, len(scores), c, s.UsedFeatures())
	}
	return s.Score(scores, rows)
}
