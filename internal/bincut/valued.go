package bincut

import (
	"math"

	"github.com/lambdamart/lambdamart/internal/binsum"
)

// Values are rules for the values of leaves, in the units u/v of the sums. With any of these rules, a side
// may not get its best value, and the gain of a cut is computed from the values that its sides get.
type Values struct {
	MaxStep float64 // largest magnitude before smoothing; 0: any
	Smooth  float64 // rows of a side whose value is halfway between its own and the leaf's; 0: no smoothing
}

// Any reports whether there is any rule.
func (v *Values) Any() bool { return v.MaxStep > 0 || v.Smooth > 0 }

// Valued is a leaf whose gains depend on the values of the sides. (LightGBM's CalculateSplittedLeafOutput
// and GetLeafGainGivenOutput.) For a side with the sums G and H and n rows, M the largest step, s the
// smoothing, and o the value of the leaf,
//
//	w₁ = -T(G)/(H+λ2), at most M in magnitude
//	w₂ = w₁·(n/s)/(n/s+1) + o/(n/s+1)
//	w  = w₂, at least Low and at most High
//	gain = -(2·T(G)·w + (H+λ2)·w²)
//
// As in LightGBM, n is an estimate: the rows of a bin are its share of the Hessian, rounded to whole rows.
type Valued struct {
	Leaf
	Values
	Value  float64 // of the leaf
	Rows   float64 // of the leaf
	Bounds         // of the values of both sides

	perHessian float64 // rows per unit of the Hessian
}

// Best returns the value of a leaf with the given sum that decreases the loss most,
// at most MaxStep in magnitude.
func (l *Limits) Best(v *Values, sum binsum.Sum) float64 {
	if sum.Hessian == 0 {
		return 0
	}
	return v.step(-Shrink(float64(sum.Gradient), l.LambdaL1) / (float64(sum.Hessian) + l.LambdaL2))
}

func (v *Values) step(w float64) float64 {
	if v.MaxStep > 0 && math.Abs(w) > v.MaxStep {
		return math.Copysign(v.MaxStep, w)
	}
	return w
}

// Toward returns the weighted mean of a side's own value and the leaf's value.
func (v *Values) Toward(own, leaf, rows float64) float64 {
	if v.Smooth == 0 {
		return own
	}
	share := rows / v.Smooth
	return float64(own*share)/(share+1) + leaf/(share+1)
}

// Valued returns the leaf with this value whose rows have the given sum and number. It has no bounds.
func (l *Limits) Valued(v Values, total binsum.Sum, value, rows float64) Valued {
	r := Valued{Leaf: l.Leaf(total), Values: v, Value: value, Rows: rows}
	r.Bounds = Unbounded()
	r.perHessian = rows / float64(total.Hessian)
	if v.Any() {
		w := r.Toward(l.Best(&v, total), value, rows)
		r.floor = l.fallAt(float64(total.Gradient), float64(total.Hessian), w) + l.MinGain
	}
	return r
}

// fallAt returns twice the decrease of the loss if a leaf with these sums gets the value w.
func (l *Limits) fallAt(gradient, hessian, w float64) float64 {
	t := Shrink(gradient, l.LambdaL1)
	return -(float64(2*t*w) + float64(float64((hessian+l.LambdaL2)*w)*w))
}

// value returns the value of a side.
func (r *Valued) value(sum binsum.Sum, rows float64) float64 {
	return r.Keep(r.Toward(r.limits.Best(&r.Values, sum), r.Value, rows))
}

// rowsOf estimates the rows of a bin.
func (r *Valued) rowsOf(sum int64) float64 {
	return math.Floor(float64(float64(binsum.Unpack(sum).Hessian)*r.perHessian) + 0.5)
}

// Request restricts the cuts of a column.
type Request struct {
	Direction int8  // 1: the right side must not have the smaller value; -1: not the larger value; 0: any
	Only      int32 // the bin after which the column is cut; -1: any

	MissingRight bool // missing values go right; used by After only
}

// AnyCut allows all cuts.
var AnyCut = Request{Only: -1}

// Cut returns the best cut of a column, by the rules of [Leaf.Cut] for missing values and equal gains.
func (r *Valued) Cut(c *Column, q Request) Cut {
	s := valuedScan{valued: r, column: c, request: q}
	s.toLeft = Cut{Both: r.floor, Bin: -1, Counted: c.Counts != nil}
	s.toRight = s.toLeft
	s.run()
	if s.toRight.Bin >= 0 && s.toRight.Both > s.toLeft.Both {
		return s.toRight
	}
	return s.toLeft
}

// Bound returns an upper bound: a cut whose Both is at least the Both of [Valued.Cut] for any request,
// because sides with their best values gain most. Its Bin is -1 if no cut gains. It uses
// the fast search of [Leaf.Cut].
func (r *Valued) Bound(c *Column) Cut {
	const slack = 1e-9 // far beyond what rounding changes
	free := r.Leaf
	free.floor -= math.Abs(float64(free.floor * slack))
	cut := free.Cut(c)
	cut.Both += math.Abs(float64(cut.Both * slack))
	cut.Bound = cut.Bin >= 0
	return cut
}

// After returns the cut after the bin request.Only, even if it does not gain. Its Bin is -1 if a rule other
// than min_data_in_leaf does not allow it.
func (r *Valued) After(c *Column, request Request) Cut {
	s := valuedScan{valued: r, column: c, request: request}
	cut := Cut{Bin: request.Only, Right: c.after(request), MissingRight: request.MissingRight}
	left, right := r.sideRows(c, &cut)
	both, ok := s.gain(cut.Right, left, right)
	if !ok {
		return Cut{Bin: -1}
	}
	cut.Both = both
	return cut
}

// valuedScan goes over the bins of a column from the right. Missing values are in none of its sums.
type valuedScan struct {
	valued  *Valued
	column  *Column
	request Request
	level   *Level // to which gains are added; nil: the best cut is kept

	right      int64   // packed sum of the bins that go right
	rightRows  float64 // estimate; only if values are smoothed
	rightCount int
	// estimate of the rows of all bins; only if values are smoothed and missing values may go right
	known float64

	beside          bool // there are missing values
	missing         int64
	missingCount    int
	toLeft, toRight Cut // the best, by the side of missing values
}

// run tries all cuts that are requested.
func (s *valuedScan) run() {
	c := s.column
	if s.beside = c.Missing >= 0 && !c.isEmpty(c.Missing); s.beside {
		s.missing, s.missingCount = c.Sums[c.Missing], c.count(int(c.Missing))
	}
	bothSides := s.beside || s.level != nil && c.Missing >= 0
	if bothSides && s.valued.Smooth > 0 {
		for b := range c.Sums {
			if !s.isMissing(b) {
				s.known += s.valued.rowsOf(c.Sums[b])
			}
		}
	}
	only := int(s.request.Only)
	// cuts before and after an empty bin may differ
	repeats := bothSides || s.level != nil || only >= 0 || c.Counts != nil
	last := len(c.Sums) - 1
	if only >= 0 {
		s.addFrom(only + 2)
		last = min(last, only+1)
	}
	for b := last; b > max(0, only); b-- {
		if c.Sums[b] == 0 && !repeats {
			continue
		}
		s.add(b)
		s.tryLeft(b - 1)
		if bothSides {
			s.tryRight(b - 1)
		}
	}
}

// isMissing reports whether a bin holds missing values, if the column has any.
func (s *valuedScan) isMissing(bin int) bool { return s.beside && bin == int(s.column.Missing) }

// add moves a bin to the right side, unless it holds missing values.
func (s *valuedScan) add(bin int) {
	if s.isMissing(bin) {
		return
	}
	sum := s.column.Sums[bin]
	s.right += sum
	if s.valued.Smooth > 0 {
		s.rightRows += s.valued.rowsOf(sum)
	}
	s.rightCount += s.column.count(bin)
}

// addFrom adds the bins from the given one on.
func (s *valuedScan) addFrom(bin int) {
	c := s.column
	if bin >= len(c.Sums) {
		return
	}
	if s.valued.Smooth > 0 || c.Counts != nil {
		for b := len(c.Sums) - 1; b >= bin; b-- {
			s.add(b)
		}
		return
	}
	for _, sum := range c.Sums[bin:] {
		s.right += sum
	}
	if s.beside && int(c.Missing) >= bin {
		s.right -= s.missing
	}
}

// tryLeft tries the cut after a bin with missing values on the left. If gains are equal the larger bin is
// kept, which is tried first.
func (s *valuedScan) tryLeft(bin int) {
	if !s.column.allows(s.rightCount, s.valued.limits.MinData) {
		return
	}
	both, ok := s.gain(s.right, s.valued.Rows-s.rightRows, s.rightRows)
	switch {
	case !ok:
	case s.level != nil:
		s.level.addCut(s.level.toLeft, bin, both-s.valued.floor, s.column.Counts != nil, s.valued.total, s.right)
	case both > s.toLeft.Both:
		s.toLeft.Both, s.toLeft.Bin, s.toLeft.Right = both, int32(bin), s.right
	}
}

// tryRight tries the cut after a bin with missing values on the right. If gains are
// equal the smaller bin is kept.
func (s *valuedScan) tryRight(bin int) {
	if !s.column.allows(s.rightCount+s.missingCount, s.valued.limits.MinData) {
		return
	}
	left, right := s.known-s.rightRows, s.right+s.missing
	both, ok := s.gain(right, left, s.valued.Rows-left)
	switch {
	case !ok:
	case s.level != nil:
		s.level.addCut(s.level.toRight, bin, both-s.valued.floor, s.column.Counts != nil, s.valued.total, right)
	case both > s.valued.floor && both >= s.toRight.Both:
		s.toRight.Both, s.toRight.Bin, s.toRight.Right, s.toRight.MissingRight = both, int32(bin), right, true
	}
}

// gain returns the gain of both sides of a cut, and whether the rules allow it. right is the packed sum of
// the rows that go right.
func (s *valuedScan) gain(right int64, leftRows, rightRows float64) (float64, bool) {
	r := s.valued
	ls, rs := binsum.Unpack(r.total-right), binsum.Unpack(right)
	hl, hr := float64(ls.Hessian), float64(rs.Hessian)
	if hl < r.limits.MinHessian || hr < r.limits.MinHessian {
		return 0, false
	}
	wl, wr := r.value(ls, leftRows), r.value(rs, rightRows)
	if d := s.request.Direction; d > 0 && wl > wr || d < 0 && wl < wr {
		return 0, false
	}
	return r.limits.fallAt(float64(ls.Gradient), hl, wl) + r.limits.fallAt(float64(rs.Gradient), hr, wr), true
}

// Sides returns the values of the sides of a cut of a column.
func (r *Valued) Sides(c *Column, cut *Cut) (left, right float64) {
	leftRows, rightRows := r.sideRows(c, cut)
	return r.value(binsum.Unpack(r.total-cut.Right), leftRows), r.value(binsum.Unpack(cut.Right), rightRows)
}

// sideRows estimates the rows of the sides of a cut of a column.
func (r *Valued) sideRows(c *Column, cut *Cut) (left, right float64) {
	besideMissing := c.Missing >= 0 && !c.isEmpty(c.Missing)
	known, above := 0.0, 0.0
	for b, sum := range c.Sums {
		if besideMissing && b == int(c.Missing) {
			continue
		}
		n := r.rowsOf(sum)
		if known += n; b > int(cut.Bin) {
			above += n
		}
	}
	if cut.MissingRight {
		return known - above, r.Rows - (known - above)
	}
	return r.Rows - above, above
}
