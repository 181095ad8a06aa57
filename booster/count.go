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
	return g.limits.MinData <= 1 || sum.Hessian/int64(g.limits.MinData) >= g.active.largestHessian
}

// choose returns the best split of a leaf for which both sides have minData rows, among the cuts that
// were found. It replaces cuts that leave too few.
func (g *grower) choose(s *search, lf *leaf) split {
	for {
		at := g.bestCut(s)
		if at < 0 {
			return split{}
		}
		best := g.limits.split(&s.leaf, g.order[at], &s.cuts[at])
		if best.counted || g.plenty(best.left) && g.plenty(lf.sum.Sub(best.left)) || g.isEnough(lf.rows, &best) {
			return best
		}
		c := g.columnOf(lf, best.column)
		c.Counts, c.Rows = g.countBins(lf.rows, best.column)
		left := best.leftRows(&c)
		if left >= g.limits.MinData && c.Rows-left >= g.limits.MinData {
			return best
		}
		s.cuts[at] = s.leaf.Cut(&c)
	}
}

// bestCut returns the place of the cut that gains most; of equal gains, that of the smaller column. It
// returns -1 if no cut gains.
func (g *grower) bestCut(s *search) int {
	at, best := -1, 0.0
	for i := range s.cuts {
		gain := g.limits.gain(&s.leaf, &s.cuts[i])
		if gain > best || gain == best && at >= 0 && g.order[i] < g.order[at] {
			at, best = i, gain
		}
	}
	return at
}

// isEnough reports whether both sides of a split certainly have minData rows. It counts rows until it
// knows. Where gradients are sparse, it knows nothing.
func (g *grower) isEnough(rows []int32, s *split) bool {
	if g.active.sparse {
		return false
	}
	const block = 64
	right := 0
	for at := 0; at < len(rows); at += block {
		end := min(at+block, len(rows))
		right += g.countRight(rows[at:end], s)
		if right >= g.limits.MinData && end-right >= g.limits.MinData {
			return true
		}
	}
	return false
}

// countRight returns how many of the rows a split sends right.
func (g *grower) countRight(rows []int32, s *split) int {
	field := g.matrix.Field(s.column)
	plane, mask, last := g.bins.Plane(field.At), field.InPlace(255), field.InPlace(s.bin)
	right := 0
	if exception := s.exception(g.matrix); exception != noBin {
		excepted := field.InPlace(uint8(exception))
		for _, r := range rows {
			right += isAbove(plane[r]&mask, last) ^ isEqual(plane[r]&mask, excepted)
		}
		return right
	}
	for _, r := range rows {
		right += isAbove(plane[r]&mask, last)
	}
	return right
}

// countBins returns how many of the rows each bin of a column has, and the sum of these counts.
func (g *grower) countBins(rows []int32, column int32) (counts []int32, total int) {
	counts = make([]int32, g.matrix.Bins(column).NumBins())
	field := g.matrix.Field(column)
	plane := g.bins.Plane(field.At)
	if !g.active.sparse {
		for _, r := range rows {
			counts[field.Bin(plane[r])]++
		}
		return counts, len(rows)
	}
	estimate := make([]float64, len(counts))
	for _, r := range rows {
		estimate[field.Bin(plane[r])] += float64(g.active.rowsFor[r])
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
