package evaluate_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/evaluate"
	"github.com/lambdamart/lambdamart/metric"
)

// TestReliability: the values are those of plain sums, also where documents have weights.
func TestReliability(t *testing.T) {
	meta, scores := clicks(7, 60, false)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range scores {
		scores[i] = rng.Float64()
	}
	for n, q := range meta.Queries {
		for row := q.First; row < q.First+q.Len; row++ {
			meta.Weights[row] = float64(1 + n%3)
		}
	}
	event := 2.0
	judge := func(s []float64) (*evaluate.Judgment, error) {
		return evaluate.Judge(t.Context(), evaluate.FromScores("s", meta, s),
			[]metric.Metric{metric.NDCG(metric.Default(), 10)}, evaluate.Options{Event: &event})
	}
	j, err := judge(scores)
	require.NoError(t, err)
	total, loss, brier := 0.0, 0.0, 0.0
	for i, p := range scores {
		w, happened := meta.Weights[i], p
		if meta.Labels[i] < event {
			happened = 1 - p
		}
		total, loss, brier = total+w, loss-w*math.Log(happened), brier+w*(1-happened)*(1-happened)
	}
	r := j.Reliability
	assert.InDelta(t, loss/total, r.LogLoss, 1e-12)
	assert.InDelta(t, brier/total, r.Brier, 1e-12)
	require.Len(t, r.Bins, 15)
	ece, documents, last := 0.0, 0.0, 0.0
	for _, b := range r.Bins {
		ece += b.Documents * math.Abs(b.Probability-b.Events)
		documents += b.Documents
		assert.Greater(t, b.Probability, last)
		last = b.Probability
	}
	assert.InDelta(t, ece/total, r.ECE, 1e-12)
	assert.Equal(t, total, documents)
	scores[9] = 1.5
	_, err = judge(scores)
	require.ErrorIs(t, err, evaluate.ErrNoProbabilities)
	assert.ErrorContains(t, err, "query 1: score 1.5")
}
