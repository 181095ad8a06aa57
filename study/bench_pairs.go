package study

import (
	"context"
	"fmt"

	"github.com/lambdamart/lambdamart/evaluate"
	"github.com/lambdamart/lambdamart/metric"
)

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
			c, err := metric.Compare(s.Rankers[i].values, s.Rankers[j].values, s.weights, o)
			if err != nil {
				return err
			}
			s.Pairs = append(s.Pairs, evaluate.Pair{A: i, B: j, Comparison: c})
		}
	}
	for j := 1; j < len(s.Rankers); j++ {
		s.Rankers[j].Against = &s.Pairs[j-1]
	}
	evaluate.Correct(&evaluate.Comparison{Pairs: s.Pairs})
	return nil
}
