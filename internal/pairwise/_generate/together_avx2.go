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
