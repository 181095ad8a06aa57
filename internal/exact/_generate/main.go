// Command _generate writes the assembly of package exact; go generate ./internal/exact runs it. It is a
// module of its own, so that the product does not depend on avo.
package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	word  = 8 // bytes of a number
	index = 4 // bytes of an index
	lanes = 8 // numbers in a vector

	steps, octave = 128, 52 // of the table of exponentials, and the place of the exponent
)

// Predicates of VCMPPD that raise no exception, and are true for NaN.
const (
	notLess           = U8(0x15)
	notGreaterOrEqual = U8(0x19)
	notLessOrEqual    = U8(0x16)
)

func main() {
	ConstraintExpr("!purego")
	exp()
	nonzero()
	magnitudes()
	expInHalves()
	logInHalves()
	magnitudesInHalves()
	packInHalves()
	Generate()
}

// exp writes a function that does for 8 numbers at a time what Exp does for one, operation by operation.
func exp() {
	TEXT("expAVX512", NOSPLIT, "func(x *float64, n int, table *uint64) int")
	Doc("expAVX512 replaces n numbers by their exponentials, 8 at a time. It stops before 8 numbers of",
		"which Exp treats one as special, and returns how many it has replaced. n is a multiple of 8.")
	Pragma("noescape")
	x, n, table := argument("x"), argument("n"), argument("table")
	least, most := float("expUnderflow", -0x1.6232bdd7abcd2p+9), float("expOverflow", 709)
	c := newExpConstants("", func(name string, v float64) Op { return float(name, v) })
	entries := same("entries", steps-1)
	done := GP64()
	XORQ(done, done)
	JMP(LabelRef("next"))

	Label("block")
	v, small, large := ZMM(), K(), K()
	VMOVUPD(of(x, done, word), v)
	VCMPPD(notGreaterOrEqual, least, v, small)
	VCMPPD(notLessOrEqual, most, v, large)
	KORTESTW(small, large)
	JNZ(LabelRef("end"))
	k, kf, r, t := ZMM(), ZMM(), ZMM(), ZMM()
	c.steps(v, k, kf)
	VPSLLQ(U8(12), k, k)
	VPSRAQ(U8(12), k, k)
	c.remainder(v, kf, r, t)
	rr, p, q := ZMM(), ZMM(), ZMM()
	c.series(r, rr, p, q)
	scale, entry, all := ZMM(), ZMM(), K()
	VPANDQ(entries, k, entry)
	KXNORW(all, all, all)
	VPGATHERQQ(Mem{Base: table, Index: entry, Scale: word}, all, scale)
	VPSRAQ(U8(7), k, k)
	VPSLLQ(U8(octave), k, k)
	VPADDQ(k, scale, scale)
	VMULPD(p, scale, p)
	VADDPD(p, scale, p)
	VMOVUPD(p, of(x, done, word))
	ADDQ(U8(lanes), done)
	Label("next")
	CMPQ(done, n)
	JLT(LabelRef("block"))
	Label("end")
	VZEROUPPER()
	Store(done, ReturnIndex(0))
	RET()
}

// expConstants are the constants of Exp, in vectors or in memory.
type expConstants struct{ perE, shift, high, low, c2, c3, c4, c5 Op }

// newExpConstants returns the constants, which create has made. Their names end in ending.
func newExpConstants(ending string, create func(name string, v float64) Op) expConstants {
	of := func(name string, v float64) Op { return create(name+ending, v) }
	return expConstants{
		perE: of("stepsPerE", steps*math.Log2E), shift: of("roundShift", 0x1.8p52),
		high: of("ln2StepsHi", 0x1.62e42fefa0000p-8), low: of("ln2StepsLo", 0x1.cf79abc9e3b39p-47),
		c2: of("half", 0.5), c3: of("sixth", 1.0/6),
		c4: of("twentyFourth", 1.0/24), c5: of("hundredTwentieth", 1.0/120),
	}
}

// steps sets kf to the nearest number of steps to v, and k to an integer whose low bits are this number.
func (c *expConstants) steps(v, k, kf reg.VecVirtual) {
	VMULPD(c.perE, v, k)
	VADDPD(c.shift, k, k)
	VSUBPD(c.shift, k, kf)
}

// remainder sets r to what kf steps leave of v. t is another register to use.
func (c *expConstants) remainder(v, kf, r, t reg.VecVirtual) {
	VMULPD(c.high, kf, r)
	VSUBPD(r, v, r)
	VMULPD(c.low, kf, t)
	VSUBPD(t, r, r)
}

// series sets p to e^r - 1. rr and q are other registers to use.
func (c *expConstants) series(r, rr, p, q reg.VecVirtual) {
	VMULPD(r, r, rr)
	VMULPD(c.c3, r, p)
	VADDPD(c.c2, p, p)
	VMULPD(c.c5, r, q)
	VADDPD(c.c4, q, q)
	VMULPD(q, rr, q)
	VADDPD(q, p, p)
	VMULPD(p, rr, p)
	VADDPD(p, r, p)
}

// nonzero writes a function that finds the numbers that Dither does not turn into 0.
func nonzero() {
	const golden = 0x9e3779b97f4a7c15
	TEXT("nonzeroAVX512", NOSPLIT,
		"func(dst *int32, x, y *float64, n int, upX, upY float64, key uint64) int")
	Doc("nonzeroAVX512 writes the indexes that Nonzero returns to dst, and returns how many they are.",
		"upX and upY are of the scales. n is a multiple of 8. dst has room for n+8.")
	Pragma("noescape")
	dst, x, y, n := argument("dst"), argument("x"), argument("y"), argument("n")
	upX, upY, state := broadcast("upX", ZMM()), broadcast("upY", ZMM()), broadcast("key", ZMM())
	steps, numbers := GLOBL("indexSteps", RODATA|NOPTR), ZMM()
	for i := range uint64(lanes) {
		product := i
		product *= golden
		DATA(int(i)*word, U64(product))
	}
	VPADDQ(steps, state, state)
	first := GLOBL("firstIndexes", RODATA|NOPTR)
	for i := range 2 * lanes {
		DATA(i*index, U32(i))
	}
	VMOVDQU32(first, numbers)
	next := uint64(lanes)
	next *= golden
	step, more := same("blockStep", next), ZMM()
	VPBROADCASTD(number32("eight", lanes), more)
	mix1, mix2 := same("mix1", 0xbf58476d1ce4e5b9), same("mix2", 0x94d049bb133111eb)
	signless, unit, one := same("signless", 1<<63-1), float("unit", 0x1p-53), float("one", 1)
	at, found := GP64(), GP64()
	XORQ(at, at)
	XORQ(found, found)

	Label("numbers")
	r, t := ZMM(), ZMM()
	xorShifted := func(from reg.VecVirtual, by uint8) {
		VPSRLQ(U8(by), from, t)
		VPXORQ(t, from, r)
	}
	xorShifted(state, 30)
	VPMULLQ(mix1, r, r)
	xorShifted(r, 27)
	VPMULLQ(mix2, r, r)
	xorShifted(r, 31)
	VPSRLQ(U8(11), r, r)
	VCVTQQ2PD(r, r)
	VMULPD(unit, r, r)
	leaves := func(of Mem, up reg.VecVirtual) reg.OpmaskVirtual {
		v, mask := ZMM(), K()
		VPANDQ(of, signless, v)
		VMULPD(up, v, v)
		VADDPD(r, v, v)
		VCMPPD(notLess, one, v, mask)
		return mask
	}
	kept, ofY, places := leaves(of(x, at, word), upX), leaves(of(y, at, word), upY), ZMM()
	KORW(ofY, kept, kept)
	VPCOMPRESSD_Z(numbers, kept, places)
	VMOVDQU(places.AsY(), of(dst, found, index))
	count := GP32()
	KMOVW(kept, count)
	POPCNTL(count, count)
	ADDQ(count.As64(), found)
	VPADDQ(step, state, state)
	VPADDD(more, numbers, numbers)
	ADDQ(U8(lanes), at)
	CMPQ(at, n)
	JLT(LabelRef("numbers"))
	VZEROUPPER()
	Store(found, ReturnIndex(0))
	RET()
}

// magnitudes writes a function that adds up rounded magnitudes.
func magnitudes() {
	TEXT("magnitudesAVX512", NOSPLIT, "func(x *float64, n int, up float64) int64")
	Doc("magnitudesAVX512 returns the sum of the bits of |x·up| + roundShift of n numbers, a multiple of 8.")
	Pragma("noescape")
	x, n, up := argument("x"), argument("n"), broadcast("up", ZMM())
	signless, shift := same("magnitude", 1<<63-1), float("roundShift2", 0x1.8p52)
	sum, at := ZMM(), GP64()
	VPXORQ(sum, sum, sum)
	XORQ(at, at)
	Label("numbers")
	v := ZMM()
	VPANDQ(of(x, at, word), signless, v)
	VMULPD(up, v, v)
	VADDPD(shift, v, v)
	VPADDQ(v, sum, sum)
	ADDQ(U8(lanes), at)
	CMPQ(at, n)
	JLT(LabelRef("numbers"))
	low, high := YMM(), YMM()
	VEXTRACTI64X4(U8(0), sum, low)
	VEXTRACTI64X4(U8(1), sum, high)
	VPADDQ(high, low, low)
	total := total(low, high)
	VZEROUPPER()
	Store(total, ReturnIndex(0))
	RET()
}

// total returns the sum of the lanes of low, which changes. high is another register to use.
func total(low, high reg.VecVirtual) reg.GPVirtual {
	sum := GP64()
	VEXTRACTI128(U8(1), low, high.AsX())
	VPADDQ(high.AsX(), low.AsX(), low.AsX())
	VPSRLDQ(U8(8), low.AsX(), high.AsX())
	VPADDQ(high.AsX(), low.AsX(), low.AsX())
	VMOVQ(low.AsX(), sum)
	return sum
}

// same returns a vector whose lanes all have these bits.
func same(name string, bits uint64) reg.VecVirtual {
	m := GLOBL(name, RODATA|NOPTR)
	DATA(0, U64(bits))
	z := ZMM()
	VPBROADCASTQ(m, z)
	return z
}

func number32(name string, v uint32) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	DATA(0, U32(v))
	return m
}

// float returns a vector whose lanes all have this value.
func float(name string, v float64) reg.VecVirtual { return same(name, math.Float64bits(v)) }

// broadcast sets all lanes of a vector to an argument's value, and returns the vector.
func broadcast(name string, v reg.VecVirtual) reg.VecVirtual {
	place, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	VPBROADCASTQ(place.Addr, v)
	return v
}

// of returns the address of the element of a slice at an index.
func of(slice, index reg.GPVirtual, size uint8) Mem {
	return Mem{Base: slice, Index: index, Scale: size}
}

func argument(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }
