package booster

import (
	"math"

	"github.com/lambdamart/lambdamart/internal/binsum"
)

// Histograms hold no row counts: they would cost a third of their time. Yet
// min_data_in_leaf holds, because a split that would be chosen is counted
// first. Only if it fails is its column searched again, with counts.
//
// Where all rows are active counts are exact, and so is the rule in the finished
// model. Where gradients are sparse, an active row counts for 1/p rows, p being
// the probability with which it is active: an unbiased estimate of the number of
// rows that have any gradient.

// plenty tells without counting that a side has minData rows: no row's Hessian
// exceeds the largest, and no active row stands for less than one.
func (g *grower) plenty(sum binsum.Sum) bool {
	return g.limits.minData <= 1 || sum.Hessian/int64(g.limits.minData) >= g.active.largestHessian
}

// choose returns the best split of a leaf among one candidate for each column,
// such that both sides have minData rows. It changes candidates.
func (g *grower) choose(candidates []split, lf *leaf) split {
	for {
		at, best := 0, split{}
		for i, c := range candidates {
			if c.better(best) {
				at, best = i, c
			}
		}
		if best.gain <= 0 || best.counted || g.plenty(best.left) && g.plenty(lf.sum.Sub(best.left)) {
			return best
		}
		c := g.columnOf(lf, best.column)
		c.counts, c.rows = g.countBins(lf.rows, best.column)
		left := best.leftRows(&c)
		if left >= g.limits.minData && c.rows-left >= g.limits.minData {
			return best
		}
		candidates[at] = g.limits.best(best.column, &c)
	}
}

// countBins returns how many rows each bin of a column has, and their sum.
func (g *grower) countBins(rows []int32, column int32) (counts []int32, total int) {
	counts = make([]int32, g.matrix.Bins(column).NumBins())
	if !g.active.sparse {
		for _, r := range rows {
			counts[g.bins.At(r, column)]++
		}
		return counts, len(rows)
	}
	estimate := make([]float64, len(counts))
	for _, r := range rows {
		estimate[g.bins.At(r, column)] += float64(g.active.rowsFor[r])
	}
	for bin, n := range estimate {
		counts[bin] = int32(math.Round(n))
		total += int(counts[bin])
	}
	return counts, total
}
