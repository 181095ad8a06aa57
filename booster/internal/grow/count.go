package grow

import (
	"math"

	"github.com/lambdamart/lambdamart/internal/bincut"
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// Histograms have no row counts, which would take a third of the time of building them. To enforce
// min_data_in_leaf, the rows of a split are counted before it is chosen. If one side has too few rows, the
// column is searched again with counts.
//
// If all rows are active, counts are exact. If gradients are sparse, an active row counts for 1/p rows, where
// p is the probability that it is active: this is an unbiased estimate of the number of rows with a gradient.
// Leaves that turn out to have too few rows are taken out of the finished tree (minimum.go).

// count reports whether both sides of a split have minData rows. If they do not, or if rows are estimated, it
// counts the rows of each bin of the split's column.
func (g *Grower) count(c *bincut.Column, lf *leaf, s *split) (enough bool) {
	if !g.active.Sparse && g.enough(lf, s) {
		return true
	}
	g.counts = g.appendCounts(g.counts[:0], lf.rows, s.Column)
	if lf.idle != nil {
		idle := g.known(lf.idle)
		g.bins.Count(g.counts, s.Column, idle)
	}
	g.active.setCounts(c, g.counts)
	return g.limits.allows(s, c)
}

// enough reports whether both sides of a split certainly have minData rows. It stops counting when it knows,
// and does not begin where all rows can be counted in less time.
func (g *Grower) enough(lf *leaf, s *split) bool {
	if g.bins.CountsFast(s.Column, lf.rows) {
		return false
	}
	n := sideCount{cut: s.cut(g.matrix), minData: g.limits.MinData}
	if n.add(g.bins.Column(s.Column, lf.rows), lf.rows) {
		return true
	}
	if lf.idle == nil {
		return false
	}
	idle := g.known(lf.idle)
	return n.add(g.bins.Column(s.Column, idle), idle)
}

// sideCount counts the rows on the sides of a cut.
type sideCount struct {
	cut                     binsum.Cut
	minData, counted, right int
}

// isUnlikely reports whether a side has so few of the first rows that it probably lacks rows.
func (n *sideCount) isUnlikely(rows int) bool {
	const least = 512
	return n.counted >= least && min(n.right, n.counted-n.right)*rows < n.minData*n.counted
}

// add counts rows, and stops when it knows that both sides have minData rows, which it reports, or when that
// becomes unlikely, since all rows are counted then.
func (n *sideCount) add(column binsum.Column, rows []int32) (enough bool) {
	const block = 64
	all := len(rows)
	for len(rows) > 0 {
		some := min(block, len(rows))
		n.right += column.CountRight(rows[:some], n.cut)
		if n.counted += some; min(n.right, n.counted-n.right) >= n.minData {
			return true
		}
		if n.isUnlikely(all) {
			return false
		}
		rows = rows[some:]
	}
	return false
}

// countUnit is the number of units in a row where rows are estimated: sums of estimates are exact
// multiples of 1/countUnit.
const countUnit = 1 << 23

// units returns the number of this peer's rows: exact, or, if rows are estimated, in units. Its sum over the
// peers does not depend on how the rows are divided among them.
func (a *Active) units(rows []int32) int64 {
	if !a.Sparse {
		return int64(len(rows))
	}
	estimate := 0.0
	for _, r := range rows {
		estimate += float64(a.RowsFor[r])
	}
	return inUnits(estimate)
}

// inUnits returns an estimate of rows in units.
func inUnits(estimate float64) int64 { return int64(float64(min(estimate, mostCounted) * countUnit)) }

// inRows returns the number of rows for a sum of units.
func (a *Active) inRows(units int64) float64 {
	if !a.Sparse {
		return float64(units)
	}
	return float64(min(units, mostCounted*countUnit)) / countUnit
}

// mostCounted is the largest estimate of a number of rows. A row that is active with a very small probability
// stands for more rows than there are, and it only matters that this is more than min_data_in_leaf. Sums
// below mostCounted are exact: each active row stands for at least one row, which is a multiple of 2^-23 as a
// float32.
const mostCounted = 1 << 30

// toCount rounds an estimate of a number of rows.
func toCount(rows float64) int64 { return int64(math.Round(min(rows, mostCounted))) }

// appendCounts appends the numbers of this peer's rows of a leaf in the bins of a column, in rows or, where
// they are estimated, in units.
func (g *Grower) appendCounts(counts []int64, rows []int32, column int32) []int64 {
	n, bins := len(counts), g.matrix.Bins(column).NumBins()
	counts = append(counts, make([]int64, bins)...)
	if !g.active.Sparse {
		g.bins.Count(counts[n:], column, rows)
		return counts
	}
	g.estimates = reuse.Zeros(g.estimates, bins)
	g.bins.Column(column, rows).Weigh(g.estimates, rows, g.active.RowsFor)
	for bin, estimate := range g.estimates {
		counts[n+bin] = inUnits(estimate)
	}
	return counts
}

// setCounts is like [Active.setCounts], for sums that are needed again.
func (g *Grower) setCounts(c *bincut.Column, sums []int64) {
	g.counts = append(g.counts[:0], sums...)
	g.active.setCounts(c, g.counts)
}

// setCounts sets the counts of a column from the sums of all peers, which it keeps, or changes from units to
// rows.
func (a *Active) setCounts(c *bincut.Column, sums []int64) {
	if a.Sparse {
		for bin, units := range sums {
			sums[bin] = toCount(float64(units) / countUnit)
		}
	}
	c.Counts, c.Rows = sums, 0
	for _, n := range sums {
		c.Rows += int(n)
	}
}
