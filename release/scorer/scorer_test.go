package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/querycontext"
	"github.com/lambdamart/lambdamart/tree"
)

// stump returns a model with one split on its last feature.
func stump(features ...string) *tree.Ensemble {
	e := &tree.Ensemble{Trees: []tree.Tree{{
		Feature: []int32{int32(len(features) - 1)}, Threshold: []float64{0.5}, Decision: []tree.Decision{tree.MissingNaN}, Gain: []float64{1},
		Left: []int32{^0}, Right: []int32{^1}, InternalValue: []float64{0}, InternalWeight: []float64{2}, InternalCount: []int64{2},
		LeafValue: []float64{-1, 1}, LeafWeight: []float64{1, 1}, LeafCount: []int64{1, 1}, Shrinkage: 1,
	}}}
	for _, name := range features {
		e.Features = append(e.Features, tree.Feature{Name: name})
	}
	return e
}

func loaded(t *testing.T, e *tree.Ensemble) *scorer {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, model.Write(&b, e))
	s, err := load(b.Bytes())
	require.NoError(t, err)
	return s
}

func TestScorer(t *testing.T) {
	s := loaded(t, stump("a", "b"))
	assert.Equal(t, 2, s.width())
	scores := make([]float64, 2)
	require.NoError(t, s.score(scores, []float64{0, 0.5, 0, 0.75}))
	assert.Equal(t, []float64{-1, 1}, scores)
	assert.ErrorContains(t, s.score(scores, []float64{0, 0.5, 0}), "3 values, want 2 for each of 2 rows")
	_, err := load([]byte("no model"))
	assert.ErrorIs(t, err, model.ErrUnknown)
}

// TestScorerOfQueries: the rows of one call are the documents of one query.
func TestScorerOfQueries(t *testing.T) {
	e := stump("a", "rank(a)")
	e.Context = &querycontext.Columns{Raw: 1, List: []querycontext.Column{{Kind: querycontext.Rank}}}
	s := loaded(t, e)
	assert.Equal(t, 1, s.width())
	scores := make([]float64, 3)
	require.NoError(t, s.score(scores, []float64{7, 9, 8}))
	assert.Equal(t, []float64{-1, 1, -1}, scores)
}
