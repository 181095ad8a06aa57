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
	simulatedExperiments = flag.Int("experiments", 1000,
		"experiments of TestFamilyWiseErrors for each number of rankers")
	simulatedSeed = flag.Uint64("simulation-seed", 1, "seed of TestFamilyWiseErrors")
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
