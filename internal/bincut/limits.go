package bincut

import (
	"math"

	"github.com/lambdamart/lambdamart/internal/binsum"
)

// Limits are the rules that cuts obey, in the units of the sums: u for gradients, v for Hessians, and
// u²/v for gains.
type Limits struct {
	LambdaL1, LambdaL2 float64
	MinHessian         float64 // smallest Hessian of each side; above 0, so that no side is empty
	MinGain            float64 // twice the smallest gain; not negative
	MinData            int     // smallest number of rows of each side, if they are counted
}

// Shrink moves a gradient toward zero by λ1.
func Shrink(gradient, lambdaL1 float64) float64 {
	if lambdaL1 == 0 {
		return gradient
	}
	return math.Copysign(max(0, math.Abs(gradient)-lambdaL1), gradient)
}

// shrinkBoth moves two gradients toward zero by λ1. It is not inlined, because the loops that call it are
// short of registers, and λ1 is usually 0.
//
//go:noinline
func (l *Limits) shrinkBoth(gl, gr float64) (float64, float64) {
	return Shrink(gl, l.LambdaL1), Shrink(gr, l.LambdaL1)
}

// fall returns twice the decrease of the loss if a leaf with these sums gets its best value:
// T(G)²/(H+λ2). (XGBoost, eq. 6.)
func (l *Limits) fall(gradient, hessian float64) float64 {
	t := Shrink(gradient, l.LambdaL1)
	if t == 0 {
		return 0
	}
	return float64(t*t) / (hessian + l.LambdaL2)
}

// fallBoth returns fall(gl, hl) + fall(gr, hr), with one division, for gradients that are shrunk
// already. It is small enough to be inlined.
func (l *Limits) fallBoth(gl, hl, gr, hr float64) float64 {
	hl, hr = hl+l.LambdaL2, hr+l.LambdaL2
	return (float64(float64(gl*gl)*hr) + float64(float64(gr*gr)*hl)) / float64(hl*hr)
}

// Leaf is a leaf whose columns are searched.
type Leaf struct {
	limits *Limits
	total  int64   // packed sum of its rows
	floor  float64 // a cut gains if the gain of both sides is more than this
}

// Leaf returns the leaf whose rows have the given sum.
func (l *Limits) Leaf(total binsum.Sum) Leaf {
	return Leaf{
		limits: l, total: total.Pack(),
		floor: l.fall(float64(total.Gradient), float64(total.Hessian)) + l.MinGain,
	}
}

// Gain returns twice what a cut gains beyond Limits.MinGain, 0 if there is no cut.
func (lf *Leaf) Gain(c *Cut) float64 {
	if c.Bin < 0 {
		return 0
	}
	return c.Both - lf.floor
}

// Left returns the sum of the rows that a cut sends left.
func (lf *Leaf) Left(c *Cut) binsum.Sum { return binsum.Unpack(lf.total - c.Right) }

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
