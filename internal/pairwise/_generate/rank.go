package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	index  = 4  // bytes of a document's index
	window = 16 // documents in registers
)

// Predicates of VCMPPD that are false for NaN and raise no exception.
const (
	greaterOrEqual = U8(0x1d)
	lessOrEqual    = U8(0x12)
)

// window16 is an insertion sort with the last 16 documents in registers, largest score first. Inserting a
// document pushes out the one with the largest score, which is written; its rank is final unless a later
// document belongs before it. No branch depends on scores.
type window16 struct {
	scores  [2]reg.VecVirtual
	indexes reg.VecVirtual
	lowest  reg.VecVirtual    // minus infinity
	first   reg.OpmaskVirtual // lane 0
	others  reg.OpmaskVirtual // all other lanes
}

// rank writes the function that sorts documents.
func rank() {
	TEXT("rankAVX512", NOSPLIT,
		"func(dstScores *float64, dstOrder *int32, scores *float64, order *int32, n int) int")
	Doc("rankAVX512 writes n documents by descending score behind 16 places of both results, which",
		"have room for 16+n, and for 9 scores more. scores are by index, and order has the indexes. It",
		"returns 0 if all is sorted and no scores are equal, a number below 256 if some are, and a larger",
		"one if a document belongs more than 16 ranks before its place in order. If a score is NaN, the",
		"last result is minus infinity.")
	Pragma("noescape")
	dstScores, dstOrder := argument("dstScores"), argument("dstOrder")
	scores, order, n := argument("scores"), argument("order"), argument("n")
	w := window16{scores: [2]reg.VecVirtual{ZMM(), ZMM()}, indexes: ZMM(), lowest: ZMM()}
	VBROADCASTSD(number("highest", math.Inf(1)), w.scores[0])
	VMOVAPD(w.scores[0], w.scores[1])
	VPXORQ(w.indexes, w.indexes, w.indexes)
	VBROADCASTSD(number("lowest", math.Inf(-1)), w.lowest)
	w.first, w.others = K(), K()
	one := GP32()
	MOVL(U32(1), one)
	KMOVW(one, w.first)
	KNOTW(w.first, w.others)
	at := GP64()
	XORQ(at, at)

	Label("insert")
	VMOVSD(w.scores[0].AsX(), Mem{Base: dstScores, Index: at, Scale: float})
	VMOVD(w.indexes.AsX(), Mem{Base: dstOrder, Index: at, Scale: index})
	document, score, number := GP64(), ZMM(), ZMM()
	MOVLQSX(Mem{Base: order, Index: at, Scale: index}, document)
	VBROADCASTSD(Mem{Base: scores, Index: document, Scale: float}, score)
	VPBROADCASTD(Mem{Base: order, Index: at, Scale: index}, number)
	w.insert(score, number)
	INCQ(at)
	CMPQ(at, n)
	JLT(LabelRef("insert"))
	for i, z := range w.scores {
		VMOVUPD(z, Mem{Base: dstScores, Index: n, Scale: float, Disp: i * block})
	}
	VMOVDQU32(w.indexes, Mem{Base: dstOrder, Index: n, Scale: index})
	check(dstScores, n)
}

func number(name string, v float64) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	DATA(0, U64(math.Float64bits(v)))
	return m
}

// insert inserts a document: lanes with a larger score take the content of the next lane, except the last of
// these, which takes the document. The first lane is free.
func (w *window16) insert(score, number reg.VecVirtual) {
	later := [2]reg.VecVirtual{ZMM(), ZMM()}
	VALIGNQ(U8(1), w.scores[0], w.scores[1], later[0])
	VALIGNQ(U8(1), w.scores[1], w.lowest, later[1])
	var larger, move [2]reg.OpmaskVirtual
	for i := range later {
		larger[i], move[i] = K(), K()
		VCMPPD(greaterOrEqual, score, w.scores[i], larger[i])
		VCMPPD(greaterOrEqual, score, later[i], move[i])
		lower := ZMM() // NaN if the score is, so that later is taken
		if i == 0 {
			VMOVAPD(score, lower)
			VMINPD(score, w.scores[i], w.others, lower)
		} else {
			VMINPD(score, w.scores[i], lower)
		}
		VMAXPD(later[i], lower, w.scores[i])
	}
	KUNPCKBW(larger[0], larger[1], larger[0])
	KORW(w.first, larger[0], larger[0])
	KUNPCKBW(move[0], move[1], move[0])
	moved := ZMM()
	VALIGND(U8(1), w.indexes, w.indexes, moved)
	VMOVDQA32(number, larger[0], w.indexes)
	VMOVDQA32(moved, move[0], w.indexes)
}

// check compares each score with the next one, and returns from the function. Comparisons with NaN, which
// follows the last score, are false.
func check(dstScores, n reg.GPVirtual) {
	nan := ZMM()
	VBROADCASTSD(number("nan", math.NaN()), nan)
	VMOVUPD(nan, Mem{Base: dstScores, Index: n, Scale: float, Disp: window * float})
	at, scores := GP64(), ZMM()
	equal, above := K(), K()
	XORQ(at, at)
	KMOVW(at.As32(), equal)
	KMOVW(at.As32(), above)
	Label("check")
	VMOVUPD(Mem{Base: dstScores, Index: at, Scale: float, Disp: window * float}, scores)
	next := Mem{Base: dstScores, Index: at, Scale: float, Disp: (window + 1) * float}
	addMask := func(predicate U8, all reg.OpmaskVirtual) {
		some := K()
		VCMPPD(predicate, next, scores, some)
		KORW(some, all, all)
	}
	addMask(lessOrEqual, equal)
	addMask(less, above)
	ADDQ(U8(8), at)
	CMPQ(at, n)
	JLT(LabelRef("check"))
	VZEROUPPER()
	result, high := GP64(), GP64()
	KMOVW(equal, result.As32())
	KMOVW(above, high.As32())
	SHLQ(U8(8), high)
	ORQ(high, result)
	Store(result, ReturnIndex(0))
	RET()
}
