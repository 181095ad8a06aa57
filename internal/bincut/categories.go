package bincut

import (
	"math"

	"github.com/lambdamart/lambdamart/internal/binsum"
)

// A column of categories is cut into a set of bins, which goes left, and all others. The search is
// LightGBM's (FeatureHistogram::FindBestThresholdCategoricalInner):
//
//	few bins    each bin but bin 0 against all others
//	many        bins are sorted by G/(H+smooth), after Fisher, On Grouping for Maximum Homogeneity, JASA
//	            1958: the best set is a part of this order. Its first 1, 2, … bins go left, and then its
//	            last 1, 2, … bins.
//
// Bin 0, of rare and missing values, goes right. Bins with fewer rows than smooth are not sorted, and go
// right, too. Rows are not counted: as in LightGBM, a bin with the Hessian H is assumed to have the share
// H/ΣH of the leaf's rows. Only min_data_in_leaf is checked with counts, if they are given.
//
// The first of equal gains is kept, in the order above. Bins without gradient and Hessian are not sorted;
// in LightGBM they are if smooth is 0.

// Categories are the rules for columns of categories, in the units of the sums.
type Categories struct {
	Smooth     float64 // cat_smooth, added to Hessians
	SmoothRows float64 // cat_smooth, as the smallest number of rows of a sorted bin
	L2         float64 // cat_l2: added to λ2 for sets of sorted bins
	Most       int     // max_cat_threshold: largest number of bins of such a set
	MostOneHot int     // max_cat_to_onehot: columns with at most this many bins try each bin alone
	// min_data_per_group: smallest number of rows by which sets of sorted bins differ, and of rows on the right
	Group int
}

// CategoryLeaf is a leaf whose categorical columns are searched.
type CategoryLeaf struct {
	*Valued
	Rules  *Categories
	Memory *Order
	Ends   *Ends // of the column that is searched
}

// AnySet allows all sets of a column.
const AnySet = -1.0

// Cut returns the best cut of a categorical column; [CategoryLeaf.LeftBins] returns its bins on the left.
// draw is AnySet, or a number in [0, 1) that selects the only allowed set from each end of the order.
func (lf *CategoryLeaf) Cut(c *Column, draw float64) Cut { return lf.search(c).cut(draw) }

// cut returns the best cut.
func (s *categorySearch) cut(draw float64) Cut {
	if s.oneHot() {
		return s.each(draw)
	}
	order := s.order()
	first := s.along(order, false, draw)
	if last := s.along(order, true, draw); last.Both > first.Both {
		return last
	}
	return first
}

// LeftBins returns the bins that a cut sends left. They are valid until the memory is used again.
func (lf *CategoryLeaf) LeftBins(c *Column, cut *Cut) []int32 {
	s := lf.search(c)
	if s.oneHot() {
		lf.Memory.sortable = append(lf.Memory.sortable[:0], cut.Bin)
		return lf.Memory.sortable
	}
	return s.order().end(cut.FromEnd)[:cut.Bin+1]
}

// After returns the cut of a column that sends left the bins for which right is 0, even if it does not
// gain. Its Bin is -1 if MinHessian does not allow the cut; otherwise it has no meaning.
func (lf *CategoryLeaf) After(c *Column, right []uint8) Cut {
	s := lf.search(&Column{Sums: c.Sums, Missing: -1})
	left, rows := s.leftOf(right)
	if !s.allowsHessians(left) {
		return Cut{Bin: -1}
	}
	return Cut{Both: s.both(left, rows), Right: lf.total - left}
}

// Sides returns the values of both sides of a column if the bins for which right is 0 go left. The set may be
// none of this leaf's own: all leaves of a level are split by one set.
func (lf *CategoryLeaf) Sides(c *Column, right []uint8) (wl, wr float64) {
	s := lf.search(&Column{Sums: c.Sums, Missing: -1})
	left, rows := s.leftOf(right)
	return s.valued.value(binsum.Unpack(left), rows), s.valued.value(binsum.Unpack(lf.total-left), s.rows-rows)
}

// OneHot reports whether each bin of a column of this many bins is tried alone.
func (r *Categories) OneHot(bins int) bool { return bins <= r.MostOneHot }

// categorySearch is the search of a categorical column.
type categorySearch struct {
	lf         *CategoryLeaf
	c          *Column
	limits     Limits         // with the λ2 of sets
	valued     Valued         // with these limits
	rows       float64        // of the leaf
	perHessian float64        // rows per unit of Hessian
	level      *CategoryLevel // has the gains of sets; nil: they are computed for the leaf
}

func (lf *CategoryLeaf) search(c *Column) *categorySearch {
	s := &categorySearch{lf: lf, c: c, limits: *lf.limits, valued: *lf.Valued, rows: lf.Rows}
	s.perHessian = lf.Rows / float64(binsum.Unpack(lf.total).Hessian)
	if c.Counts != nil {
		s.rows = float64(c.Rows)
	}
	if !s.oneHot() {
		s.limits.LambdaL2 += lf.Rules.L2
	}
	s.valued.limits = &s.limits
	return s
}

func (s *categorySearch) oneHot() bool { return s.lf.Rules.OneHot(len(s.c.Sums)) }

// estimate returns LightGBM's estimate of the rows of a bin.
func (s *categorySearch) estimate(hessian float64) float64 {
	return math.Floor(float64(hessian*s.perHessian) + 0.5)
}

// rowsOf returns the rows of a bin, or LightGBM's estimate of them.
func (s *categorySearch) rowsOf(bin int32) float64 {
	if s.c.Counts != nil {
		return float64(s.c.Counts[bin])
	}
	return s.estimate(float64(binsum.Unpack(s.c.Sums[bin]).Hessian))
}

// leftOf returns the packed sum and the rows of the bins for which right is 0.
func (s *categorySearch) leftOf(right []uint8) (left int64, rows float64) {
	for bin, r := range right {
		if r == 0 {
			left, rows = left+s.c.Sums[bin], rows+s.rowsOf(int32(bin))
		}
	}
	return left, rows
}

// allowsHessians reports whether both sides have MinHessian if the packed sum goes left.
func (s *categorySearch) allowsHessians(left int64) bool {
	hl, hr := binsum.Unpack(left).Hessian, binsum.Unpack(s.lf.total-left).Hessian
	return float64(min(hl, hr)) >= s.limits.MinHessian
}

// gain returns the gain of a set, by which cuts are chosen. number and fromEnd identify the set, as in
// [Cut], and left is its packed sum, of this many rows.
func (s *categorySearch) gain(number int32, fromEnd bool, left int64, rows float64) float64 {
	if s.level != nil {
		return *s.level.at(int(number), fromEnd)
	}
	return s.both(left, rows)
}

// both returns the gain of both sides if the packed sum left, of this many rows, goes left.
func (s *categorySearch) both(left int64, rows float64) float64 {
	l, r := binsum.Unpack(left), binsum.Unpack(s.lf.total-left)
	if v := &s.valued; v.Any() || v.Bounded() {
		wl, wr := v.value(l, rows), v.value(r, s.rows-rows)
		return s.limits.fallAt(float64(l.Gradient), float64(l.Hessian), wl) +
			s.limits.fallAt(float64(r.Gradient), float64(r.Hessian), wr)
	}
	gl, gr := s.limits.shrinkBoth(float64(l.Gradient), float64(r.Gradient))
	return s.limits.fallBoth(gl, float64(l.Hessian), gr, float64(r.Hessian))
}

// each returns the best cut of one bin against all others.
func (s *categorySearch) each(draw float64) Cut {
	best, data, only := s.none(), float64(s.limits.MinData), drawn(draw, len(s.c.Sums)-1)
	for b := 1; b < len(s.c.Sums); b++ {
		if only >= 0 && b-1 != only {
			continue
		}
		sum := s.c.Sums[b]
		rows := s.rowsOf(int32(b))
		if rows < data || s.rows-rows < data || !s.allowsHessians(sum) {
			continue
		}
		if gain := s.gain(int32(b), false, sum, rows); gain > best.Both {
			best.Both, best.Bin, best.Right = gain, int32(b), s.lf.total-sum
		}
	}
	return best
}

// along returns the best cut that sends the first bins of the order left, or the last ones.
func (s *categorySearch) along(order *Ends, fromEnd bool, draw float64) Cut {
	best, data, group := s.none(), float64(s.limits.MinData), float64(s.lf.Rules.Group)
	best.FromEnd = fromEnd
	left, leftRows, more := int64(0), 0.0, 0.0 // more: rows since the last cut that was tried
	most := order.most()
	only := drawn(draw, max(1, most-1)) // as in LightGBM, which never draws the largest set
	for i := range most {
		bin := order.at(i, fromEnd)
		left += s.c.Sums[bin]
		rows := s.rowsOf(bin)
		leftRows, more = leftRows+rows, more+rows
		if leftRows < data || float64(binsum.Unpack(left).Hessian) < s.limits.MinHessian {
			continue
		}
		if right := s.rows - leftRows; right < max(data, group) ||
			float64(binsum.Unpack(s.lf.total-left).Hessian) < s.limits.MinHessian {
			break
		}
		if more < group {
			continue
		}
		more = 0
		if only >= 0 && i != only {
			continue
		}
		if gain := s.gain(int32(i), fromEnd, left, leftRows); gain > best.Both {
			best.Both, best.Bin, best.Right = gain, int32(i), s.lf.total-left
		}
	}
	return best
}

// drawn returns the number below n that a draw selects, or -1 for AnySet.
func drawn(draw float64, n int) int {
	if draw < 0 {
		return -1
	}
	return int(draw * float64(n))
}

// none returns the result of a search that finds no cut.
func (s *categorySearch) none() Cut {
	return Cut{Both: s.lf.floor, Bin: -1, Counted: s.c.Counts != nil}
}
