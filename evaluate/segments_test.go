package evaluate

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/metric"
)

// TestSegments: the figures of scipy.stats.ttest_ind(equal_var=False).
func TestSegments(t *testing.T) {
	of := map[string]string{"1": "x", "2": "x", "3": "x", "4": "x", "5": "x", "6": "y", "7": "y", "8": "y",
		"9": "y"}
	j := &Judgment{Queries: []string{"1", "6", "2", "7", "3", "8", "4", "9", "5"}, Results: []metric.Result{
		{Metric: "a", PerQuery: []float64{.1, .2, .5, .1, .25, 0, .9, .05, .3}},
		{Metric: "b", PerQuery: []float64{1, nan, 1, nan, 1, 1, 1, nan, 1}},
	}}
	s, err := j.Segments(of, quick())
	require.NoError(t, err)
	require.Len(t, s, 4)
	assert.Equal(t, []any{"x", 0, 5, "y", 0, 4}, []any{s[0].Name, s[0].Result, s[0].Queries, s[1].Name,
		s[1].Result, s[1].Queries})
	assert.InDelta(t, .41, s[0].Mean, 1e-15)
	assert.InDelta(t, .41-.0875, s[0].Difference, 1e-15)
	assert.InDelta(t, 2.2295571359361173, s[0].Welch.Statistic, 1e-12)
	assert.InDelta(t, 0.0791232089303924, s[0].Welch.P, 1e-12)
	assert.Equal(t, s[0].Welch.P, s[0].Holm, "the other result has no test, and two segments are one comparison")
	assert.Equal(t, s[0].Holm, s[1].Holm)
	assert.Less(t, s[0].Interval.Low, s[0].Mean)

	assert.Equal(t, []int{5, 1}, []int{s[2].Queries, s[3].Queries})
	assert.True(t, math.IsNaN(s[3].Interval.Low) && math.IsNaN(s[3].Welch.P) && math.IsNaN(s[3].Holm),
		"one query")

	delete(of, "8")
	_, err = j.Segments(of, quick())
	assert.EqualError(t, err, `query "8" has no segment`)
}

// TestHolmOfSegments: with three segments each is a comparison of its own.
func TestHolmOfSegments(t *testing.T) {
	all := make([]Segment, 6)
	for i, p := range []float64{.01, .02, nan, .03, .04, .5} {
		all[i].Welch.P, all[i].Holm = p, p
	}
	correctSegments(all, 3)
	for i, want := range []float64{.05, .08, nan, .09, .09, .5} {
		if math.IsNaN(want) {
			assert.True(t, math.IsNaN(all[i].Holm))
			continue
		}
		assert.InDelta(t, want, all[i].Holm, 1e-15)
	}
}
