package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// avx512 handles a block in each step. Masks keep lanes that are neither below nor above out of the
// sums, and those of the document's own rank and of earlier ones.
func (k kernel) avx512() {
	k.begin()
	var sums [4]reg.VecVirtual
	for i := range sums {
		sums[i] = ZMM()
		VPXORQ(sums[i], sums[i], sums[i])
	}
	later := K()
	lane, lanes := reg.RCX, GP64()
	MOVQ(k.rank, lane)
	SHRQ(U8(3), lane)
	ANDQ(U8(7), lane)
	MOVQ(U32(0xfe), lanes)
	SHLQ(reg.CL, lanes)
	KMOVW(lanes.As32(), later)
	MOVQ(k.rank, k.place)
	ANDQ(I8(-block), k.place)

	Label("block")
	w, o, both := k.weight()
	below, above, either := K(), K(), K()
	VCMPPD(greater, k.of(gain), k.gain, later, below)
	VCMPPD(less, k.of(gain), k.gain, later, above)
	KXNORW(later, later, later)
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
	k.conclude(func(field int) reg.VecVirtual {
		half := YMM()
		VEXTRACTF64X4(U8(1), sums[field], half)
		VADDPD(half, sums[field].AsY(), half)
		return half
	})
}

// addTo adds those lanes of v that are in the mask.
func addTo(sum Mem, v reg.VecVirtual, mask reg.OpmaskVirtual) {
	t := ZMM()
	VMOVUPD(sum, t)
	VADDPD(v, t, mask, t)
	VMOVUPD(t, sum)
}
