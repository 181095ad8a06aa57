package booster

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/tree"
)

// TestScoresOfBins: scores computed from bins equal scores computed from values, for any number of workers,
// with missing values, and for models whose score is the mean of trees.
func TestScoresOfBins(t *testing.T) {
	for _, objective := range []string{"lambdarank", "regression"} {
		p := DefaultParams()
		p.NumIterations, p.MinDataInLeaf, p.Objective, p.ZeroAsMissing = 7, 5, objective, true
		train, other := randomTable(1, 400), randomTable(2, 133)
		data := binned(t, &p, train, other)
		r, err := Train(context.Background(), p, data[0], nil, Options{})
		require.NoError(t, err)
		mean, err := tree.Mean(r.Model, r.Model.Part(0, 3))
		require.NoError(t, err)
		empty := &tree.Ensemble{Features: r.Model.Features}
		constant := &tree.Ensemble{Features: r.Model.Features, Trees: []tree.Tree{{LeafValue: []float64{2},
			LeafWeight: []float64{1}, LeafCount: []int64{1}}}}
		for _, model := range []*tree.Ensemble{r.Model, mean, empty, constant} {
			want := make([]float64, 133)
			require.NoError(t, model.Score(want, slices.Concat(other.values...)))
			for _, workers := range []int{1, 2, 7} {
				got := make([]float64, 133)
				require.NoError(t, Scores(got, model, data[1].Values, workers))
				assert.Equal(t, want, got)
			}
		}
	}
}

func TestScoresOfOtherBins(t *testing.T) {
	p := DefaultParams()
	p.NumIterations, p.MinDataInLeaf = 2, 5
	data := binned(t, &p, randomTable(1, 400))
	r, err := Train(context.Background(), p, data[0], nil, Options{})
	require.NoError(t, err)
	other := binned(t, &p, randomTable(2, 400))
	require.ErrorContains(t, Scores(make([]float64, 400), r.Model, other[0].Values, 1),
		"tree 1 is of other bins: no bin of feature")
	require.ErrorContains(t, Scores(make([]float64, 3), r.Model, data[0].Values, 1), "3 scores for 400 rows")
	linear := *r.Model
	linear.Trees = slices.Clone(linear.Trees)
	linear.Trees[1].Linear = &tree.LinearLeaves{}
	require.ErrorContains(t, Scores(make([]float64, 400), &linear, data[0].Values, 1),
		"tree 2 has linear leaves")
}
