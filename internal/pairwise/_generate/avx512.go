package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// avx512 takes a block at a time. Additions are masked.
func (k kernel) avx512() {
	var sums [4]reg.VecVirtual
	for i := range sums {
		sums[i] = ZMM()
		VPXORQ(sums[i], sums[i], sums[i])
	}
	Label("block")
	w, o, both := k.weight(k.blocks, 0)
	below, above, either := K(), K(), K()
	VCMPPD(greater, at(k.blocks, gain), k.gain, below)
	VCMPPD(less, at(k.blocks, gain), k.gain, above)
	KORW(below, above, either)
	low, high := ZMM(), ZMM()
	VBLENDMPD(o, k.odds, below, low)
	VBLENDMPD(k.odds, o, below, high)
	k.derivatives(w, both, low, high)
	addTo(at(k.blocks, lambda), both, either)
	addTo(at(k.blocks, hessian), w, either)
	VADDPD(both, sums[lambdaBelow], below, sums[lambdaBelow])
	VADDPD(both, sums[lambdaAbove], above, sums[lambdaAbove])
	VADDPD(w, sums[hessianBelow], below, sums[hessianBelow])
	VADDPD(w, sums[hessianAbove], above, sums[hessianAbove])
	ADDQ(U32(block), k.blocks)
	DECQ(k.count)
	JNE(LabelRef("block"))
	for i, sum := range sums {
		VMOVUPD(sum, at(k.own, ownSums+i*field))
	}
	VZEROUPPER()
	RET()
}

// addTo adds the lanes of the mask.
func addTo(sum Mem, v reg.VecVirtual, mask reg.OpmaskVirtual) {
	t := ZMM()
	VMOVUPD(sum, t)
	VADDPD(v, t, mask, t)
	VMOVUPD(t, sum)
}
