package booster

import (
	"slices"

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
// It scans the other bins: what they do not sum up to of the total is on the left.
// In reverse order that is the right. c is changed, and restored.
func (l *limits) bestBesideMissing(number int32, c *column) split {
	sum, count := c.replace(c.missing, 0, 0)
	left := l.bestInOrder(number, c)
	c.reverse()
	right := l.bestInOrder(number, c)
	c.reverse()
	c.replace(c.missing, sum, count)
	if right.gain <= left.gain {
		return left
	}
	right.missingRight = true
	right.bin = uint8(len(c.sums)-2) - right.bin
	right.left = c.total.Sub(right.left)
	return right
}

// replace changes what a column knows of one bin, and returns what it was.
func (c *column) replace(bin int32, sum int64, count int32) (oldSum int64, oldCount int32) {
	oldSum, c.sums[bin] = c.sums[bin], sum
	if c.counts != nil {
		oldCount, c.counts[bin] = c.counts[bin], count
	}
	return oldSum, oldCount
}

// reverse makes the last bin the first.
func (c *column) reverse() {
	slices.Reverse(c.sums)
	slices.Reverse(c.counts)
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
