package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	maxFeature = 1<<24 - 1 // as in package letor
	maxWhole   = 7         // digits before the point, so that the digits are an integer below 2^53
	maxAfter   = 8         // digits after the point
)

// usual writes the function round by round: it finds the features in 64 bytes, converts their numbers and
// values in eight lanes, and stores them unless one is to be left to Go.
func usual() {
	r := begin()
	r.findEnds()
	whole := r.findWhole()
	r.useLanes()
	r.place(whole)
	number := r.numbers()
	v := r.values()
	r.checkOrder(number)
	r.store(number, v)
	r.goOn(number)
	finish(r.at, r.room)
}

// round are the registers of a round.
type round struct {
	at             reg.GPVirtual // place in the text where the round begins
	feature, value reg.GPVirtual // where the next feature is stored
	room           reg.GPVirtual // features that can be stored
	last, base     reg.VecVirtual

	text                          reg.VecVirtual // 64 bytes from the beginning of a feature on
	colons, ends, stops, newlines reg.GPVirtual  // where they are in the text; stops are points and ends
	count                         reg.GPVirtual  // features of the round
	packed                        reg.GPVirtual  // places of their ends, a byte each
	start, colon, stop, end       reg.VecVirtual // places of each feature

	used   reg.OpmaskVirtual // lanes that have a feature
	faults reg.OpmaskVirtual // not 0 if a feature is left to Go
}

// begin begins the function and its loop.
func begin() *round {
	TEXT("usualFeatures", NOSPLIT,
		"func(text *byte, feature *int32, value *float64, room, last, base int) (n, end int)")
	Doc("usualFeatures reads features in the usual form from text on, up to the end of the row, the first",
		"feature in another form, or a room of fewer than 8 features. It returns how many it read, and the",
		"place of the line end, or of the next feature. feature and value have room for that many. It may",
		"load 63 bytes after a line end.")
	Pragma("noescape")
	r := &round{at: argument("text"), feature: argument("feature"), value: argument("value"),
		room: argument("room"), last: ZMM(), base: ZMM()}
	VPBROADCASTQ(NewParamAddr("last", 32), r.last)
	VPBROADCASTQ(NewParamAddr("base", 40), r.base)
	Label("round")
	CMPQ(r.room, U8(lanes))
	JL(LabelRef("done"))
	r.text, r.used, r.faults = ZMM(), K(), K()
	VMOVDQU64(Mem{Base: r.at}, r.text)
	return r
}

// findEnds finds the bytes that end numbers and values, up to the line end.
func (r *round) findEnds() {
	r.colons, r.ends, r.stops = find(r.text, ':'), find(r.text, ' '), find(r.text, '.')
	r.newlines = find(r.text, '\n')
	kept := GP64()
	BLSMSKQ(r.newlines, kept) // all bits if there is no line end
	ORQ(r.newlines, r.ends)
	ANDQ(kept, r.ends)
	ORQ(r.ends, r.stops)
}

// findWhole returns where the whole parts of values end: the first point or end after each colon, to which an
// addition carries.
func (r *round) findWhole() reg.GPVirtual {
	whole := GP64()
	MOVQ(r.stops, whole)
	NOTQ(whole)
	ADDQ(r.colons, whole)
	ANDQ(r.stops, whole)
	return whole
}

// useLanes counts the features of the round.
func (r *round) useLanes() {
	count, most := GP64(), GP64()
	r.count = count
	MOVQ(U32(lanes), most)
	POPCNTQ(r.ends, count)
	TESTQ(count, count)
	JZ(LabelRef("done"))
	CMPQ(count, most)
	CMOVQHI(most, count)
	used := GP64()
	MOVQ(I32(-1), used)
	BZHIQ(count, used, used)
	KMOVB(used.As32(), r.used)
}

// place spreads the places of each feature to its lane.
func (r *round) place(whole reg.GPVirtual) {
	r.packed = places(r.ends)
	starts := GP64() // the place after the end of the lane before
	MOVQ(r.packed, starts)
	SHLQ(U8(8), starts)
	one8 := GP64()
	MOVQ(U64(0x0101010101010100), one8)
	ADDQ(one8, starts)
	r.start, r.colon = spread(starts), spread(places(r.colons))
	r.stop, r.end = spread(places(whole)), spread(r.packed)
}

// numbers returns the numbers of the features.
func (r *round) numbers() reg.VecVirtual {
	KXORQ(r.faults, r.faults, r.faults)
	length := subtract(r.colon, r.start)
	r.check(length, 1, 8)
	return r.digits(r.colon, length)
}

// values returns the values of the features.
func (r *round) values() reg.VecVirtual {
	first, minus := r.signs()
	length := subtract(r.stop, first)
	VPSUBQ(quads("one", 1), length, minus, length)
	r.check(length, 1, maxWhole)
	v, fraction, power := ZMM(), ZMM(), ZMM()
	VCVTUQQ2PD(r.digits(r.stop, length), v)
	length = r.decimals()
	VCVTUQQ2PD(r.digits(r.end, length), fraction)
	powerOfTen(length, power)
	VMULPD(power, v, v) // exact, and so is the sum
	VADDPD(fraction, v, v)
	VDIVPD(power, v, v)
	VPXORQ(quads("signBit", 1<<63), v, minus, v)
	return v
}

// signs returns the places of the values, and the lanes where they begin with a minus.
func (r *round) signs() (first reg.VecVirtual, minus reg.OpmaskVirtual) {
	first = ZMM()
	VPADDQ(quads("one", 1), r.colon, first)
	sign := ZMM()
	minus = K()
	VPERMB(r.text, first, sign)
	VPANDQ(quads("lowest", 255), sign, sign)
	VPCMPEQQ(quads("minus", '-'), sign, minus)
	return first, minus
}

// decimals returns the numbers of digits after the points.
func (r *round) decimals() reg.VecVirtual {
	length := subtract(r.end, r.stop)
	r.check(length, 0, 1+maxAfter)
	zero := ZMM()
	VPXORQ(zero, zero, zero)
	VPSUBQ(quads("one", 1), length, length)
	VPMAXSQ(zero, length, length)
	return length
}

// powerOfTen sets power to ten to the power of exponents.
func powerOfTen(exponents, power reg.VecVirtual) {
	VMOVDQA64(exponents, power)
	low := ZMM()
	VMOVUPD(powers("powers", func(i int) int { return i }), low)
	VPERMI2PD(powers("morePowers", func(int) int { return maxAfter }), low, power)
}

// checkOrder ends the function if numbers do not ascend or are too large, or if there was another fault.
func (r *round) checkOrder(number reg.VecVirtual) {
	before := ZMM()
	VALIGNQ(U8(7), r.last, number, before)
	r.fault(func(k reg.OpmaskVirtual) { VPCMPQ(lessOrEqual, before, number, r.used, k) })
	r.fault(func(k reg.OpmaskVirtual) { VPCMPQ(greater, quads("maxFeature", maxFeature), number, r.used, k) })
	KORTESTQ(r.faults, r.faults)
	JNZ(LabelRef("done"))
}

// store stores the features of the round.
func (r *round) store(number, v reg.VecVirtual) {
	numbers, narrow := ZMM(), YMM()
	VPSUBQ(r.base, number, numbers)
	VPMOVQD(numbers, narrow)
	VMOVDQU32(narrow, Mem{Base: r.feature})
	VMOVUPD(v, Mem{Base: r.value})
	LEAQ(Mem{Base: r.feature, Index: r.count, Scale: 4}, r.feature)
	LEAQ(Mem{Base: r.value, Index: r.count, Scale: 8}, r.value)
	SUBQ(r.count, r.room)
}

// goOn begins the next round after the last feature, unless the row ends there.
func (r *round) goOn(number reg.VecVirtual) {
	DECQ(r.count)
	lane := ZMM()
	VPBROADCASTQ(r.count, lane)
	VPERMQ(number, lane, r.last)
	SHLQ(U8(3), r.count)
	SHRXQ(r.count, r.packed, r.packed)
	MOVBQZX(r.packed.As8(), r.packed)
	BTQ(r.packed, r.newlines)
	LEAQ(Mem{Base: r.at, Index: r.packed, Scale: 1, Disp: 1}, r.at)
	JCC(LabelRef("round"))
	DECQ(r.at)
}

func subtract(a, b reg.VecVirtual) reg.VecVirtual {
	z := ZMM()
	VPSUBQ(b, a, z)
	return z
}

// check marks lanes as faults whose length is not from low to high.
func (r *round) check(length reg.VecVirtual, low, high uint64) {
	z := length
	if low > 0 {
		z = ZMM()
		VPSUBQ(quads("one", 1), length, z)
	}
	limit := quads("limit"+string(rune('0'+high-low)), high-low)
	r.fault(func(k reg.OpmaskVirtual) { VPCMPUQ(greater, limit, z, r.used, k) })
}

func (r *round) fault(compare func(k reg.OpmaskVirtual)) {
	k := K()
	compare(k)
	KORQ(k, r.faults, r.faults)
}

// digits returns for each lane the integer that the last length digits before end form, as rows.LeadingDigits
// computes it. Other bytes are faults.
func (r *round) digits(end, length reg.VecVirtual) reg.VecVirtual {
	d, mask, ones := ZMM(), ZMM(), ZMM()
	VPSHUFB(pattern("copies", func(i int) byte { return byte(i & 8) }), end, d)
	VPADDB(pattern("before", func(i int) byte { return byte(i&7 - 8) }), d, d)
	VPERMB(r.text, d, d)
	VPSUBB(bytes("is30", '0'), d, d)
	VPSLLQ(U8(3), length, mask)
	bits := ZMM()
	VMOVDQU64(quads("bits", 64), bits)
	VPSUBQ(mask, bits, mask)
	VPTERNLOGD(U8(255), ones, ones, ones)
	VPSLLVQ(mask, ones, mask)
	VPANDQ_Z(mask, d, r.used, d)
	r.fault(func(k reg.OpmaskVirtual) { VPCMPUB(greater, bytes("is09", 9), d, k) })
	return join(d)
}
