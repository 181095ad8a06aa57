package study

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/metric"
)

// runOfRanker makes a result with the given values on test queries.
func runOfRanker(ranker string, seed int, values ...float64) *rankerRun {
	return &rankerRun{Ranker: ranker, Seed: seed, Kept: 1, Validation: 0.5, Curve: []runPoint{{1, 0.5}},
		Queries: []string{"q1", "q2", "q3", "q4"}[:len(values)],
		Judged:  []metricValues{{Metric: "ndcg@10", Values: values}}, TrainSeconds: 2}
}

// TestSummaryByHand: means and the deviation over seeds, computed by hand.
func TestSummaryByHand(t *testing.T) {
	nan := math.NaN()
	e := &experiment{options: BenchOptions{Data: ".", Seeds: 2, Tests: metric.DefaultTestOptions()},
		rankers: []benchRanker{{Name: "a"}, {Name: "b"}},
		judge:   judges{metrics: []metric.Metric{metric.NDCG(metric.Default(), 10)}}, splits: []Split{{Name: "s"}}}
	var jobs []job
	add := func(ranker, seed int, values ...float64) {
		r := &e.rankers[ranker]
		jobs = append(jobs, job{ranker: r, seed: seed, run: runOfRanker(r.Name, seed, values...)})
	}
	add(0, 1, 0.2, 0.4, nan, 0.6)
	add(0, 2, 0.4, 0.8, nan, 0.6)
	add(1, 1, 0.5, 0.7, nan, 0.9)
	add(1, 2, 0.5, 0.7, nan, 0.9)
	s, err := e.summarize(t.Context(), jobs, nil)
	require.NoError(t, err)
	require.Len(t, s.Rankers, 2)
	best, other := s.Rankers[0], s.Rankers[1]
	assert.Equal(t, "b", best.Ranker)
	assert.InDelta(t, 0.7, best.Mean, 1e-12)
	assert.Zero(t, best.SeedSD)
	assert.InDelta(t, 0.5, other.Mean, 1e-12, "of .3, .6 and .6")
	assert.InDelta(t, 0.2/math.Sqrt2, other.SeedSD, 1e-12, "of the means .4 and .6")
	assert.InDelta(t, -0.2, other.Against.Difference, 1e-9, "of -.2, -.1 and -.3")
	assert.Equal(t, 3, other.Against.Queries)
	assert.Equal(t, 2.0, other.TrainSeconds)
	assert.Equal(t, other.Against.Randomization.P, other.Against.Holm.Randomization,
		"one comparison needs no correction")
}

// TestSeedsDoNotMakeDifferencesCertain: a query counts once for any number of seeds. Counting seeds as
// further queries
// would make the same differences look more significant.
func TestSeedsDoNotMakeDifferencesCertain(t *testing.T) {
	p := func(seeds int) float64 {
		e := &experiment{options: BenchOptions{Data: ".", Seeds: seeds, Tests: metric.DefaultTestOptions()},
			rankers: []benchRanker{{Name: "a"}, {Name: "b"}},
			judge:   judges{metrics: []metric.Metric{metric.NDCG(metric.Default(), 10)}}, splits: []Split{{Name: "s"}}}
		var jobs []job
		for r, values := range [][]float64{{0.5, 0.6, 0.2, 0.4}, {0.4, 0.7, 0.1, 0.2}} {
			for seed := 1; seed <= seeds; seed++ {
				jobs = append(jobs, job{ranker: &e.rankers[r], seed: seed,
					run: runOfRanker(e.rankers[r].Name, seed, values...)})
			}
		}
		s, err := e.summarize(t.Context(), jobs, nil)
		require.NoError(t, err)
		return s.Rankers[1].Against.Holm.Randomization
	}
	assert.Equal(t, p(1), p(5))
}
