package study

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/booster"
)

// TestWeightedSteps: values, comparisons and importances of steps are those of weighted queries.
func TestWeightedSteps(t *testing.T) {
	d := selectSets(t, 60, 30, 30)
	weigh := func(d booster.Data) (weights []float64) {
		for n, q := range d.Meta.Queries {
			weights = append(weights, []float64{5, 0.1, 1}[n%3])
			for range q.Len {
				d.Meta.Weights = append(d.Meta.Weights, weights[n])
			}
		}
		return weights
	}
	weights := weigh(d[1])
	weigh(d[2])
	mean := func(values []float64) float64 {
		sum, total := 0.0, 0.0
		for q, v := range values {
			sum, total = sum+weights[q]*v, total+weights[q]
		}
		return sum / total
	}
	o := DefaultSelectOptions()
	o.Test, o.Trainings, o.Tests.Level = &d[2], 4, 0
	r, err := Select(t.Context(), selectParams(), []Part{WithValidation(d[0], d[1])}, o)
	require.NoError(t, err)
	for _, step := range r.Steps {
		assert.InDelta(t, mean(step.PerQuery), step.Value, 1e-12)
		assert.True(t, step.Interval.Low < step.Value && step.Value < step.Interval.High)
		if step != r.all() && step.Error == "" {
			against := r.Steps[step.Against]
			assert.InDelta(t, mean(step.PerQuery)-mean(against.PerQuery), step.Comparison.Difference, 1e-9)
		}
	}
	assert.True(t, r.Tested.Weighted)
	assert.True(t, r.Comparison.Weighted)
}
