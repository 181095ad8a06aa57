package main

import (
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// avx2 takes the first half of all blocks' lanes and then the second: there are
// registers for the sums of one.
func (k kernel) avx2() {
	var sums [4]reg.VecVirtual
	for i := range sums {
		sums[i] = YMM()
	}
	cursor, left := GP64(), GP64()
	for half := 0; half < field; half += field / 2 {
		label := "half" + strconv.Itoa(half)
		for _, sum := range sums {
			VPXOR(sum, sum, sum)
		}
		MOVQ(k.blocks, cursor)
		MOVQ(k.count, left)
		Label(label)
		k.half(cursor, half, sums)
		ADDQ(U32(block), cursor)
		DECQ(left)
		JNE(LabelRef(label))
		for i, sum := range sums {
			VMOVUPD(sum, at(k.own, ownSums+i*field+half))
		}
	}
	VZEROUPPER()
	RET()
}

// half adds the pairs with 4 lanes of a block. Lanes that are neither below nor above
// add 0, which changes no sum: none is ever -0.
func (k kernel) half(from reg.Register, lanes int, sums [4]reg.VecVirtual) {
	w, o, both := k.weight(from, lanes)
	below, above, low := YMM(), YMM(), YMM()
	VCMPPD(greater, at(from, gain+lanes), k.gain, below)
	VBLENDVPD(below, o, k.odds, low)
	VBLENDVPD(below, k.odds, o, o)
	k.derivatives(w, both, low, o)
	VCMPPD(less, at(from, gain+lanes), k.gain, above)
	addParts := func(v reg.VecVirtual, to Mem, ofBelow, ofAbove reg.VecVirtual) {
		part := YMM()
		VPAND(v, below, part)
		VPAND(v, above, v)
		VADDPD(part, ofBelow, ofBelow)
		VADDPD(v, ofAbove, ofAbove)
		VPOR(v, part, v)
		VADDPD(to, v, v)
		VMOVUPD(v, to)
	}
	addParts(both, at(from, lambda+lanes), sums[lambdaBelow], sums[lambdaAbove])
	addParts(w, at(from, hessian+lanes), sums[hessianBelow], sums[hessianAbove])
}
