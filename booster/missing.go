package booster

import (
	"github.com/lambdamart/lambdamart/histogram"
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/tree"
)

// A column with missing values has one bin for them (package histogram), and each of its splits says
// on which side they go. Both sides are tried, by the rules and in the order of LightGBM
// (FeatureHistogram::FindBestThresholdSequentially):
//
//   - First missing values go left, and of equal gains the larger bin is kept, as in columns without
//     missing values. Then they go right, and the smaller bin is kept: LightGBM scans from the other
//     end there, and also keeps the first.
//   - Of equal gains the left side is kept. This includes leaves in which nothing is missing, where
//     the side of later rows with a missing value was not learned.
//   - Only bins of values are thresholds. Where NaN is missing, the last of them has the threshold
//     +Inf, which separates missing values from all others. Missing zeros are not separated from
//     negative and positive values together.
//
// Two things differ from LightGBM 4.7. Gains are computed from integer sums and do not depend on the
// direction of a scan; in LightGBM, rounding can make one of two equal gains the larger one. And
// where zeros are missing and 70 % or more of the values share the lowest bin, LightGBM leaves that
// bin out while zeros are on the right, and misses splits; here it is included.
//
// Leaves and columns without missing values are scanned as if there were none.

// isEmpty reports whether a bin has no row with a gradient and, if rows are counted, no row at all.
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
		s.bin, s.gain, s.left = uint8(best.bin), float64((best.gain-floor)*l.gainUnit), binsum.Unpack(best.left)
	}
	return s
}

// cut is a split of a column in a scan.
type cut struct {
	gain float64 // of both sides, what the leaf has without a split included
	bin  int     // -1 if there is none
	left int64   // packed sum
}

// scanBesideMissing goes over the bins once, from the right, and tries each threshold with the missing
// values on the left and on the right. For both it returns the best split with a gain above floor. It
// is one long function because calls would take longer than the rest.
func (l *limits) scanBesideMissing(c *column, floor float64) (toLeft, toRight cut) {
	const mask = 1<<32 - 1
	bestL, bestR, binL, binR := floor, floor, -1, -1
	sumL, sumR := int64(0), int64(0)
	total, right, rows := c.total.Pack(), int64(0), 0 // right: the bins from b on, without missing values
	missing, missingRows := c.sums[c.missing], c.count(int(c.missing))
	sums := c.sums // the compiler proves indexes of a local slice
	for b := len(sums) - 1; b > 0; b-- {
		if b != int(c.missing) {
			if c.counts != nil {
				rows += int(c.counts[b])
			} else if sums[b] == 0 && b < len(sums)-1 {
				if binR == b { // b-1 has the same sides, and is the smaller bin
					binR--
				}
				continue
			}
			right += sums[b]
		}
		rest, both := total-right, right+missing
		hl, hr := float64(rest&mask), float64(right&mask)
		if hl < l.minHessian {
			break
		}
		if hr >= l.minHessian && c.allows(rows, l.minData) {
			gl, gr := float64(rest>>32), float64(right>>32)
			if l.lambdaL1 != 0 {
				gl, gr = l.shrinkBoth(gl, gr)
			}
			if gain := l.fallBoth(gl, hl, gr, hr); gain > bestL {
				bestL, binL, sumL = gain, b-1, rest
			}
		}
		rest -= missing
		hl, hr = float64(rest&mask), float64(both&mask)
		if hl >= l.minHessian && hr >= l.minHessian && c.allows(rows+missingRows, l.minData) {
			gl, gr := float64(rest>>32), float64(both>>32)
			if l.lambdaL1 != 0 {
				gl, gr = l.shrinkBoth(gl, gr)
			}
			if gain := l.fallBoth(gl, hl, gr, hr); gain > floor && gain >= bestR {
				bestR, binR, sumR = gain, b-1, rest
			}
		}
	}
	return cut{bestL, binL, sumL}, cut{bestR, binR, sumR}
}

// count returns the rows of a bin, 0 if they were not counted.
func (c *column) count(bin int) int {
	if c.counts == nil {
		return 0
	}
	return int(c.counts[bin])
}

// allows reports whether both sides have minData rows if one side has the given number. It is true
// where rows are not counted.
func (c *column) allows(rows, minData int) bool {
	return c.counts == nil || rows >= minData && c.rows-rows >= minData
}

// leftRows returns how many rows the split sends left, from the counts of its column.
func (s *split) leftRows(c *column) int {
	left := 0
	for b, n := range c.counts {
		if !s.goesRight(uint8(b), c.missing) {
			left += int(n)
		}
	}
	return left
}

// goesRight reports whether the rows of a bin go right. missing is the bin of missing values of the
// split's column, or -1.
func (s *split) goesRight(bin uint8, missing int32) bool {
	if int32(bin) == missing {
		return s.missingRight
	}
	return bin > s.bin
}

// noBin is no bin's number.
const noBin = 256

// exception returns the one bin of the split's column that goes to the other side than its number says:
// that of missing values. It returns noBin if there is no such bin.
func (s *split) exception(matrix *histogram.Matrix) int32 {
	missing := matrix.MissingBin(s.column)
	if missing < 0 || s.goesRight(uint8(missing), missing) == (uint8(missing) > s.bin) {
		return noBin
	}
	return missing
}

// decision returns how a model's node states where missing values go.
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
