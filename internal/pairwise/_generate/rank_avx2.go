package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

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
		"func(values *float64, exchanges *uint16, n, documents int, sigma float64, discounts *float64) uint")
	Doc("rankAVX2 ranks eight queries of up to this many documents by n exchanges, and sets their odds, before",
		"exp, and discounts. It returns a bit for each query whose scores descend.")
	Pragma("noescape")
	infinity := GLOBL("infinity", RODATA|NOPTR)
	DATA(0, U64(0xfff<<52))
	values, exchanges, n := argument("values"), argument("exchanges"), argument("n")
	documents, discounts := argument("documents"), argument("discounts")
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
