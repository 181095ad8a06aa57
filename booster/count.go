package booster

import (
	"math"

	"github.com/lambdamart/lambdamart/internal/binsum"
)

// Histograms hold no row counts, which would take a third of their time. min_data_in_leaf holds
// nevertheless, because the rows of a split are counted before it is chosen. Only if the split has
// too few is its column searched again, with counts.
//
// Where all rows are active, counts are exact, and so is the rule in the finished model. Where
// gradients are sparse, an active row counts for 1/p rows, with p the probability that it is active:
// an unbiased estimate of the number of rows that have any gradient. Leaves that turn out to have
// fewer are taken out of the finished tree (minimum.go).

// plenty reports whether a side certainly has minData rows, without counting them: no row's Hessian
// exceeds the largest one, and no active row stands for less than one row.
func (g *grower) plenty(sum binsum.Sum) bool {
	return g.limits.minData <= 1 || sum.Hessian/int64(g.limits.minData) >= g.active.largestHessian
}

// choose returns the best split of a leaf for which both sides have minData rows, among one candidate
// for each column. It overwrites candidates.
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

// countBins returns how many of the rows each bin of a column has, and the sum of these counts.
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
		counts[bin] = toCount(n)
		total += int(counts[bin])
	}
	return counts, total
}

// toCount rounds an estimate of a number of rows. A row that is active by a very small chance stands
// for more rows than an int32 holds, and what the conversion of such a number gives depends on the CPU.
func toCount(rows float64) int32 { return int32(min(math.Round(rows), math.MaxInt32)) }
