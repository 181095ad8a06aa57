package booster

import "github.com/lambdamart/lambdamart/histogram"

// Histograms hold no row counts: they would cost a third of their time. Yet
// min_data_in_leaf holds exactly, because a split that would be chosen is
// counted first. Only if it fails is its column searched again, with counts.

// plenty tells without counting that a side has minData rows: no row's Hessian
// exceeds the largest.
func (l *limits) plenty(sum histogram.Sum) bool {
	return l.minData <= 1 || sum.Hessian/int64(l.minData) >= l.largestHessian
}

// choose returns the best split of a leaf among one candidate a column, such
// that both sides have minData rows. It changes candidates. sums returns the
// leaf's histogram of a column.
func (g *grower) choose(candidates []split, lf *leaf, sums func(column int32) []histogram.Sum) split {
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
		counts := g.countBins(lf.rows, best.column)
		left := rowsIn(counts[:best.bin+1])
		if left >= g.minData && len(lf.rows)-left >= g.minData {
			return best
		}
		candidates[at] = g.bestOfColumn(best.column, sums(best.column), lf.sum, counts)
	}
}

// countBins returns the number of the given rows in each bin of a column.
func (g *grower) countBins(rows []int32, column int32) []int32 {
	var counts [256]int32
	for _, r := range rows {
		counts[g.data.At(r, column)]++
	}
	return counts[:g.data.Bins(column).NumBins()]
}
