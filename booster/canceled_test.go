package booster

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/training"
)

// canceling is an objective that cancels the run while it computes the gradients of an iteration, and leaves
// them unusable.
type canceling struct {
	objective.Objective
	iteration int
	cancel    func()
}

func (o *canceling) Gradients(dst objective.Gradients, q objective.Query) {
	o.Objective.Gradients(dst, q)
	if q.Iteration == o.iteration {
		o.cancel()
		dst.Lambda[0] = math.NaN()
	}
}

// TestCanceledWithinGradients: a run that is canceled while gradients are computed has the trees before. If
// it is resumed, it gives the model of a run that was not interrupted.
func TestCanceledWithinGradients(t *testing.T) {
	for _, boosting := range []string{GBDT, DART} {
		p := smallParams()
		p.Boosting, p.NumIterations = boosting, 6
		data := binned(t, &p, randomTable(10, 300))
		whole := fit(t, p, randomTable(10, 300)).Model
		inner, err := p.newObjective()
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		c := &training.Checkpoints{Path: t.TempDir() + "/c", Rounds: 1}
		train := func(ctx context.Context, o objective.Objective) *Result {
			r, err := Train(ctx, p, data[0], nil, Options{Objective: o, Options: training.Options{Checkpoints: c}})
			require.NoError(t, err)
			return r
		}
		r := train(ctx, &canceling{inner, 4, cancel})
		assert.Equal(t, training.Canceled, r.Stopped)
		assert.Len(t, r.Model.Trees, 3)
		c.Resume = training.Required
		assert.Equal(t, whole.Trees, train(t.Context(), &canceling{inner, -1, cancel}).Model.Trees, boosting)
	}
}

func TestRanksRemark(t *testing.T) {
	meta := &dataset.Meta{Queries: []dataset.Query{{Len: 5}, {Len: 103}}}
	p := DefaultParams()
	p.Metric = []string{"ndcg", "Kendall"}
	assert.Contains(t, ranksRemark(&p, meta, false), "metric=Kendall counts all pairs of documents, but with "+
		"lambdarank_truncation_level=30 training takes only those with one of the first documents, which are less "+
		"than half in queries of 103 documents")
	assert.Empty(t, ranksRemark(&p, meta, true))
	meta.Queries[1].Len = 102 // 30*72 + 30*29/2 of 102*101/2 pairs: half of them
	assert.Empty(t, ranksRemark(&p, meta, false))
	meta.Queries[1].Len = 60_000
	p.Metric = []string{"ndcg", "map", "own"}
	assert.Empty(t, ranksRemark(&p, meta, false))
	p.Metric = []string{"pair_accuracy"}
	assert.NotEmpty(t, ranksRemark(&p, meta, false))
	p.LambdarankPairMethod = "mean"
	assert.Empty(t, ranksRemark(&p, meta, false))
	p.LambdarankPairMethod, p.Objective = "topk", "query_rmse"
	assert.Empty(t, ranksRemark(&p, meta, false))
}

func TestManyPairsRemark(t *testing.T) {
	meta := &dataset.Meta{Labels: make([]float64, 200_000), Queries: []dataset.Query{{ID: "long", Len: 200_000}}}
	meta.Labels[7] = 1
	p := DefaultParams()
	assert.Empty(t, pairsRemark(&p, meta, false))
	p.LambdarankTruncationLevel = 100_000
	assert.Contains(t, pairsRemark(&p, meta, false),
		"query long, of 200,000 documents, has 2e+10 of them; lower "+
			"lambdarank_truncation_level, which is 100000")
	assert.Empty(t, pairsRemark(&p, meta, true))
	p.LambdarankNumPairPerSample, p.Patience, p.StopMetric = 100_001, 1, "ndcg@200000"
	assert.Contains(t, pairsRemark(&p, meta, false), "; lower lambdarank_num_pair_per_sample, which is 100001")
	assert.Contains(t, strings.Join(p.Cautions(), "\n"),
		"but lambdarank_num_pair_per_sample=100001: ranks below")
	p.LambdarankPairMethod = "mean"
	assert.Contains(t, pairsRemark(&p, meta, false), "; lower lambdarank_num_pair_per_sample, which is 100001")
	assert.NotContains(t, strings.Join(p.Cautions(), "\n"), "ranks below")
	p.Objective = "yetirank"
	assert.Empty(t, pairsRemark(&p, meta, false))
}
