package evaluate

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/metric"
)

func TestJoin(t *testing.T) {
	judged := map[string]float64{"a": 2, "b": 1, "z": -1}
	l, unjudged := join("301", []string{"c", "a"}, []float64{2, 1}, judged)
	assert.Equal(t, metric.List{Query: "301", Docs: []string{"c", "a"}, Scores: []float64{2, 1},
		Labels: []float64{0, 2}, Unranked: []float64{1, -1}}, l)
	assert.Equal(t, 1, unjudged)

	trec, err := metric.ConventionByName("trec_eval", metric.Exp2())
	require.NoError(t, err)
	precision, err := metric.Parse("map", trec)
	require.NoError(t, err)
	e := metric.NewEvaluator([]metric.Metric{precision, metric.NDCG(trec, 0)}, 1, nil)
	defer e.Close()
	require.NoError(t, e.Add(l))
	assert.Equal(t, 0.25, e.Results()[0].Mean) // (1/2)/2
	second := 0.6309297535714575
	assert.InDelta(t, 2*second/(2+second), e.Results()[1].Mean, 1e-15)
}
