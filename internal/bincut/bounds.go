package bincut

import (
	"math"
	"slices"
)

// Bounds are the smallest and the largest value that a leaf may have.
type Bounds struct{ Low, High float64 }

// Unbounded returns the bounds that allow all values.
func Unbounded() Bounds { return Bounds{math.Inf(-1), math.Inf(1)} }

// Bounded reports whether there is any bound.
func (b Bounds) Bounded() bool { return b != Unbounded() }

// Keep returns the value within the bounds that is nearest to the given one.
func (b Bounds) Keep(value float64) float64 { return min(max(value, b.Low), b.High) }

// Narrow returns b with one more bound: values must be at least the given one if above is true, and at most
// the given one otherwise.
func (b Bounds) Narrow(value float64, above bool) Bounds {
	if above {
		b.Low = max(b.Low, value)
	} else {
		b.High = min(b.High, value)
	}
	return b
}

// And returns the bounds of the values that are within both bounds.
func (b Bounds) And(other Bounds) Bounds {
	return Bounds{max(b.Low, other.Low), min(b.High, other.High)}
}

// CutBounds are bounds of the two sides of each cut of a column. A bound of a leaf often applies only to a
// range of its bins. Then it applies to each side of a cut that has a bin of this range:
//
//	bins       0   1   2   3   4
//	bound          ├───┤              bins 1 and 2
//	left           1 ──────────       cuts after bin 1, 2, 3
//	right      ────── 1               cuts after bin 0 and 1
//
// So the bounds of left sides accumulate from the left, and those of right sides from the right.
type CutBounds struct {
	left, right []Bounds // by bin after which the column is cut, without the bin of missing values
	missing     Bounds   // of the side with missing values
}

// Begin starts with no bounds, for a column of this many bins.
func (c *CutBounds) Begin(bins int) {
	c.left, c.right, c.missing = slices.Grow(c.left[:0], bins)[:bins], slices.Grow(c.right[:0], bins)[:bins],
		Unbounded()
	for bin := range bins {
		c.left[bin], c.right[bin] = Unbounded(), Unbounded()
	}
}

// Narrow narrows the bounds of the sides that have a bin from first to last, and, if missing is true, of
// the side with missing values. There is no such bin if last is less than first.
func (c *CutBounds) Narrow(first, last int32, missing bool, value float64, above bool) {
	if first <= last {
		c.left[first] = c.left[first].Narrow(value, above)
	}
	if first <= last && last > 0 {
		c.right[last-1] = c.right[last-1].Narrow(value, above)
	}
	if missing {
		c.missing = c.missing.Narrow(value, above)
	}
}

// End accumulates the bounds. Sides may be called after it.
func (c *CutBounds) End() {
	for bin := 1; bin < len(c.left); bin++ {
		c.left[bin] = c.left[bin].And(c.left[bin-1])
	}
	for bin := len(c.right) - 2; bin >= 0; bin-- {
		c.right[bin] = c.right[bin].And(c.right[bin+1])
	}
}

// Sides returns the bounds of the sides of the cut after a bin.
func (c *CutBounds) Sides(bin int32, missingRight bool) (left, right Bounds) {
	left, right = c.left[bin], c.right[bin]
	if missingRight {
		return left, right.And(c.missing)
	}
	return left.And(c.missing), right
}
