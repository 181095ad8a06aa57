package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const half = block / 2 // four queries

// togetherInHalves writes a function that does what that of [together] does, for four queries and then for
// the other four. The sums of a document are in memory, since there are not registers enough for them: those
// of each lane of the order of additions, which later documents reach in turn.
func togetherInHalves(signless Mem) {
	TEXT("addTogetherAVX2", NOSPLIT, "func(values *float64, documents, ranks int, offsets, sums, own *float64)")
	Doc("addTogetherAVX2 adds all pairs of eight queries. The sums of |x| are added to sums. own is memory.")
	Pragma("noescape")
	k := kernel{register: YMM, and: vpand, signless: YMM()}
	VBROADCASTSD(signless, k.signless.(reg.Register))
	values, documents, to := argument("values"), argument("documents"), argument("ranks")
	offsets, sums := argument("offsets"), argument("sums")
	SHLQ(U8(6), documents)
	SHLQ(U8(6), to)
	k.rank, k.place = GP64(), GP64()
	of := func(field int, place reg.Register) Mem {
		return Mem{Base: values, Index: place, Scale: 1, Disp: field * togetherStride}
	}
	k.memory = func(field int) Mem { return of(field, k.place) }
	for _, r := range []*reg.VecVirtual{&k.gain, &k.odds, &k.score, &k.discount} {
		*r = YMM()
	}
	k.offset = Mem{Base: offsets}
	ofLanes, halves := Mem{Base: argument("own")}, GP64()
	MOVQ(U32(2), halves)

	Label("halves")
	XORQ(k.rank, k.rank)
	Label("one")
	zero := YMM()
	VPXOR(zero, zero, zero)
	for i := range lanes * 4 {
		VMOVUPD(zero, ofLanes.Offset(i*half))
	}
	for field, r := range []reg.VecVirtual{gain: k.gain, odds: k.odds, score: k.score, discount: k.discount} {
		VMOVUPD(of(field, k.rank), r)
	}
	LEAQ(Mem{Base: k.rank, Disp: block}, k.place)
	CMPQ(k.place, documents)
	JGE(LabelRef("added"))
	Label("other")
	lane := GP64()
	MOVQ(k.place, lane)
	ANDQ(I32((lanes-1)*block), lane)
	k.parts(func(field int, part reg.VecVirtual) {
		k.change(VADDPD, ofLanes.Offset(field*half).Idx(lane, 4*half/block), part)
	})
	ADDQ(U8(block), k.place)
	CMPQ(k.place, documents)
	JLT(LabelRef("other"))
	Label("added")
	total := func(field int) reg.VecVirtual {
		return addUp(func(lane int) Mem { return ofLanes.Offset((lane*4 + field) * half) }, 0, 1)
	}
	below, above, both := total(lambdaBelow), total(lambdaAbove), YMM()
	VADDPD(above, below, both)
	k.change(VSUBPD, of(lambda, k.rank), both)
	VSUBPD(above, below, both)
	k.change(VADDPD, Mem{Base: sums}, both)
	below, above = total(hessianBelow), total(hessianAbove)
	VADDPD(above, below, both)
	k.change(VADDPD, of(hessian, k.rank), both)
	ADDQ(U8(block), k.rank)
	CMPQ(k.rank, to)
	JLT(LabelRef("one"))
	ADDQ(U8(half), values)
	ADDQ(U8(half), offsets)
	ADDQ(U8(half), sums)
	DECQ(halves)
	JNZ(LabelRef("halves"))
	VZEROUPPER()
	RET()
}

// addUp returns the sum of the first lane and of those that follow it in equal steps. Every other one of
// them is added to a sum, and the rest to another, each in the same way.
func addUp(of func(lane int) Mem, first, step int) reg.VecVirtual {
	if 2*step == lanes {
		sum := YMM()
		VMOVUPD(of(first), sum)
		VADDPD(of(first+step), sum, sum)
		return sum
	}
	sum := addUp(of, first, 2*step)
	VADDPD(addUp(of, first+step, 2*step), sum, sum)
	return sum
}

const (
	index      = numFields // field of eight queries, behind those of documents
	ofExchange = 2         // bytes of a rank
)

// Predicates of VCMPPD that are true for NaN.
const (
	notGreater = U8(0x1a)
	notEqual   = U8(0x04)
)

// rank writes a function that ranks eight queries, four at a time: the same exchanges rank the documents of
// each.
func rank() {
	TEXT("rankAVX2", NOSPLIT,
		"func(values *float64, exchanges *uint16, n, most int, sigma float64, discounts *float64) uint")
	Doc("rankAVX2 ranks eight queries of up to this many documents by n exchanges, and sets their odds, before",
		"exp, and discounts. It returns a bit for each query whose scores descend.")
	Pragma("noescape")
	infinity := GLOBL("infinity", RODATA|NOPTR)
	DATA(0, U64(0xfff<<52))
	values, exchanges, n := argument("values"), argument("exchanges"), argument("n")
	documents, discounts := argument("most"), argument("discounts")
	sigma, least := YMM(), YMM()
	VBROADCASTSD(NewParamAddr("sigma", 32), sigma)
	VBROADCASTSD(infinity, least)
	of := func(field int, place reg.Register) Mem {
		return Mem{Base: values, Index: place, Scale: 1, Disp: field * togetherStride}
	}
	LEAQ(Mem{Base: exchanges, Index: n, Scale: 2 * ofExchange}, exchanges)
	NEGQ(n)
	ADDQ(U8(half), values) // the last four queries come first: their bits are the upper ones
	ranked, halves := GP64(), GP64()
	XORQ(ranked, ranked)
	MOVQ(U32(2), halves)

	Label("half")
	next := GP64()
	MOVQ(n, next)
	TESTQ(next, next)
	JZ(LabelRef("exchanged"))
	Label("exchange")
	first, second, exchanged := GP64(), GP64(), YMM()
	for i, place := range []reg.GPVirtual{first, second} {
		MOVWQZX(Mem{Base: exchanges, Index: next, Scale: 2 * ofExchange, Disp: i * ofExchange}, place)
	}
	for _, field := range []int{score, gain, index} {
		a, b, t := YMM(), YMM(), YMM()
		VMOVUPD(of(field, first), a)
		VMOVUPD(of(field, second), b)
		if field == score {
			VCMPPD(greater, a, b, exchanged)
		}
		VBLENDVPD(exchanged, b, a, t)
		VMOVUPD(t, of(field, first))
		VBLENDVPD(exchanged, a, b, t)
		VMOVUPD(t, of(field, second))
	}
	INCQ(next)
	JNZ(LabelRef("exchange"))
	Label("exchanged")

	XORQ(next, next)
	place := GP64()
	XORQ(place, place)
	largest, before, unordered := YMM(), YMM(), YMM()
	VMOVUPD(of(score, place), largest)
	VXORPD(unordered, unordered, unordered)
	Label("document")
	s, t, within := YMM(), YMM(), YMM()
	VMOVUPD(of(score, place), s)
	VSUBPD(largest, s, t)
	VMULPD(t, sigma, t)
	VMOVUPD(t, of(odds, place))
	VBROADCASTSD(Mem{Base: discounts, Index: next, Scale: float}, t)
	VMOVUPD(t, of(discount, place))
	TESTQ(next, next)
	JZ(LabelRef("compared"))
	VCMPPD(notGreater, s, before, t)
	VCMPPD(notEqual, least, s, within) // -Inf is where a query has no more documents
	VANDPD(within, t, t)
	VORPD(t, unordered, unordered)
	Label("compared")
	VMOVAPD(s, before)
	ADDQ(U8(block), place)
	INCQ(next)
	CMPQ(next, documents)
	JLT(LabelRef("document"))
	bits := GP32()
	VMOVMSKPD(unordered, bits)
	SHLQ(U8(lanes/2), ranked)
	ORQ(bits.As64(), ranked)
	SUBQ(U8(half), values)
	DECQ(halves)
	JNZ(LabelRef("half"))
	NOTQ(ranked)
	VZEROUPPER()
	Store(ranked, ReturnIndex(0))
	RET()
}
