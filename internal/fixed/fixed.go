// Package fixed turns floating-point numbers into integers on a common scale.
//
// Integers can be added in any order with the same sum; floats cannot. That is
// why a model does not depend on threads: gradients are rounded once to
// multiples of a unit, and all later sums are sums of integers.
package fixed

import (
	"math"
	"math/bits"
)

// Scale maps x to the integer nearest to x·2^k.
// The zero Scale maps everything to 0.
type Scale struct {
	up, down float64 // 2^k and 2^-k
}

// maxExponent bounds k so that 2^k and 2^-k are both normal float64s.
const maxExponent = 1022

// ScaleFor returns the finest scale on which the magnitude of every x with
// |x| <= largest stays below 2^width. It is the zero Scale if largest is 0.
func ScaleFor(largest float64, width int) Scale {
	if largest == 0 {
		return Scale{}
	}
	_, exponent := math.Frexp(largest) // largest < 2^exponent
	k := max(-maxExponent, min(maxExponent, width-exponent))
	return Scale{up: math.Ldexp(1, k), down: math.Ldexp(1, -k)}
}

// Width returns the number of bits that each of n numbers may have so that
// their sum, and twice it, stays inside an int64.
func Width(n int) int { return 62 - bits.Len(uint(n)) }

// Round returns the integer nearest to x·2^k, ties to even.
func (s Scale) Round(x float64) int64 { return int64(math.RoundToEven(x * s.up)) }

// Float returns n·2^-k, rounded to nearest.
func (s Scale) Float(n int64) float64 { return float64(float64(n) * s.down) }

// Unit returns 2^-k, the value of 1; 0 for the zero Scale.
func (s Scale) Unit() float64 { return s.down }
