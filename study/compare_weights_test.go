package study

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWeightedExperiment: the table, its intervals and its tests are those of weighted queries.
func TestWeightedExperiment(t *testing.T) {
	data := twoFolds(t)
	weights := []float64{9, 0.1, 1, 4, 0.5, 2, 0.1, 7, 1, 3}
	var lines strings.Builder
	for _, w := range weights {
		for range 12 {
			fmt.Fprintln(&lines, w)
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(data, "Fold2", "test.txt.weight"), []byte(lines.String()), 0o666))
	o, rankers := preparedComparison(t, data)
	s := compared(t, o, rankers)
	mean := func(r *RankerSummary) float64 {
		sum, total := 0.0, 0.0
		for q, v := range r.values {
			w := 1.0
			if s.queries[q].Fold == "Fold2" {
				w = weights[q%10]
			}
			sum, total = sum+w*v, total+w
		}
		return sum / total
	}
	best := &s.Rankers[0]
	for i := range s.Rankers {
		r := &s.Rankers[i]
		assert.InDelta(t, mean(r), r.Mean, 1e-12)
		assert.InDelta(t, r.Mean, r.Metrics[0].Mean, 1e-12)
		assert.True(t, r.Interval.Low <= r.Mean && r.Mean <= r.Interval.High)
		if r.Against != nil {
			assert.InDelta(t, mean(r)-mean(best), r.Against.Difference, 1e-9)
		}
	}
	assert.Equal(t, withoutTimes(s), withoutTimes(compared(t, o, rankers)), "from kept results")
	var page strings.Builder
	require.NoError(t, s.Write(&page))
	assert.NotContains(t, page.String(), "NaN")
	assert.Contains(t, s.Tables[0].Below, "the weights make 20 queries as good as")
}
