package study

import (
	"context"
	"fmt"

	"github.com/lambdamart/lambdamart/metric"
)

// RankerPair compares two rankers. Differences are B minus A, and B is the ranker with the lower mean.
type RankerPair struct {
	A, B string
	metric.Comparison

	// Corrected has the probabilities of the three tests, corrected for the number of all pairs (Holm's
	// method).
	Corrected struct{ StudentT, Randomization, Wilcoxon float64 }
}

// pairTests lists the tests of a pair: its uncorrected probability, and where to store the corrected one.
var pairTests = []struct {
	found     func(*metric.Comparison) float64
	corrected func(*RankerPair) *float64
}{
	{func(c *metric.Comparison) float64 { return c.StudentT.P },
		func(p *RankerPair) *float64 { return &p.Corrected.StudentT }},
	{func(c *metric.Comparison) float64 { return c.Randomization.P },
		func(p *RankerPair) *float64 { return &p.Corrected.Randomization }},
	{func(c *metric.Comparison) float64 { return c.Wilcoxon.P },
		func(p *RankerPair) *float64 { return &p.Corrected.Wilcoxon }},
}

// compare tests all pairs of rankers.
//
// The table shows only pairs with the best ranker, which was found on the same queries. If the correction
// were for these pairs only, the best of seven equal rankers would seem to differ from another one in 12.6 %
// of experiments. Choosing the reference by validation queries does not help, because with folds they are the
// test queries of other folds and so not independent.
func (s *BenchResult) compare(ctx context.Context, o metric.TestOptions) error {
	if len(s.Rankers) < 2 {
		return nil
	}
	if n := len(s.sample(&s.Rankers[0]).Values); n < 2 {
		return fmt.Errorf("%d test queries count: two are needed to compare rankers", n)
	}
	for i := range s.Rankers {
		for j := i + 1; j < len(s.Rankers); j++ {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			a, b := &s.Rankers[i], &s.Rankers[j]
			c, err := metric.Compare(a.values, b.values, s.weights, o)
			if err != nil {
				return err
			}
			s.Pairs = append(s.Pairs, RankerPair{A: a.Ranker, B: b.Ranker, Comparison: c})
		}
	}
	for j := 1; j < len(s.Rankers); j++ {
		s.Rankers[j].Against = &s.Pairs[j-1]
	}
	s.correct()
	return nil
}

// correct sets the corrected probabilities of all pairs.
func (s *BenchResult) correct() {
	for _, test := range pairTests {
		p := make([]float64, len(s.Pairs))
		for i := range s.Pairs {
			p[i] = test.found(&s.Pairs[i].Comparison)
		}
		corrected := metric.Holm(p)
		for i := range s.Pairs {
			*test.corrected(&s.Pairs[i]) = corrected[i]
		}
	}
}
