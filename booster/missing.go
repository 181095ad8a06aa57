package booster

import (
	"github.com/lambdamart/lambdamart/histogram"
	"github.com/lambdamart/lambdamart/tree"
)

// A column with missing values has one bin for them (package histogram), and each of
// its splits says where they go. Both sides are tried, by the rules and in the order
// of LightGBM (FeatureHistogram::FindBestThresholdSequentially):
//
//   - First missing values go left, and of equal gains the larger bin is kept, as in
//     columns without missing values. Then they go right, and the smaller bin is
//     kept: LightGBM scans from the other end, and keeps what it meets first, too.
//   - Of equal gains the left side is kept. So it is in leaves in which nothing is
//     missing: where later rows with a missing value go was not learned.
//   - No bin but those of values is a threshold's: where NaN is missing, the last one
//     has the threshold +Inf, which parts what is missing from what is not. Missing
//     zeros are not parted from negative and positive values together.
//
// Gains are those of integer sums, and do not depend on the direction of a scan. In
// LightGBM the rounding of floats can make one of two equal gains the larger one.
//
// Leaves and columns without missing values are scanned as if there were none.

// isEmpty tells whether no row with a gradient, and none at all if rows are
// counted, is in a bin.
func (c *column) isEmpty(bin int32) bool {
	return c.sums[bin] == 0 && (c.counts == nil || c.counts[bin] == 0)
}

// bestBesideMissing is best for a column whose bin of missing values is not empty.
func (l *limits) bestBesideMissing(number int32, c *column) split {
	s := split{column: number, counted: c.counts != nil}
	floor := l.fall(float64(c.total.Gradient), float64(c.total.Hessian)) + l.minGain
	best, toRight := l.scanBesideMissing(c, floor)
	if toRight.gain > best.gain {
		best, s.missingRight = toRight, true
	}
	if best.bin >= 0 {
		s.bin, s.gain, s.left = uint8(best.bin), float64((best.gain-floor)*l.gainUnit), histogram.Unpack(best.left)
	}
	return s
}

// cut is a split of a column in a scan.
type cut struct {
	gain float64 // of both sides, what the leaf has without a split included
	bin  int     // -1 if there is none
	left int64   // packed sum
}

// scanBesideMissing goes over the bins once, from the right, and tries each threshold
// with the missing values on the left and on the right. It returns the best of both
// with a gain above floor.
func (l *limits) scanBesideMissing(c *column, floor float64) (toLeft, toRight cut) {
	toLeft, toRight = cut{gain: floor, bin: -1}, cut{gain: floor, bin: -1}
	total, missing := c.total.Pack(), c.sums[c.missing]
	right, rows := int64(0), 0 // of the bins from b on, without missing values
	last := len(c.sums) - 1
	for b := last; b > 0 && l.enough(total-right); b-- {
		if b != int(c.missing) {
			if c.counts == nil && c.sums[b] == 0 && b < last {
				if toRight.bin == b { // it has the same sides as b-1, the smaller bin
					toRight.bin--
				}
				continue
			}
			right, rows = right+c.sums[b], rows+c.count(b)
		}
		if gain := l.gainOf(total-right, right); gain > toLeft.gain && c.allows(rows, l.minData) {
			toLeft = cut{gain, b - 1, total - right}
		}
		both, bothRows := right+missing, rows+c.count(int(c.missing))
		if gain := l.gainOf(total-both, both); gain > floor && gain >= toRight.gain && c.allows(bothRows, l.minData) {
			toRight = cut{gain, b - 1, total - both}
		}
	}
	return toLeft, toRight
}

// count returns the rows of a bin, 0 if they were not counted.
func (c *column) count(bin int) int {
	if c.counts == nil {
		return 0
	}
	return int(c.counts[bin])
}

// enough tells whether a side with the given packed sum has the least Hessian.
func (l *limits) enough(sum int64) bool {
	return float64(histogram.Unpack(sum).Hessian) >= l.minHessian
}

// gainOf returns what two sides with the given packed sums have, or 0 if one has
// too little Hessian.
func (l *limits) gainOf(left, right int64) float64 {
	if !l.enough(left) || !l.enough(right) {
		return 0
	}
	a, b := histogram.Unpack(left), histogram.Unpack(right)
	gl, gr := float64(a.Gradient), float64(b.Gradient)
	if l.lambdaL1 != 0 {
		gl, gr = l.shrinkBoth(gl, gr)
	}
	return l.fallBoth(gl, float64(a.Hessian), gr, float64(b.Hessian))
}

// allows tells whether both sides have minData rows, if one has the given number;
// where rows are not counted, they may have.
func (c *column) allows(rows, minData int) bool {
	return c.counts == nil || rows >= minData && c.rows-rows >= minData
}

// leftRows returns how many of a column's rows, counted by bin, go left.
func (s *split) leftRows(c *column) int {
	left := 0
	for b, n := range c.counts {
		if !s.goesRight(uint8(b), c.missing) {
			left += int(n)
		}
	}
	return left
}

// goesRight tells where the rows of a bin go. missing is the bin of missing values
// of the split's column, -1 if there is none.
func (s *split) goesRight(bin uint8, missing int32) bool {
	if int32(bin) == missing {
		return s.missingRight
	}
	return bin > s.bin
}

// noBin equals no bin.
const noBin = 256

// stray returns the one bin of a split's column that goes to the other side than
// its number tells, or noBin.
func (s *split) stray(matrix *histogram.Matrix) int32 {
	missing := matrix.MissingBin(s.column)
	if missing < 0 || s.goesRight(uint8(missing), missing) == (uint8(missing) > s.bin) {
		return noBin
	}
	return missing
}

// decision returns what a model's node says of the split.
func (s *split) decision(matrix *histogram.Matrix) tree.Decision {
	d := tree.MissingNone
	switch matrix.Bins(s.column).Missing {
	case histogram.MissingZero:
		d = tree.MissingZero
	case histogram.MissingNaN:
		d = tree.MissingNaN
	}
	if s.missingRight {
		return d
	}
	return d | tree.DefaultLeft
}
