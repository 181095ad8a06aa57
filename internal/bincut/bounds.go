package bincut

import "math"

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
