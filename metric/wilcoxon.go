package metric

import (
	"cmp"
	"math"
	"slices"
)

// mostExact is the largest number of differences for which all signs are counted.
const mostExact = 50

// wilcoxon performs the signed-rank test on differences. It uses only ranks, and so cannot take weights into
// account: if queries have different weights, the statistic and P are NaN. Differences of 0 are left out;
// differences of equal size share the mean of their ranks. The statistic is the smaller of the two sums of
// ranks, of positive and of negative differences. P is exact for up to 50 differences that are not 0. For
// more, it is computed from the normal distribution, with the variance corrected for equal sizes and without
// continuity correction.
func (s Sample) wilcoxon() Test {
	if s.Weights != nil {
		return Test{math.NaN(), math.NaN()}
	}
	sizes := slices.DeleteFunc(slices.Clone(s.Values), func(x float64) bool { return x == 0 })
	n := len(sizes)
	if n == 0 {
		return Test{0, 1}
	}
	slices.SortFunc(sizes, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	ranks, ties := doubleRanks(sizes)
	up := 0
	for i, x := range sizes {
		if x > 0 {
			up += ranks[i]
		}
	}
	w := min(up, n*(n+1)-up)
	if n <= mostExact {
		return Test{float64(w) / 2, signedRankTail(ranks, w)}
	}
	size := float64(n)
	variance := (float64(size*(size+1)*float64(n+n+1)) - float64(ties/2)) / 24
	z := (float64(float64(w)/2) - float64(size*(size+1)/4)) / math.Sqrt(variance)
	return Test{float64(w) / 2, math.Erfc(-z / math.Sqrt2)}
}

// doubleRanks returns twice the rank, from 1, of each difference, which is an integer, and the sum
// of t³ - t over all groups of t differences of equal size. The differences ascend in size.
func doubleRanks(sizes []float64) (ranks []int, ties float64) {
	for first, end := 0, 0; first < len(sizes); first = end {
		for end = first; end < len(sizes) && math.Abs(sizes[end]) == math.Abs(sizes[first]); end++ {
		}
		t := float64(end - first)
		ties += float64(t*t*t) - t
		for range end - first {
			ranks = append(ranks, first+1+end)
		}
	}
	return ranks, ties
}

// signedRankTail returns twice the probability, but at most 1, that ranks sum to w or less if each rank is
// included with probability one half. counts[s] is the number of ways to reach the sum s, exact in float64
// for up to 50 ranks.
func signedRankTail(ranks []int, w int) float64 {
	counts := make([]float64, w+1)
	counts[0] = 1
	for _, rank := range ranks {
		for s := w; s >= rank; s-- {
			counts[s] += counts[s-rank]
		}
	}
	ways := 0.0
	for _, c := range counts {
		ways += c
	}
	return min(1, math.Ldexp(ways, 1-len(ranks)))
}
