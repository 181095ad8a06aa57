package booster

import (
	"math"

	"github.com/lambdamart/lambdamart/histogram"
)

// split is a way to part the rows of a leaf: bin <= Bin in a column goes left.
// The zero split, of gain 0, parts nothing.
type split struct {
	column  int32
	bin     uint8
	gain    float64 // by how much the loss falls, beyond min_gain_to_split
	left    histogram.Sum
	counted bool // both sides are known to have min_data_in_leaf rows
}

// better tells whether s comes before t: the larger gain, and of equal gains the
// smaller column.
func (s split) better(t split) bool {
	return s.gain > t.gain || s.gain == t.gain && s.gain > 0 && s.column < t.column
}

// limits are the rules that splits obey, and the scales of their sums.
type limits struct {
	scales
	lambdaL1, lambdaL2 float64
	minSumHessian      float64
	minGain            float64
	minData            int
	largestHessian     int64 // of any row
}

// output returns the value of a leaf before shrinkage: the minimum of
// G·w + (H+λ2)·w²/2 + λ1·|w|. (Chen and Guestrin, XGBoost, KDD 2016, eq. 5, with
// an L1 term.)
func (l *limits) output(sum histogram.Sum) float64 {
	gradient, hessian := l.float(sum)
	if gradient == 0 {
		return 0
	}
	return -l.shrink(gradient) / (hessian + l.lambdaL2)
}

// fall returns twice the amount by which the loss falls if a leaf with this sum
// takes its best value: T(G)²/(H+λ2).
func (l *limits) fall(sum histogram.Sum) float64 {
	gradient, hessian := l.float(sum)
	if gradient == 0 {
		return 0
	}
	t := l.shrink(gradient)
	return float64(t*t) / (hessian + l.lambdaL2)
}

// shrink moves a gradient towards zero by λ1.
func (l *limits) shrink(gradient float64) float64 {
	if l.lambdaL1 == 0 {
		return gradient
	}
	return math.Copysign(max(0, math.Abs(gradient)-l.lambdaL1), gradient)
}

// heavy tells whether a leaf with this sum has Hessian enough.
func (l *limits) heavy(sum histogram.Sum) bool {
	return sum.Hessian > 0 && l.hessian.Float(sum.Hessian) >= l.minSumHessian
}

// bestOfColumn returns the best split of a leaf in one column. sums has one
// entry for each bin of the column, and total is their sum. counts, if not nil,
// has the rows in each bin, and then both sides must have minData rows.
//
// Bins are scanned from the right, and of equal gains the one met first, with
// the larger bin, is kept: LightGBM does the same, so that a threshold lies at
// the same end of a range of empty bins.
func (l *limits) bestOfColumn(column int32, sums []histogram.Sum, total histogram.Sum, counts []int32) split {
	best := split{column: column, counted: counts != nil}
	floor := l.fall(total) + l.minGain
	rows, rightRows := rowsIn(counts), 0
	var right histogram.Sum
	for bin := len(sums) - 1; bin > 0; bin-- {
		right = right.Add(sums[bin])
		left := total.Sub(right)
		if counts != nil {
			rightRows += int(counts[bin])
			if rightRows < l.minData {
				continue
			}
			if rows-rightRows < l.minData {
				break
			}
		}
		if !l.heavy(right) {
			continue
		}
		if !l.heavy(left) {
			break
		}
		if gain := l.fall(left) + l.fall(right) - floor; gain > best.gain {
			best.bin, best.gain, best.left = uint8(bin-1), gain, left
		}
	}
	return best
}

func rowsIn(counts []int32) int {
	n := 0
	for _, c := range counts {
		n += int(c)
	}
	return n
}
