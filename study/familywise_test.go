package study

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/metric"
)

// test/long.sh sets these flags.
var (
	simulatedExperiments = flag.Int("experiments", 300,
		"experiments of TestFamilyWiseErrors for each number of rankers")
	simulatedSeed     = flag.Uint64("simulation-seed", 1, "seed of TestFamilyWiseErrors")
	simulatedSearches = flag.Int("searches", 500, "searches of TestFamilywiseErrors of each kind")
)

// TestFamilyWiseErrors simulates experiments in which some rankers are equally good, and counts the
// experiments in which any two of these differ significantly. At most 5 % may do so, over all pairs
// together, whether all rankers are equal or some are better than the rest.
func TestFamilyWiseErrors(t *testing.T) {
	for _, c := range []struct{ rankers, better int }{{3, 0}, {7, 0}, {7, 1}, {7, 3}, {20, 0}} {
		if c.rankers > 10 && *simulatedExperiments <= 1000 || c.better > 0 && testing.Short() {
			continue // 190 pairs are only for the long test
		}
		t.Run(fmt.Sprintf("%d rankers, %d of them better", c.rankers, c.better), func(t *testing.T) {
			shown, all := familyWiseErrors(t, c.rankers, c.better)
			n := float64(*simulatedExperiments)
			most := 0.05 + 3*math.Sqrt(0.05*0.95/n)
			for test := range shown {
				assert.LessOrEqual(t, float64(all[test])/n, most)
				assert.LessOrEqual(t, shown[test], all[test])
			}
			t.Logf("false alarms in %d experiments, of Student's t, randomization, Wilcoxon: with the best %v, any "+
				"pair %v", *simulatedExperiments, shown, all)
		})
	}
}

// familyWiseErrors returns, for each test, the number of experiments with a false alarm among the
// comparisons with the best ranker, and among all pairs.
func familyWiseErrors(t *testing.T, rankers, better int) (shown, all [3]int) {
	var wait sync.WaitGroup
	var lock sync.Mutex
	const workers = 2
	for w := range workers {
		wait.Go(func() {
			for i := w; i < *simulatedExperiments; i += workers {
				s := simulateRankers(t, rankers, better, uint64(i))
				lock.Lock()
				for test := range 3 {
					inShown, inAll := falseAlarms(s, test)
					shown[test] += inShown
					all[test] += inAll
				}
				lock.Unlock()
			}
		})
	}
	wait.Wait()
	return shown, all
}

// simulateRankers compares rankers on 60 queries of varying difficulty, plus noise. The first ones are
// better.
func simulateRankers(t *testing.T, rankers, better int, number uint64) *BenchResult {
	const queries = 60
	random := rand.New(rand.NewPCG(*simulatedSeed, number))
	s := &BenchResult{}
	for r := range rankers {
		name := fmt.Sprintf("equal %d", r)
		if r < better {
			name = fmt.Sprintf("better %d", r)
		}
		s.Rankers = append(s.Rankers, RankerSummary{Ranker: name, values: make([]float64, queries)})
	}
	for q := range queries {
		difficulty := random.Float64()
		for r := range s.Rankers {
			s.Rankers[r].values[q] = difficulty + 0.1*random.NormFloat64()
			if r < better {
				s.Rankers[r].values[q] += 0.2
			}
		}
	}
	slices.SortStableFunc(s.Rankers,
		func(a, b RankerSummary) int { return cmp.Compare(meanOf(b.values, nil), meanOf(a.values, nil)) })
	o := metric.TestOptions{Level: 0.95, Resamples: 2, Trials: 4 * max(rankers*rankers*10, 100), Seed: number,
		Workers: 1}
	require.NoError(t, s.compare(t.Context(), o))
	return s
}

// falseAlarms returns 1 if the test finds a difference between equal rankers: in comparisons with the best
// ranker, and in any pair.
func falseAlarms(s *BenchResult, test int) (shown, all int) {
	for i := range s.Pairs {
		p := &s.Pairs[i]
		holm := [3]float64{p.Holm.StudentT, p.Holm.Randomization, p.Holm.Wilcoxon}
		if s.Rankers[p.A].Ranker[:5] == s.Rankers[p.B].Ranker[:5] && holm[test] < metric.Alpha {
			all = 1
			if p.A == 0 {
				shown = 1
			}
		}
	}
	return shown, all
}

// TestFamilywiseErrors simulates searches in which no setting is better than the defaults, and counts those
// that say so. That may happen in 5 % of them at most, whether the model was fixed before the search or
// found by it. bench/quality/README.md has the figures of
//
//	go test ./study -run FamilywiseErrors -searches 20000 -v
func TestFamilywiseErrors(t *testing.T) {
	for _, c := range []struct{ asked, trials int }{{0, 20}, {1, 20}, {1, 100}} {
		fixed, found := 0, 0
		for number := range *simulatedSearches {
			r := simulateTuning(t, c.asked, c.trials, 0, uint64(number))
			switch {
			case !r.Beats:
			case r.Models[0].Number <= c.asked:
				fixed++
			default:
				found++
			}
		}
		n := float64(*simulatedSearches)
		t.Logf("%d of %d trials fixed before: false alarms in %d searches: %.2f %% of a fixed one, %.2f %% of one "+
			"that was found",
			c.asked, c.trials, *simulatedSearches, 100*float64(fixed)/n, 100*float64(found)/n)
		assert.LessOrEqual(t, float64(fixed+found)/n, 0.05+3*math.Sqrt(0.05*0.95/n))
	}
}

// simulateTuning simulates a search. Trials have values on 40 queries of varying difficulty, plus noise. If
// asked is 1, the first is the model of preset=auto, which also gains over the base.
func simulateTuning(t *testing.T, asked, trials int, gain float64, number uint64) *TuneResult {
	t.Helper()
	const queries = 40
	rng := rand.New(rand.NewPCG(1, number))
	difficulty := make([]float64, queries)
	for q := range difficulty {
		difficulty[q] = rng.Float64()
	}
	s := &search{begun: begun{tests: metric.DefaultTestOptions()}}
	s.tests.Seed, s.tests.Trials, s.tests.Resamples, s.tests.Workers = number, 2000, 2, 1
	for n := range trials + 1 {
		trial := &Trial{Number: n, Step: trialSteps, params: tuneParams(),
			Trained: Trained{PerQuery: make([]float64, queries)}}
		for q := range trial.PerQuery {
			trial.PerQuery[q] = difficulty[q] + 0.1*rng.NormFloat64()
			if n == 1 && asked == 1 {
				trial.PerQuery[q] += gain
			}
		}
		trial.Value = s.single(trial).value()
		s.trials = append(s.trials, trial)
	}
	if asked == 1 {
		s.usual = s.single(s.trials[1])
	}
	chosen := s.final()
	r := &TuneResult{Trials: s.trials, FinalModel: *chosen, Value: chosen.value(), Metric: "ndcg@5"}
	if !r.isBase() {
		require.NoError(t, s.compare(r, chosen))
	}
	return r
}

// TestFixedBeforehand: the p-value of a model that was fixed before the search is not multiplied by the
// number of trials.
func TestFixedBeforehand(t *testing.T) {
	few, many := simulateTuning(t, 1, 2, 0.1, 7), simulateTuning(t, 1, 50, 0.1, 7)
	for _, r := range []*TuneResult{few, many} {
		require.Equal(t, 1, r.Models[0].Number)
		assert.Equal(t, 1, r.Tests)
		assert.Equal(t, r.Comparison.Randomization.P, r.P)
	}
	assert.Equal(t, few.P, many.P)
	assert.Equal(t, 50, simulateTuning(t, 0, 50, 0, 7).Tests, "found by the search")
}

// TestNotProven: a large p does not prove that nothing is better.
func TestNotProven(t *testing.T) {
	for number := range uint64(50) {
		r := simulateTuning(t, 1, 2, 0.02, number)
		if r.isBase() || r.Beats || r.Comparison.Difference <= 0 {
			continue
		}
		c := r.Comparison
		assert.Contains(t, r.finding(), fmt.Sprintf("not proven on 40 queries: interval %+.4f to %+.4f, p = ",
			c.Interval.Low, c.Interval.High))
		assert.Contains(t, r.finding(), "is the better choice")
		r.base().Value++ // of the smoothed curve
		assert.Contains(t, r.finding(), fmt.Sprintf(" %.4f after", c.MeanA))
		assert.NotContains(t, r.finding(), "Chance explains")
		return
	}
	t.Fatal("all searches are clear")
}
