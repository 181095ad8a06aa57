package metric

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func value(t *testing.T, m Metric, labels, scores []float64) float64 {
	t.Helper()
	v, ok := m.Query(labels, scores)
	require.True(t, ok)
	return v
}

// descending returns scores that rank n documents in the order of the input.
func descending(n int) []float64 {
	scores := make([]float64, n)
	for i := range scores {
		scores[i] = float64(n - i)
	}
	return scores
}

func TestSpecialQueries(t *testing.T) {
	for _, c := range Presets() {
		one, two := []float64{1}, []float64{3, 3}
		assert.Equal(t, 1.0, value(t, NDCG(c, 1), one, []float64{-7}), "%s: a relevant document alone", c.Name)
		short := 1.0
		if c.Short == ShortZero {
			short = 0
		}
		assert.Equal(t, 1.0, value(t, NDCG(c, 2), two, []float64{2, 1}), "%s: equal labels", c.Name)
		assert.Equal(t, 1.0, value(t, NDCG(c, 2), two, []float64{1, 1}), "%s: equal labels and scores", c.Name)
		assert.Equal(t, short, value(t, NDCG(c, 5), two, []float64{2, 1}), "%s: fewer documents than ranks", c.Name)
		want := c.Empty.verdict()
		for _, labels := range [][]float64{{}, {0}, {0, 0, 0}} {
			got, ok := NDCG(c, 2).Query(labels, descending(len(labels)))
			assert.Equal(t, want.value, got, "%s: empty", c.Name)
			assert.Equal(t, want.counts, ok)
			got, ok = named("dcg", c, 2).Query(labels, descending(len(labels)))
			assert.Zero(t, got)
			assert.Equal(t, want.counts, ok)
		}
		v, ok := NDCG(c, 2).Query([]float64{1, 0}, []float64{math.NaN(), 1})
		assert.True(t, math.IsNaN(v) && ok, "%s: a NaN shows", c.Name)
	}
	_, ok := NDCG(LightGBM().withEmpty(EmptyLeftOut), 2).Query([]float64{0}, []float64{1})
	assert.False(t, ok)
	half, _ := NDCG(LightGBM().withEmpty(EmptyHalf), 2).Query([]float64{0}, []float64{1})
	assert.Equal(t, 0.5, half)
}
