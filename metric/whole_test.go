package metric

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
)

// wholly is a metric that evaluates all queries at once, as the mean of the scores.
type wholly struct {
	Metric
	fail error
}

func (wholly) Name() string { return "wholly" }

func (w wholly) All(data *dataset.Meta, scores []float64) (float64, error) {
	sum := 0.0
	for _, s := range scores {
		sum += s
	}
	return sum / float64(data.NumRows()), w.fail
}

// TestWholeMetricsKeepTheirPlace: beside metrics evaluated query by query, such a metric keeps its place in
// the results, and the others' results do not change.
func TestWholeMetricsKeepTheirPlace(t *testing.T) {
	data := &dataset.Meta{Labels: []float64{1, 0, 2, 0, 0},
		Queries: []dataset.Query{{ID: "a", Len: 2}, {ID: "b", First: 2, Len: 2}, {ID: "c", First: 4, Len: 1}}}
	scores := []float64{1, 2, 3, 5, 0}
	first, last := NDCG(Default(), 2), named("p", Default(), 1)
	want, err := Evaluate([]Metric{first, last}, data, scores, 1)
	require.NoError(t, err)
	got, err := Evaluate([]Metric{first, wholly{Metric: first}, last}, data, scores, 2)
	require.NoError(t, err)
	assert.Equal(t, want, []Result{got[0], got[2]})
	assert.Equal(t, "wholly", got[1].Metric)
	assert.Equal(t, 2.2, got[1].Mean)
	assert.Equal(t, 3, got[1].Queries)
	assert.Equal(t, 1, got[1].Empty)
	fault := errors.New("no connection")
	_, err = Evaluate([]Metric{wholly{Metric: first, fail: fault}}, data, scores, 1)
	assert.ErrorIs(t, err, fault)
}

// TestDocumentMetricsShareProbabilities: several metrics of one objective's probabilities compute these once,
// and have the values that each has alone.
func TestDocumentMetricsShareProbabilities(t *testing.T) {
	data := &dataset.Meta{Labels: []float64{1, 0, 0.5}, Queries: []dataset.Query{{ID: "a", Len: 3}}}
	scores, calls := []float64{0.9, 0.2, 0.4}, 0
	metrics := DocumentMetrics("", func(score float64) float64 { calls++; return score })
	together, err := Evaluate(metrics, data, scores, 1)
	require.NoError(t, err)
	assert.Equal(t, 3, calls)
	for i, m := range metrics {
		alone, err := Evaluate([]Metric{m}, data, scores, 1)
		require.NoError(t, err)
		assert.Equal(t, alone[0], together[i])
	}
}
