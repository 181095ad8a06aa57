package study

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/metric"
)

// TestWeightedTrials: what is compared and chosen is the mean over weighted queries, and so is what is
// printed.
func TestWeightedTrials(t *testing.T) {
	d, p := tuneData(t, 7, 48, 1), tuneParams()
	for n, q := range d.Meta.Queries {
		for range q.Len {
			d.Meta.Weights = append(d.Meta.Weights, []float64{10, 0.1}[n%2])
		}
	}
	p.MinDataInLeaf = 5
	r, err := Tune(t.Context(), p, tuneParts(t, d, 3), TuneOptions{Space: space(t, someSpace), Trials: 6, Seed: 1})
	require.NoError(t, err)
	folds := tuneParts(t, d, 3)
	var weights []float64
	for _, part := range folds {
		for _, q := range part.Valid {
			weights = append(weights, []float64{10, 0.1}[q%2])
		}
	}
	mean := func(values []float64) float64 {
		sum, total := 0.0, 0.0
		for q, v := range values {
			sum, total = sum+weights[q]*v, total+weights[q]
		}
		return sum / total
	}
	assert.InDelta(t, mean(r.PerQuery), r.Value, 1e-12)
	assert.InDelta(t, r.Base().Curve[r.Base().Best-1], mean(r.Base().PerQuery), 1e-9, "the curve")
	if !r.IsBase() {
		assert.InDelta(t, mean(r.PerQuery)-mean(r.Base().PerQuery), r.Comparison.Difference, 1e-9)
	}
	assert.False(t, r.IsBase(), "choose another seed")
}

// Unweighted, the first trial is better; with weights it is the second.
func TestWeightsDecide(t *testing.T) {
	values := map[string][]float64{"base": {0, 0, 0, 0}, "first": {1, 1, 1, 0.2}, "second": {0.5, 0.5, 0.5, 0.9}, "other": {0, 0, 0, 0}}
	s := judgedTrials(t, values, "first", "second")
	for _, c := range []struct {
		weights []float64
		want    int
	}{{nil, 2}, {[]float64{1, 1, 1, 30}, 3}} {
		s.weights = c.weights
		for _, trial := range s.trials {
			trial.Value = metric.NewSample(trial.PerQuery, c.weights).Mean()
		}
		f, err := s.final()
		require.NoError(t, err)
		assert.Equal(t, c.want, f.models[0].Number)
	}
}
