package judging

import (
	"testing"

	"github.com/lambdamart/lambdamart/metric"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMetricsNamed(t *testing.T) {
	all, err := metricsNamed([]string{"ndcg", "map@3", "NDCG@5"}, []int{5, 1, 5}, metric.LightGBM(), metric.SKLearn())
	require.NoError(t, err)
	var names []string
	for _, m := range all {
		names = append(names, m.Name()+":"+m.Convention().Name)
	}
	assert.Equal(t, []string{"ndcg@5:lightgbm", "ndcg@1:lightgbm", "map@3:lightgbm", "ndcg@5:sklearn", "ndcg@1:sklearn", "map@3:sklearn"}, names)
	_, err = metricsNamed([]string{"ndgc"}, []int{1}, metric.Default())
	assert.ErrorContains(t, err, "did you mean")
}
