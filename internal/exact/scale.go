package exact

import (
	"math"
	"math/bits"

	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// Scale converts numbers to multiples of a unit: x is about x/unit units. The zero Scale maps
// everything to 0.
//
// The sum of integers is the same in any order of addition, unlike the sum of floats. Gradients are
// rounded once to multiples of a unit, and all later sums are sums of integers, so that a model
// does not depend on the number of threads.
type Scale struct {
	up, down float64 // 1/unit and unit
}

// maxExponent bounds k so that 2^k and 2^-k are both normal float64s.
const maxExponent = 1022

// ScaleFor returns the finest scale whose unit is a power of two and on which every x with |x| <=
// largest is less than 2^width units in magnitude. It is the zero Scale if largest is 0. width is
// at most MaxWidth.
func ScaleFor(largest float64, width int) Scale {
	if largest == 0 {
		return Scale{}
	}
	_, exponent := math.Frexp(largest) // largest < 2^exponent
	k := max(-maxExponent, min(maxExponent, width-exponent))
	return Scale{up: math.Ldexp(1, k), down: math.Ldexp(1, -k)}
}

// ScaleOf returns the scale with the given unit, the zero Scale if unit is 0.
func ScaleOf(unit float64) Scale {
	if unit == 0 {
		return Scale{}
	}
	return Scale{up: 1 / unit, down: unit}
}

// MaxWidth is the largest number of bits for which Round is exact.
const MaxWidth = 50

// Width returns the number of bits that each of n numbers may have so that twice their sum does not
// overflow an int64; at most MaxWidth.
func Width(n int) int { return min(MaxWidth, 62-bits.Len(uint(n))) }

// Round returns the integer nearest to x/unit, ties to even. |x/unit| must be at most 2^MaxWidth.
func (s Scale) Round(x float64) int64 {
	shifted := float64(x*s.up) + roundShift
	return int64(math.Float64bits(shifted)) - int64(math.Float64bits(roundShift))
}

// Magnitudes returns the sum of [Scale.Round] of the magnitudes of x.
func (s Scale) Magnitudes(x []float64) int64 { return best.magnitudes(x, s) }

func (k kernel) magnitudes(x []float64, s Scale) int64 {
	done := len(x) &^ (lanes - 1)
	sum, ok := k.magnitudesInVectors(x[:done], s)
	if !ok {
		done = 0
	}
	return sum + s.magnitudesInGo(x[done:])
}

func (s Scale) magnitudesInGo(x []float64) (sum int64) {
	for _, v := range x {
		sum += s.Round(math.Abs(v))
	}
	return sum
}

// Pack sets each number of dst to ofX.Round(x)·2^32 + ofY.Round(y), which is how package binsum packs a
// gradient and a Hessian. The slices have the same length.
func Pack(dst []int64, x, y []float64, ofX, ofY Scale) { best.pack(dst, x, y, ofX, ofY) }

func (k kernel) pack(dst []int64, x, y []float64, ofX, ofY Scale) {
	done := k.packInVectors(dst, x, y, ofX, ofY)
	dst, x, y = dst[done:], x[done:], y[done:]
	x, y = x[:len(dst)], y[:len(dst)] // so that the compiler knows their length
	for i := range dst {
		dst[i] = ofX.Round(x[i])<<32 + ofY.Round(y[i])
	}
}

// roundShiftBits is roundShift as an integer.
const roundShiftBits = 0x4338_0000_0000_0000

// Dither adds r to the magnitude of x/unit and returns the result rounded toward zero. If r is
// uniform on [0, 1), the mean of the result is x/unit: this is stochastic rounding.
func (s Scale) Dither(x, r float64) int64 {
	n := int64(float64(math.Abs(x)*s.up) + r)
	if x < 0 {
		return -n
	}
	return n
}

// Vanishes reports whether Dither returns 0. It is faster than Dither, because no branch depends on a sign.
func (s Scale) Vanishes(x, r float64) bool { return float64(math.Abs(x)*s.up)+r < 1 }

// Float returns the value of n units, rounded to the nearest float64.
func (s Scale) Float(n int64) float64 { return float64(float64(n) * s.down) }

// Unit returns the value of one unit; 0 for the zero Scale.
func (s Scale) Unit() float64 { return s.down }

// Units returns x/unit, not rounded to an integer.
func (s Scale) Units(x float64) float64 { return float64(x * s.up) }

// lanes is the number of values that kernels process at a time.
const lanes = 8

// Nonzero returns, ascending, the indexes i at which x[i] or y[i] is not dithered to 0: at which
// ofX.Dither(x[i], r) or ofY.Dither(y[i], r), with r = key.Float64(i), is not 0. x and y have the same
// length. The result is in dst if it is large enough.
func Nonzero(dst []int32, x, y []float64, ofX, ofY Scale, key random.Key) []int32 {
	dst = reuse.Slice(dst, len(x)+lanes)
	done := len(x) &^ (lanes - 1)
	found := best.nonzeroInVectors(dst, x[:done], y[:done], ofX, ofY, key)
	if found < 0 {
		done, found = 0, 0
	}
	return nonzeroInGo(dst[:found], done, x, y, ofX, ofY, key)
}

// nonzeroInGo is like Nonzero, for the indexes that are at least from. It appends them to dst.
func nonzeroInGo(dst []int32, from int, x, y []float64, ofX, ofY Scale, key random.Key) []int32 {
	y = y[:len(x)]
	for i := from; i < len(x); i++ {
		if r := key.Float64(i); !ofX.Vanishes(x[i], r) || !ofY.Vanishes(y[i], r) {
			dst = append(dst, int32(i))
		}
	}
	return dst
}

// Largest returns the largest bits among the magnitudes of x, and those among y, as integers: nonnegative
// floats have the order of their bits, and the bits of infinity, NaN and, in y, negative floats are larger. x
// and y have the same length.
func Largest(x, y []float64) (ofX, ofY uint64) {
	x = x[:len(y)]
	for i, v := range y {
		ofX, ofY = Larger(ofX, ofY, x[i], v)
	}
	return ofX, ofY
}

// Larger returns what [Largest] returns for numbers of which all but the last x and y have the given largest
// bits.
func Larger(ofX, ofY uint64, x, y float64) (uint64, uint64) {
	const sign = 1 << 63
	return max(ofX, math.Float64bits(x)&^sign), max(ofY, math.Float64bits(y))
}
