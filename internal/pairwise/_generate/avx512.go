package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// avx512 handles a block in each step. Masks keep lanes that are neither below nor above out of the
// sums.
func (k kernel) avx512() {
	var sums [4]reg.VecVirtual
	for i := range sums {
		sums[i] = ZMM()
		VPXORQ(sums[i], sums[i], sums[i])
	}
	XORQ(k.place, k.place)
	Label("block")
	w, o, both := k.weight()
	below, above, either := K(), K(), K()
	VCMPPD(greater, k.of(gain), k.gain, below)
	VCMPPD(less, k.of(gain), k.gain, above)
	KORW(below, above, either)
	low, high := ZMM(), ZMM()
	VBLENDMPD(o, k.odds, below, low)
	VBLENDMPD(k.odds, o, below, high)
	k.derivatives(w, both, low, high)
	addTo(k.of(lambda), both, either)
	addTo(k.of(hessian), w, either)
	VADDPD(both, sums[lambdaBelow], below, sums[lambdaBelow])
	VADDPD(both, sums[lambdaAbove], above, sums[lambdaAbove])
	VADDPD(w, sums[hessianBelow], below, sums[hessianBelow])
	VADDPD(w, sums[hessianAbove], above, sums[hessianAbove])
	k.next("block")
	for i, sum := range sums {
		VMOVUPD(sum, at(k.own, ownSums+i*block))
	}
	VZEROUPPER()
	RET()
}

// addTo adds those lanes of v that are in the mask.
func addTo(sum Mem, v reg.VecVirtual, mask reg.OpmaskVirtual) {
	t := ZMM()
	VMOVUPD(sum, t)
	VADDPD(v, t, mask, t)
	VMOVUPD(t, sum)
}
