package study

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/metric"
)

// runOfRanker makes a result with the given values on test queries.
func runOfRanker(ranker, variant string, seed int, validation float64, values ...float64) *rankerRun {
	return &rankerRun{Ranker: ranker, Variant: variant, Seed: seed, Kept: 1, Validation: metric.Value(validation), Curve: []runPoint{{1, 1, metric.Value(validation)}},
		Queries: []string{"q1", "q2", "q3", "q4"}[:len(values)], Judged: []metricValues{{Metric: "ndcg@10", Values: values}}, TrainSeconds: 2}
}

// TestSummaryByHand: means, the deviation over seeds, and the choice of variant, computed by hand.
func TestSummaryByHand(t *testing.T) {
	nan := math.NaN()
	a := benchRanker{Name: "a", variants: []variant{{name: "x"}, {name: "y"}}}
	b := benchRanker{Name: "b", variants: []variant{{}}}
	e := &experiment{options: BenchOptions{Data: ".", Seeds: 2, Tests: metric.DefaultTestOptions()}, rankers: []benchRanker{a, b},
		judge: judges{metrics: []metric.Metric{metric.NDCG(metric.Default(), 10)}}, splits: []Split{{Name: "s"}}}
	var jobs []job
	add := func(ranker, variant, seed int, r *rankerRun) {
		jobs = append(jobs, job{ranker: &e.rankers[ranker], variant: &e.rankers[ranker].variants[variant], seed: seed, run: r})
	}
	add(0, 0, 1, runOfRanker("a", "x", 1, 0.9, 1, 1, 1, 1)) // validation .9 and .1: mean .5
	add(0, 0, 2, runOfRanker("a", "x", 2, 0.1, 1, 1, 1, 1))
	add(0, 1, 1, runOfRanker("a", "y", 1, 0.6, 0.2, 0.4, nan, 0.6)) // mean .6: chosen
	add(0, 1, 2, runOfRanker("a", "y", 2, 0.6, 0.4, 0.8, nan, 0.6))
	add(1, 0, 1, runOfRanker("b", "", 1, 0.5, 0.5, 0.7, nan, 0.9))
	add(1, 0, 2, runOfRanker("b", "", 2, 0.5, 0.5, 0.7, nan, 0.9))
	s, err := e.summarize(t.Context(), jobs, nil)
	require.NoError(t, err)
	require.Len(t, s.Rankers, 2)
	best, other := s.Rankers[0], s.Rankers[1]
	assert.Equal(t, "b", best.Ranker)
	assert.InDelta(t, 0.7, best.Mean, 1e-12)
	assert.Zero(t, best.SeedSD)
	assert.Equal(t, []string{"y"}, other.Chosen)
	assert.InDelta(t, 0.5, other.Mean, 1e-12, "of .3, .6 and .6")
	assert.InDelta(t, 0.2/math.Sqrt2, other.SeedSD, 1e-12, "of the means .4 and .6")
	assert.InDelta(t, -0.2, other.Against.Difference, 1e-9, "of -.2, -.1 and -.3")
	assert.Equal(t, 3, other.Against.Queries)
	assert.Equal(t, 8.0, other.TotalSeconds, "of both variants")
	assert.Equal(t, 2.0, other.TrainSeconds)
	assert.Equal(t, other.Against.Randomization.P, other.Against.Holm.Randomization, "one comparison needs no correction")
}

// TestSeedsDoNotMakeDifferencesCertain: a query counts once for any number of seeds. Counting seeds as
// further queries
// would make the same differences look more significant.
func TestSeedsDoNotMakeDifferencesCertain(t *testing.T) {
	p := func(seeds int) float64 {
		e := &experiment{options: BenchOptions{Data: ".", Seeds: seeds, Tests: metric.DefaultTestOptions()},
			rankers: []benchRanker{{Name: "a", variants: []variant{{}}}, {Name: "b", variants: []variant{{}}}},
			judge:   judges{metrics: []metric.Metric{metric.NDCG(metric.Default(), 10)}}, splits: []Split{{Name: "s"}}}
		var jobs []job
		for r, values := range [][]float64{{0.5, 0.6, 0.2, 0.4}, {0.4, 0.7, 0.1, 0.2}} {
			for seed := 1; seed <= seeds; seed++ {
				jobs = append(jobs, job{ranker: &e.rankers[r], variant: &e.rankers[r].variants[0], seed: seed,
					run: runOfRanker(e.rankers[r].Name, "", seed, 0.5, values...)})
			}
		}
		s, err := e.summarize(t.Context(), jobs, nil)
		require.NoError(t, err)
		return s.Rankers[1].Against.Holm.Randomization
	}
	assert.Equal(t, p(1), p(5))
}
