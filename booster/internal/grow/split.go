package grow

import (
	"bytes"
	"math"

	"github.com/lambdamart/lambdamart/internal/bincut"
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/tree"
)

// split is a way to divide the rows of a leaf. Rows with a bin up to split.bin in the column go left, the
// others right, and rows with a missing value go where missingRight says. The zero split has gain 0 and means
// that there is no split.
type split struct {
	Column       int32
	bin          uint16
	missingRight bool    // false if the column has no bin of missing values
	gain         float64 // decrease of the loss beyond min_gain_to_split
	left         binsum.Sum
	counted      bool   // rows were counted: both sides have min_data_in_leaf of them
	sides        *sides // sides of the bins of a categorical feature, instead of bin; or nil

	values [2]float64 // of the left and the right side, in the units of the tree
}

// better reports whether s comes before t: it has the larger gain or, of equal gains, the smaller column.
func (s split) better(t split) bool {
	return s.gain > t.gain || s.gain == t.gain && s.gain > 0 && s.Column < t.Column
}

// same reports whether s divides rows as t does.
func (s *split) same(t *split) bool {
	if s.sides != nil && t.sides != nil {
		return s.Column == t.Column && bytes.Equal(s.sides.right, t.sides.right)
	}
	return s.sides == t.sides && s.Column == t.Column && s.bin == t.bin && s.missingRight == t.missingRight
}

// leftRows returns how many rows the split sends left, from the counts of its column.
func (s *split) leftRows(c *bincut.Column) int {
	left := 0
	for b, n := range c.Counts {
		if !s.goesRight(uint16(b), c.Missing) {
			left += int(n)
		}
	}
	return left
}

// goesRight reports whether the rows of a bin go right. missing is the bin of missing values of the
// split's column, or -1.
func (s *split) goesRight(bin uint16, missing int32) bool {
	if s.sides != nil {
		return s.sides.right[bin] != 0
	}
	if int32(bin) == missing {
		return s.missingRight
	}
	return bin > s.bin
}

// cut returns which bins of the split's column go left. Its exception is the bin of missing values if their
// rows do not go to the side that its number implies.
func (s *split) cut(matrix *histogram.Matrix) binsum.Cut {
	cut, missing := binsum.Cut{Last: s.bin, Exception: binsum.NoBin}, matrix.MissingBins[s.Column]
	switch {
	case s.sides != nil:
		cut.Right = s.sides.right
	case missing >= 0 && s.missingRight != (missing > int32(s.bin)):
		cut.Exception = missing
	}
	return cut
}

// decision returns the decision type of a model's node, which includes the side of missing values.
func (s *split) decision(matrix *histogram.Matrix) tree.Decision {
	d := tree.MissingNone
	switch matrix.Bins(s.Column).Missing {
	case histogram.MissingZero:
		d = tree.MissingZero
	case histogram.MissingNaN:
		d = tree.MissingNaN
	}
	if s.sides != nil {
		return d | tree.Categorical
	}
	if s.missingRight {
		return d
	}
	return d | tree.DefaultLeft
}

// limits are the rules in the units of an iteration: u for gradients, u' for Hessians, and u²/u' for gains.
type limits struct {
	bincut.Limits
	categories     bincut.Categories
	largestHessian int64 // upper bound of the Hessian of any row
	gainUnit       float64
	valueUnit      float64 // u/u', the unit of values
}

// in returns the rules in the units of a.
func (r *Rules) in(a *Active) limits {
	u, v := a.Gradient.Unit(), a.Hessian.Unit()
	if u == 0 || v == 0 {
		return limits{Limits: bincut.Limits{MinHessian: math.Inf(1)}}
	}
	gainUnit := GainUnit(u, v)
	return limits{
		Limits: bincut.Limits{
			LambdaL1: r.LambdaL1 / u, LambdaL2: r.LambdaL2 / v,
			MinHessian: max(r.MinSumHessian/v, 0.5),
			MinGain:    r.MinGain / gainUnit, MinData: r.MinData,
		},
		categories: categoriesIn(r.Categories, v), largestHessian: a.LargestHessian,
		gainUnit:  gainUnit,
		valueUnit: u / v,
	}
}

// categoriesIn returns rules of categories in Hessian units v.
func categoriesIn(c bincut.Categories, v float64) bincut.Categories {
	c.Smooth, c.L2 = c.Smooth/v, c.L2/v
	return c
}

// GainUnit returns the unit of gains for the units of gradients and Hessians.
func GainUnit(u, v float64) float64 { return float64(u*u) / v }

// split returns the split that a cut of a column makes of a leaf.
func (l *limits) split(leaf *bincut.Leaf, column int32, c *bincut.Cut) split {
	s := split{Column: column, counted: c.Counted, gain: l.gain(leaf, c)}
	if c.Bin >= 0 {
		s.bin, s.missingRight, s.left = uint16(c.Bin), c.MissingRight, leaf.Left(c)
	}
	return s
}

// gain returns what a cut gains beyond min_gain_to_split: twice the decrease of the loss.
func (l *limits) gain(leaf *bincut.Leaf, c *bincut.Cut) float64 {
	return float64(leaf.Gain(c) * l.gainUnit)
}

// plenty reports whether a side certainly has minData rows, without counting them: its Hessian is at least
// minData times the largest Hessian of a row.
func (l *limits) plenty(sum binsum.Sum) bool {
	return l.MinData <= 1 || sum.Hessian/int64(l.MinData) >= l.largestHessian
}

// plentyOnBoth reports whether both sides of a split of a leaf with this sum certainly have minData rows.
func (l *limits) plentyOnBoth(sum binsum.Sum, s *split) bool {
	return l.plenty(s.left) && l.plenty(sum.Sub(s.left))
}

// allows reports whether a split leaves minData rows on both sides. The rows of its column are counted.
func (l *limits) allows(s *split, counted *bincut.Column) bool {
	left := s.leftRows(counted)
	return left >= l.MinData && counted.Rows-left >= l.MinData
}

// sidesWith returns sides that send the bins in left to the left, and all others to the right.
func (l *limits) sidesWith(bins int, left []int32) *sides {
	found := allRight(bins)
	found.sorted = !l.categories.OneHot(bins)
	for _, bin := range left {
		found.right[bin] = 0
	}
	return found
}
