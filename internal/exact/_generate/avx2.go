package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	half     = lanes / 2 // numbers in a vector of AVX2
	logTerms = 11        // of the series of Log2
)

// expInHalves writes a function that does what that of [exp] does, for 4 numbers at a time. There are too few
// registers for the constants, which are read from memory.
func expInHalves() {
	TEXT("expAVX2", NOSPLIT, "func(x *float64, n int, table *uint64) int")
	Doc("expAVX2 replaces n numbers by their exponentials, 4 at a time. It stops before 4 numbers of which",
		"Exp treats one as special, and returns how many it has replaced. n is a multiple of 4.")
	Pragma("noescape")
	x, n, table := argument("x"), argument("n"), argument("table")
	least, most := number4("least4", -0x1.6232bdd7abcd2p+9), number4("most4", 709)
	c := newExpConstants("4", func(name string, v float64) Op { return number4(name, v) })
	entries := bits4("entries4", steps-1)
	replaceInHalves(x, n, least, most, func(v, t reg.VecVirtual) reg.VecVirtual {
		k, kf, r := YMM(), YMM(), YMM()
		c.steps(v, k, kf)
		c.remainder(v, kf, r, t)
		entry, all, scale := YMM(), YMM(), YMM()
		VPAND(entries, k, entry)
		VPCMPEQD(all, all, all)
		VPXOR(scale, scale, scale) // otherwise it would wait for the numbers before
		VPGATHERQQ(all, Mem{Base: table, Index: entry, Scale: word}, scale)
		VPSUBQ(entry, k, k) // a multiple of steps
		VPSLLQ(U8(octave-7), k, k)
		VPADDQ(k, scale, scale)
		rr, p, q := YMM(), YMM(), YMM()
		c.series(r, rr, p, q)
		VMULPD(p, scale, p)
		VADDPD(p, scale, p)
		return p
	})
}

// logInHalves writes a function that does for 4 numbers at a time what Log2 does for one, operation by
// operation.
func logInHalves() {
	TEXT("log2AVX2", NOSPLIT, "func(x *float64, n int, series *float64) int")
	Doc("log2AVX2 replaces n numbers by their base-2 logarithms, 4 at a time, by the coefficients of the",
		"series. It stops before 4 numbers of which one is not a positive normal number, and returns how many it",
		"has replaced. n is a multiple of 4.")
	Pragma("noescape")
	x, n, series := argument("x"), argument("n"), argument("series")
	least, most := number4("normal4", 0x1p-1022), number4("finite4", math.MaxFloat64)
	leastMantissa, one := bits4("leastMantissa4", 0x3fe6_a09e_667f_3bcd), number4("one4", 1)
	exponents, perE := bits4("exponents4", 0xfff<<octave), number4("log2E4", math.Log2E)
	replaceInHalves(x, n, least, most, func(v, t reg.VecVirtual) reg.VecVirtual {
		e, m := YMM(), YMM()
		VPSUBQ(leastMantissa, v, e)
		VPAND(exponents, e, t)
		VPSUBQ(t, v, m)
		VPSRAD(U8(octave-32), e, e) // the exponents are in the upper halves
		VEXTRACTI128(U8(1), e, t.AsX())
		VSHUFPS(U8(0xdd), t.AsX(), e.AsX(), e.AsX())
		VCVTDQ2PD(e.AsX(), e)
		s, z, y := YMM(), YMM(), YMM()
		VADDPD(one, m, t)
		VSUBPD(one, m, m)
		VDIVPD(t, m, s)
		VMULPD(s, s, z)
		VXORPD(y, y, y)
		for i := range logTerms {
			VBROADCASTSD(Mem{Base: series, Disp: i * word}, t)
			VADDPD(y, t, t)
			VMULPD(t, z, y)
		}
		VMULPD(y, s, y)
		VADDPD(y, s, y)
		VADDPD(y, y, y)
		VMULPD(perE, y, y)
		VADDPD(y, e, y)
		return y
	})
}

// replaceInHalves writes the loop that replaces n numbers, a multiple of 4, by what replacement writes code
// for, 4 at a time; t is another register to use. The function ends before 4 numbers of which one is less
// than least, more than most or NaN, and returns how many it has replaced.
func replaceInHalves(x, n reg.GPVirtual, least, most Mem,
	replacement func(v, t reg.VecVirtual) reg.VecVirtual) {
	done := GP64()
	XORQ(done, done)
	JMP(LabelRef("next"))

	Label("block")
	v, special, t := YMM(), YMM(), YMM()
	VMOVUPD(of(x, done, word), v)
	VCMPPD(notGreaterOrEqual, least, v, special)
	VCMPPD(notLessOrEqual, most, v, t)
	VORPD(t, special, special)
	VPTEST(special, special)
	JNZ(LabelRef("end"))
	VMOVUPD(replacement(v, t), of(x, done, word))
	ADDQ(U8(half), done)
	Label("next")
	CMPQ(done, n)
	JLT(LabelRef("block"))
	Label("end")
	VZEROUPPER()
	Store(done, ReturnIndex(0))
	RET()
}

// magnitudesInHalves writes a function that does what that of [magnitudes] does.
func magnitudesInHalves() {
	TEXT("magnitudesAVX2", NOSPLIT, "func(x *float64, n int, up float64) int64")
	Doc("magnitudesAVX2 returns the sum of the bits of |x·up| + roundShift of n numbers, a multiple of 8.")
	Pragma("noescape")
	x, n, up := argument("x"), argument("n"), broadcast("up", YMM())
	signless, shift, at := YMM(), YMM(), GP64()
	VMOVUPD(bits4("signless4", 1<<63-1), signless)
	VMOVUPD(number4("magnitudeShift4", 0x1.8p52), shift)
	sums := [2]reg.VecVirtual{YMM(), YMM()}
	for _, sum := range sums {
		VPXOR(sum, sum, sum)
	}
	XORQ(at, at)
	Label("numbers")
	for i, sum := range sums {
		v := YMM()
		VANDPD(of(x, at, word).Offset(i*half*word), signless, v)
		VMULPD(up, v, v)
		VADDPD(shift, v, v)
		VPADDQ(v, sum, sum)
	}
	ADDQ(U8(lanes), at)
	CMPQ(at, n)
	JLT(LabelRef("numbers"))
	VPADDQ(sums[1], sums[0], sums[0])
	total := total(sums[0], sums[1])
	VZEROUPPER()
	Store(total, ReturnIndex(0))
	RET()
}

// packInHalves writes a function that rounds 4 pairs of numbers at a time.
func packInHalves() {
	TEXT("packAVX2", NOSPLIT, "func(dst *int64, x, y *float64, n int, upX, upY float64)")
	Doc("packAVX2 writes the integer nearest to x·upX, times 2^32, plus that nearest to y·upY, for n numbers,",
		"a multiple of 4.")
	Pragma("noescape")
	dst, x, y, n := argument("dst"), argument("x"), argument("y"), argument("n")
	upX, upY, shift, at := broadcast("upX", YMM()), broadcast("upY", YMM()), YMM(), GP64()
	VMOVUPD(number4("packShift4", 0x1.8p52), shift)
	XORQ(at, at)
	Label("pairs")
	high, low := YMM(), YMM()
	VMULPD(of(x, at, word), upX, high)
	VADDPD(shift, high, high)
	VPSLLQ(U8(32), high, high) // without the bits of the shift, which are the upper ones
	VMULPD(of(y, at, word), upY, low)
	VADDPD(shift, low, low)
	VPSUBQ(shift, low, low)
	VPADDQ(low, high, high)
	VMOVDQU(high, of(dst, at, word))
	ADDQ(U8(half), at)
	CMPQ(at, n)
	JLT(LabelRef("pairs"))
	VZEROUPPER()
	RET()
}

// number4 returns memory with 4 copies of a number.
func number4(name string, v float64) Mem { return bits4(name, math.Float64bits(v)) }

func bits4(name string, bits uint64) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for i := range half {
		DATA(i*word, U64(bits))
	}
	return m
}
