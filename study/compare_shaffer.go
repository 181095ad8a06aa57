package study

import (
	"fmt"

	"github.com/lambdamart/lambdamart/metric"
)

// shaffer returns the probabilities p of the tests of all pairs of some rankers, adjusted so that the
// chance of any false alarm among them stays at the level with which each is compared, however many
// of the rankers are equally good (J. P. Shaffer, Modified sequentially rejective multiple test
// procedures, JASA 81, 1986, the procedure S1). The order of the pairs does not matter.
//
// It is Holm's method with smaller factors. Differences of pairs depend on each other: if a differs from b,
// then c differs from one of them. So once a pair is found to differ, not all others can be equal, and a
// probability is multiplied by the largest number of pairs that can still be equal. With four rankers the
// factors are 6, 3, 3, 3, 2, 1 instead of 6, 5, 4, 3, 2, 1.
//
// The ranker with the best mean on the same queries may be compared with the others by these probabilities. A
// correction for only the k-1 pairs with the best one is too small, since that one was chosen because it
// differs. It is an error if len(p) is not the number of pairs of any number of rankers.
func shaffer(p []float64) ([]float64, error) {
	rankers := 1
	for pairsOf(rankers) < len(p) {
		rankers++
	}
	if pairsOf(rankers) != len(p) {
		return nil, fmt.Errorf("significance: %d probabilities: want one for each pair of some rankers: 1, 3, "+
			"6, 10 and so on", len(p))
	}
	return metric.StepDown(p, shafferFactors(rankers)), nil
}

// pairsOf is the number of pairs of n elements.
func pairsOf(n int) int { return n * (n - 1) / 2 }

// shafferFactors returns, by the number of pairs that differ, from 0, the largest number of pairs that may
// still be equal.
func shafferFactors(rankers int) []int {
	possible := equalPairs(rankers)
	factors := make([]int, pairsOf(rankers))
	for differ := range factors {
		for equal := range len(factors) - differ + 1 {
			if possible[equal] {
				factors[differ] = equal
			}
		}
	}
	return factors
}

// equalPairs reports, by number, whether this many pairs of n rankers can be equal: rankers form groups of
// equal ones, and a group of j rankers has j(j-1)/2 equal pairs. It is the recurrence of Shaffer's section 2.
func equalPairs(n int) []bool {
	possible := make([][]bool, n+1)
	possible[0] = []bool{true}
	for k := 1; k <= n; k++ {
		possible[k] = make([]bool, pairsOf(k)+1)
		for j := 1; j <= k; j++ {
			for rest, can := range possible[k-j] {
				if can {
					possible[k][pairsOf(j)+rest] = true
				}
			}
		}
	}
	return possible[n]
}
