package study

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/metric"
)

// weigh gives the queries very different weights, most of it to those that come first.
func weigh(d booster.Data) (weights []float64) {
	for n, q := range d.Meta.Queries {
		weights = append(weights, math.Pow(0.8, float64(n)))
		for range q.Len {
			d.Meta.Weights = append(d.Meta.Weights, weights[n])
		}
	}
	return weights
}

// TestWeightedQueries: the mean, its interval and every point of the curve are those of weighted queries,
// although folds have different weights.
func TestWeightedQueries(t *testing.T) {
	d, p := randomData(t, 3, 45), params()
	weights := weigh(d)
	r := run(t, p, d, draw(t, d, 3, 5), Options{})
	sum, total := 0.0, 0.0
	for q, v := range r.Judged[0].PerQuery {
		sum, total = sum+weights[q]*v, total+weights[q]
	}
	assert.InDelta(t, sum/total, r.Mean, 1e-12)
	assert.InDelta(t, r.Mean, r.Curve[r.Best-1].Mean, 1e-12, "the curve at the best iteration")
	assert.True(t, r.Interval.Low < r.Mean && r.Mean < r.Interval.High, "%v in %v", r.Mean, r.Interval)
	assert.InDelta(t, r.Mean, (r.Interval.Low+r.Interval.High)/2, 1e-12)
	require.NotEmpty(t, r.Warnings)
	assert.Contains(t, r.Warnings[0], "the weights make 45 queries as good as 9.0 equal ones")

	all, err := validationWeights(parts(t, d, 3), metric.NDCG(metric.Default(), 5), 1)
	require.NoError(t, err)
	assert.InDelta(t, total, metric.NewSample(all, nil).Mean()*45, 1e-12)
}

func parts(t *testing.T, d booster.Data, n int) []Part {
	t.Helper()
	parts, err := NewParts(d, draw(t, d, n, 5))
	require.NoError(t, err)
	return parts
}

// wholeMetric is a metric of all queries at once.
type wholeMetric struct{ metric.Metric }

func (wholeMetric) Name() string { return "whole" }

func (wholeMetric) All(*dataset.Meta, []float64) (float64, error) { return 0.5, nil }

// A metric without values of queries has no interval.
func TestMetricsOfAllQueries(t *testing.T) {
	d, p := randomData(t, 3, 30), params()
	o := Options{}
	p.StopMetric, o.Metrics = "whole", []metric.Metric{wholeMetric{metric.NDCG(metric.Default(), 5)}}
	_, err := CrossValidate(t.Context(), p, d, draw(t, d, 3, 5), o)
	assert.ErrorContains(t, err, "whole judges all queries at once")
}

// LightGBM's rule for queries without a relevant document makes no weighted mean: no interval could have
// it, and this is said before anything is trained.
func TestMeansThatAreNotWeighted(t *testing.T) {
	d, p := randomData(t, 3, 30), params()
	weigh(d)
	clear(d.Meta.Labels[8:16])
	p.MetricConvention = "lightgbm"
	_, err := CrossValidate(t.Context(), p, d, draw(t, d, 3, 5), Options{})
	require.ErrorIs(t, err, metric.ErrBareQueries)
	assert.ErrorContains(t, err, "metric_convention=default")
	p.MetricConvention = "default"
	run(t, p, d, draw(t, d, 3, 5), Options{})
}
