package booster

import (
	"math"

	"github.com/lambdamart/lambdamart/internal/binsum"
)

// split is a way to divide the rows of a leaf. Rows with a bin up to split.bin in the column go left,
// the others right, and rows with a missing value go where missingRight says. The zero split has
// gain 0 and stands for none.
type split struct {
	column       int32
	bin          uint8
	missingRight bool    // false in columns that have no bin of missing values
	gain         float64 // decrease of the loss beyond min_gain_to_split
	left         binsum.Sum
	counted      bool // rows were counted: both sides have min_data_in_leaf of them
}

// better reports whether s comes before t: the larger gain does, and of equal gains the smaller
// column.
func (s split) better(t split) bool {
	return s.gain > t.gain || s.gain == t.gain && s.gain > 0 && s.column < t.column
}

// rules are the parameters that splits and leaf values obey.
type rules struct {
	lambdaL1, lambdaL2 float64
	minSumHessian      float64
	minGain            float64
	minData            int
}

// output returns the value of a leaf before shrinkage, from the sums of its gradients and Hessians:
// the w that minimizes G·w + (H+λ2)·w²/2 + λ1·|w|. (Chen and Guestrin, XGBoost, KDD 2016, eq. 5, with
// an L1 term.)
func (r *rules) output(gradient, hessian float64) float64 {
	if gradient == 0 {
		return 0
	}
	return -shrink(gradient, r.lambdaL1) / (hessian + r.lambdaL2)
}

// shrink moves a gradient towards zero by λ1.
func shrink(gradient, lambdaL1 float64) float64 {
	if lambdaL1 == 0 {
		return gradient
	}
	return math.Copysign(max(0, math.Abs(gradient)-lambdaL1), gradient)
}

// shrinkBoth moves two gradients towards zero by λ1. It is not inlined into the loops that call it:
// registers are scarce there, and λ1 is mostly 0.
//
//go:noinline
func (l *limits) shrinkBoth(gl, gr float64) (float64, float64) {
	return shrink(gl, l.lambdaL1), shrink(gr, l.lambdaL1)
}

// limits are the rules in the units of an iteration: the gradient unit u, the Hessian unit u', and
// the gain unit u²/u'.
type limits struct {
	lambdaL1, lambdaL2 float64 // in u, u'
	minHessian         float64 // in u'; above 0, so that a side without Hessian is never enough
	minGain            float64 // in u²/u'
	gainUnit           float64
	minData            int
}

// in returns the rules in the units of a.
func (r *rules) in(a *activation) limits {
	u, v := a.gradient.Unit(), a.hessian.Unit()
	if u == 0 || v == 0 {
		return limits{minHessian: math.Inf(1)}
	}
	gainUnit := gainUnit(u, v)
	return limits{
		lambdaL1: r.lambdaL1 / u, lambdaL2: r.lambdaL2 / v,
		minHessian: max(r.minSumHessian/v, 0.5),
		minGain:    r.minGain / gainUnit, gainUnit: gainUnit, minData: r.minData,
	}
}

// gainUnit returns the unit of gains for the units of gradients and Hessians.
func gainUnit(u, v float64) float64 { return float64(u*u) / v }

// fall returns twice the decrease of the loss if a leaf with these sums takes its best value:
// T(G)²/(H+λ2), with T(G) the gradient shrunk by λ1. (XGBoost, eq. 6.)
func (l *limits) fall(gradient, hessian float64) float64 {
	t := shrink(gradient, l.lambdaL1)
	if t == 0 {
		return 0
	}
	return float64(t*t) / (hessian + l.lambdaL2)
}

// fallBoth returns fall(gl, hl) + fall(gr, hr), with one division, for gradients that are shrunk
// already. It is small enough to be inlined.
func (l *limits) fallBoth(gl, hl, gr, hr float64) float64 {
	hl, hr = hl+l.lambdaL2, hr+l.lambdaL2
	return (float64(float64(gl*gl)*hr) + float64(float64(gr*gr)*hl)) / float64(hl*hr)
}

// column holds the sums, and perhaps the counts, of a leaf's rows by the bins of one column.
type column struct {
	sums    []int64 // packed, one entry for each bin
	counts  []int32 // rows in each bin; nil if they were not counted
	rows    int     // sum of counts
	total   binsum.Sum
	missing int32 // bin of missing values, or -1
}

// Bins are scanned from the right, and of equal gains the first is kept, which has the larger bin.
// LightGBM does the same, so that thresholds lie at the same end of a range of empty bins. An empty
// bin repeats the gain of its right neighbour; it is skipped, unless rows are counted.
//
//	bins    0    1    2  …  b-1 │ b  …  254
//	       └── rest: goes left ─┘ └─ right: goes right ─┘    the split of bin b-1; b falls to 1

// best returns the best split of the column.
func (l *limits) best(number int32, c *column) split {
	if c.missing >= 0 && !c.isEmpty(c.missing) {
		return l.bestBesideMissing(number, c)
	}
	return l.bestInOrder(number, c)
}

// bestInOrder returns the best split of a column without missing values, which sends the bins up to
// one of them left and the others right.
func (l *limits) bestInOrder(number int32, c *column) split {
	s := split{column: number, counted: c.counts != nil}
	floor := l.fall(float64(c.total.Gradient), float64(c.total.Hessian)) + l.minGain
	gain, bin, left := l.scan(c, floor)
	if bin >= 0 {
		s.bin, s.gain, s.left = uint8(bin), float64((gain-floor)*l.gainUnit), left
	}
	return s
}

// scan returns the largest gain above floor, and the bin and the left sum of that split. The bin is -1
// if there is none.
func (l *limits) scan(c *column, floor float64) (best float64, bin int, left binsum.Sum) {
	const mask = 1<<32 - 1
	best, bin = floor, -1
	total, right, bestLeft, rightRows := c.total.Pack(), int64(0), int64(0), 0
	sums := c.sums // the compiler proves indexes of a local slice
	for b := len(sums) - 1; b > 0; b-- {
		s := sums[b]
		right += s
		if c.counts != nil {
			rightRows += int(c.counts[b])
			if rightRows < l.minData {
				continue
			}
			if c.rows-rightRows < l.minData {
				break
			}
		} else if s == 0 {
			continue
		}
		rest := total - right
		hr, hl := float64(right&mask), float64(rest&mask)
		if hr < l.minHessian {
			continue
		}
		if hl < l.minHessian {
			break
		}
		gl, gr := float64(rest>>32), float64(right>>32)
		if l.lambdaL1 != 0 {
			gl, gr = l.shrinkBoth(gl, gr)
		}
		if gain := l.fallBoth(gl, hl, gr, hr); gain > best {
			best, bin, bestLeft = gain, b-1, rest
		}
	}
	return best, bin, binsum.Unpack(bestLeft)
}
