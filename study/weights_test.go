package study

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/metric"
)

// weigh sets and returns the weights of the queries.
func weigh(d booster.Data, weight func(query int) float64) (weights []float64) {
	for n, q := range d.Meta.Queries {
		weights = append(weights, weight(n))
		for range q.Len {
			d.Meta.Weights = append(d.Meta.Weights, weights[n])
		}
	}
	return weights
}

// falling returns very different weights; the first queries have most of the total.
func falling(query int) float64 { return math.Pow(0.8, float64(query)) }

func weightedMean(values, weights []float64) float64 {
	sum, total := 0.0, 0.0
	for q, v := range values {
		sum, total = sum+weights[q]*v, total+weights[q]
	}
	return sum / total
}

// TestWeightedQueries: the mean, its interval and every point of the curve are weighted by query, although
// folds have different total weights.
func TestWeightedQueries(t *testing.T) {
	d, p := randomData(t, 3, 45), params()
	weights := weigh(d, falling)
	r := run(t, p, d, draw(t, d, 3, 5), Options{})
	assert.InDelta(t, weightedMean(r.Judged[0].PerQuery, weights), r.Mean, 1e-12)
	assert.InDelta(t, r.Mean, r.Curve[r.Best-1].Mean, 1e-12, "the curve at the best iteration")
	assert.True(t, r.Interval.Low < r.Mean && r.Mean < r.Interval.High, "%v in %v", r.Mean, r.Interval)
	assert.InDelta(t, r.Mean, (r.Interval.Low+r.Interval.High)/2, 1e-12)
	require.NotEmpty(t, r.Warnings)
	assert.Contains(t, r.Warnings[0], "the weights make 45 queries as good as 9.0 equal ones")

	all, _, err := validationWeights(parts(t, d, 3, 5), metric.NDCG(metric.Default(), 5), 1)
	require.NoError(t, err)
	assert.InDelta(t, metric.NewSample(weights, nil).Mean(), metric.NewSample(all, nil).Mean(), 1e-12)
}

// TestMeansThatAreNotWeighted: under LightGBM's rule for queries without relevant documents, the mean is
// not a weighted mean, so an interval is impossible. That is an error before anything is trained.
func TestMeansThatAreNotWeighted(t *testing.T) {
	d, p := randomData(t, 3, 30), params()
	weigh(d, falling)
	clear(d.Meta.Labels[8:16])
	p.MetricConvention = "lightgbm"
	_, err := CrossValidate(t.Context(), p, inFolds(t, d, 3, 5), Options{})
	require.ErrorIs(t, err, metric.ErrBareQueries)
	assert.ErrorContains(t, err, "metric_convention=default")
	p.MetricConvention = "default"
	run(t, p, d, draw(t, d, 3, 5), Options{})
}

// TestWeightedSteps: values and comparisons of the steps of a selection use the query weights.
func TestWeightedSteps(t *testing.T) {
	d := selectSets(t, 60, 30)
	weights := weigh(d[1], func(query int) float64 { return []float64{5, 0.1, 1}[query%3] })
	r, err := Select(t.Context(), selectParams(), Data{Train: d[0], Valid: &d[1]}, SelectOptions{})
	require.NoError(t, err)
	for _, step := range r.Steps {
		value := weightedMean(step.PerQuery, weights)
		assert.InDelta(t, value, step.Value, 1e-12)
		if step != r.all() && step.Err == nil {
			assert.InDelta(t, value-r.Steps[step.Against].Value, step.Comparison.Difference, 1e-9)
		}
	}
	assert.True(t, r.Comparison.Weighted)
}

// TestWeightedTrials: trials are compared by the weighted mean.
func TestWeightedTrials(t *testing.T) {
	d, p := tuneData(t, 7, 48, 1), tuneParams()
	byQuery := weigh(d, func(query int) float64 { return []float64{10, 0.1}[query%2] })
	p.MinDataInLeaf = 5
	r, err := Tune(t.Context(), p, inFolds(t, d, 3, 0),
		TuneOptions{Space: space(t, someSpace), Trials: 6, Seed: 1})
	require.NoError(t, err)
	var weights []float64
	for _, part := range parts(t, d, 3, 0) {
		for _, q := range part.Valid {
			weights = append(weights, byQuery[q])
		}
	}
	base := weightedMean(r.base().PerQuery, weights)
	assert.InDelta(t, base, r.base().Curve[r.base().Best-1], 1e-9)
	require.False(t, r.isBase(), "choose another seed")
	assert.InDelta(t, weightedMean(r.PerQuery, weights)-base, r.Comparison.Difference, 1e-9)
}

// TestWeightsDecide: without weights the first trial is better, with weights the second.
func TestWeightsDecide(t *testing.T) {
	s := judgedTrials(0, []float64{0, 0, 0, 0}, []float64{1, 1, 1, 0.2}, []float64{0.5, 0.5, 0.5, 0.9})
	for _, c := range []struct {
		weights []float64
		want    int
	}{{nil, 1}, {[]float64{1, 1, 1, 30}, 2}} {
		s.weights = c.weights
		for _, trial := range s.trials {
			trial.Value = metric.NewSample(trial.PerQuery, c.weights).Mean()
		}
		assert.Equal(t, c.want, s.final().Models[0].Number)
	}
}

// TestWeightedExperiment: the table, its intervals and its tests use the query weights.
func TestWeightedExperiment(t *testing.T) {
	data := twoFolds(t)
	weights := []float64{9, 0.1, 1, 4, 0.5, 2, 0.1, 7, 1, 3}
	var lines strings.Builder
	for _, w := range weights {
		for range 12 {
			fmt.Fprintln(&lines, w)
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(data, "Fold2", "test.txt.weight"), []byte(lines.String()),
		0o666))
	o := preparedComparison(t, data)
	s := compared(t, o)
	all := append(slices.Repeat([]float64{1}, 10), weights...)
	mean := func(r *RankerSummary) float64 { return weightedMean(r.values, all) }
	best := &s.Rankers[0]
	for i := range s.Rankers {
		r := &s.Rankers[i]
		assert.InDelta(t, mean(r), r.Mean, 1e-12)
		assert.InDelta(t, r.Mean, r.Means[0], 1e-12)
		assert.True(t, r.Interval.Low <= r.Mean && r.Mean <= r.Interval.High)
		if r.Against != nil {
			assert.InDelta(t, mean(r)-mean(best), r.Against.Difference, 1e-9)
		}
	}
	assert.Equal(t, withoutTimes(s), withoutTimes(compared(t, o)), "from kept results")
	var page strings.Builder
	require.NoError(t, s.Write(&page))
	assert.NotContains(t, page.String(), "NaN")
	assert.Contains(t, s.Tables[0].Below, "the weights make 20 queries as good as")
}
