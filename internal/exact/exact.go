// Package exact has the arithmetic whose results influence a model: elementary functions, and sums that
// are the same in any order.
//
// math.Exp and math.Log give different last bits on different CPUs: in the standard library they
// are assembly on some architectures, and use fused multiply-add where the CPU has it. The
// functions here are the same sequence of IEEE 754 operations everywhere. Each product that is
// added to something is written float64(a*b) + c, which the language specification guarantees not
// to be fused. [Exps], [Nonzero] and [Scale.Magnitudes] use vector instructions where the CPU has them,
// which do the same operations for several numbers at a time. The program in _generate, a module of its
// own, writes them.
package exact

//go:generate go run -C _generate . -out ../kernel_amd64.s -stubs ../kernel_amd64.go -pkg exact

import (
	"math"
	"math/bits"
)

const (
	expSteps   = 1 << 7                // table entries in one octave
	stepsPerE  = expSteps * math.Log2E // 128/ln 2
	ln2StepsHi = 0x1.62e42fefa0000p-8  // leading bits of ln 2/128; products with |k| < 2^18 are exact
	ln2StepsLo = 0x1.cf79abc9e3b39p-47

	// e^709 is 0.46 of the largest float64; beyond it the table's scale could overflow
	expOverflow  = 709.0
	expUnderflow = -0x1.6232bdd7abcd2p+9 // ln of the smallest normal float64, about -708.396
)

// roundShift is 1.5·2^52: adding it to a number below 2^51 in magnitude leaves no fraction bits, so that the
// sum is rounded to the nearest integer, which the low bits of the mantissa hold.
const roundShift = 0x1.8p52

// expTable[i] is the bit pattern of 2^(i/128), rounded to nearest. The powers of 2^(1/128) are multiplied in
// integers of 128 bits, as multiples of 2^-127, which leaves no error that rounding could show.
var expTable = func() (table [expSteps]uint64) {
	const rootHigh, rootLow = 0x80b1ed4fd999ab6c, 0x25335719b6e6fd20 // 2^(1/128)
	const one, bitsOfOne = 1 << 63, 0x3ff << 52
	high, low := uint64(one), uint64(0)
	for i := range table {
		table[i] = bitsOfOne + (high-one+1<<10)>>11
		high, low = product(high, low, rootHigh, rootLow)
	}
	return table
}()

// product returns the product, which is below 2, of two numbers that are at least 1 and multiples of 2^-127.
func product(high, low, otherHigh, otherLow uint64) (uint64, uint64) {
	upper, lower := bits.Mul64(high, otherHigh)
	middle, _ := bits.Mul64(high, otherLow)
	other, _ := bits.Mul64(low, otherHigh)
	lower, carry := bits.Add64(lower, middle, 0)
	upper += carry
	lower, carry = bits.Add64(lower, other, 0)
	upper += carry
	return upper<<1 | lower>>63, lower << 1
}

// Exp returns e^x with an error of at most 1 ulp. It is +Inf for x > 709, and 0 where the result
// would be below the smallest normal float64. Exp(NaN) is NaN.
//
// Method: with k the integer nearest to x·128/ln 2, e^x = 2^(k/128) · e^r and |r| <= ln 2/256.
// 2^(k/128) is a table entry times a power of two, and e^r - 1 is its Taylor polynomial of degree
// 5, whose error is below |r|^6/720 < 2^-60. (P. T. P. Tang, Table-driven implementation of the
// exponential function in IEEE floating-point arithmetic, ACM TOMS 15, 1989.)
func Exp(x float64) float64 {
	if !(x >= expUnderflow && x <= expOverflow) {
		return expSpecial(x)
	}
	shifted := float64(x*stepsPerE) + roundShift
	k := int64(math.Float64bits(shifted)<<12) >> 12 // the low bits hold k, in two's complement
	kf := shifted - roundShift
	r := float64(x-float64(kf*ln2StepsHi)) - float64(kf*ln2StepsLo)
	rr := float64(r * r)
	p := r + float64(rr*(float64(0.5+float64(r*(1.0/6)))+float64(rr*(float64(1.0/24+float64(r*(1.0/120)))))))
	scale := math.Float64frombits(expTable[k&(expSteps-1)] + uint64(k>>7)<<52)
	return scale + float64(scale*p)
}

func expSpecial(x float64) float64 {
	switch {
	case x > expOverflow:
		return math.Inf(1)
	case x < expUnderflow:
		return 0
	}
	return x // NaN
}

// Log2 returns the base-2 logarithm of x. It is exact for powers of two; otherwise the error is at
// most 3 ulp. Log2(0) is -Inf; Log2(x) is NaN for x < 0 and for NaN.
//
// Method: x = 2^e · m with m in [1/√2, √2), s = (m-1)/(m+1), and ln m = 2·atanh s = 2s + 2s³/3 +
// 2s⁵/5 + …, summed up to the term in s²³. Since |s| < 0.1716, the remainder is below 2^-60 of the sum.
func Log2(x float64) float64 {
	if !(x > 0 && x <= math.MaxFloat64) {
		return math.Log2(x) // exact for these
	}
	s, e := reduce(x)
	z := float64(s * s)
	series := 0.0
	for _, c := range oddReciprocals {
		series = float64(z * (c + series))
	}
	return expand(s, series, e)
}

// Log2s replaces each number by what [Log2] returns for it.
func Log2s(x []float64) { best.log2s(x) }

func (k kernel) log2s(x []float64) {
	for len(x) > 0 {
		x = x[k.log2sInVectors(x):]
		n := min(len(x), logLanes)
		for i, v := range x[:n] {
			x[i] = Log2(v)
		}
		x = x[n:]
	}
}

// logLanes is the number of logarithms that a kernel computes at a time.
const logLanes = 4

// oddReciprocals are 1/23, 1/21, …, 1/3.
var oddReciprocals = [...]float64{
	1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3,
}

// reduce returns the s and the e of a positive finite number.
func reduce(x float64) (s, e float64) {
	if x < 0x1p-1022 { // not a normal number
		x, e = x*0x1p52, -52
	}
	const bitsOfLeast = 0x3fe6_a09e_667f_3bcd // 1/√2
	bits := int64(math.Float64bits(x))
	exponent := (bits - bitsOfLeast) >> 52 // without a branch, which would often be predicted wrongly
	m := math.Float64frombits(uint64(bits - exponent<<52))
	return (m - 1) / (m + 1), e + float64(exponent)
}

// expand returns the logarithm, given the sum of the series without its first term, divided by 2s.
func expand(s, series, e float64) float64 {
	ln := 2 * (s + float64(s*series))
	return e + float64(ln*math.Log2E)
}

// Exps replaces each number by its exponential, as [Exp] computes it.
func Exps(x []float64) { best.exps(x) }

func (k kernel) exps(x []float64) {
	for len(x) > 0 {
		x = x[k.expsInVectors(x):]
		n := min(len(x), lanes)
		for i, v := range x[:n] {
			x[i] = Exp(v)
		}
		x = x[n:]
	}
}

// Ln returns the natural logarithm of x, within 5 ulp. Its special values are as for [Log2].
func Ln(x float64) float64 { return float64(Log2(x) * math.Ln2) }

// kernel is a way to process several numbers at a time. All kernels give the same bits.
type kernel int

const (
	inGo kernel = iota
	avx2
	avx512
)

// best is the fastest kernel of this CPU and build.
var best = kernels()[len(kernels())-1]

func (k kernel) String() string { return [...]string{"Go", "AVX2", "AVX-512"}[k] }
