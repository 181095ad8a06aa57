package main

import (
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// avx2 goes through all blocks twice, first for the first half of their lanes and then for the second
// half, because there are not registers enough for the sums of all lanes. The gain of a document becomes
// NaN, so that no later one makes a pair with it.
func (k kernel) avx2() {
	k.begin()
	var sums [4]reg.VecVirtual
	for i := range sums {
		sums[i] = YMM()
	}
	VPCMPEQD(sums[0], sums[0], sums[0]) // a NaN in each lane
	VMOVSD(sums[0].AsX(), Mem{Base: k.fields[gain], Index: k.rank, Scale: 1})
	for half := 0; half < block; half += block / 2 {
		loop := "half" + strconv.Itoa(half)
		for _, sum := range sums {
			VPXOR(sum, sum, sum)
		}
		MOVQ(k.rank, k.place)
		ANDQ(I8(-block), k.place)
		if half > 0 {
			ADDQ(U8(half), k.place)
		}
		Label(loop)
		k.half(sums)
		k.next(loop)
		for i, sum := range sums {
			VMOVUPD(sum, at(k.task, taskSums+i*block+half))
		}
	}
	k.conclude(func(field int) reg.VecVirtual {
		y := YMM()
		VMOVUPD(at(k.task, taskSums+field*block), y)
		VADDPD(at(k.task, taskSums+field*block+block/2), y, y)
		return y
	})
}

// half adds the pairs with 4 lanes of a block. Lanes that are neither below nor above add 0, which
// changes no sum, because no sum is ever -0.
func (k kernel) half(sums [4]reg.VecVirtual) {
	k.parts(func(field int, part reg.VecVirtual) { VADDPD(part, sums[field], sums[field]) })
}

// parts adds the pairs with 4 lanes of a block to the sums of the other documents. It passes their parts of
// the sums of the document itself to own, which must not change them. They are 0 in lanes that do not belong
// to a sum.
func (k kernel) parts(own func(field int, part reg.VecVirtual)) {
	w, o, both := k.weight()
	below, above, low := YMM(), YMM(), YMM()
	VCMPPD(greater, k.of(gain), k.gain, below)
	VBLENDVPD(below, o, k.odds, low)
	VBLENDVPD(below, k.odds, o, o)
	k.derivatives(w, both, low, o)
	VCMPPD(less, k.of(gain), k.gain, above)
	addParts := func(v reg.VecVirtual, to Mem, ofBelow, ofAbove int) {
		part := YMM()
		VPAND(v, below, part)
		VPAND(v, above, v)
		own(ofBelow, part)
		own(ofAbove, v)
		VPOR(v, part, v)
		VADDPD(to, v, v)
		VMOVUPD(v, to)
	}
	addParts(both, k.of(lambda), lambdaBelow, lambdaAbove)
	addParts(w, k.of(hessian), hessianBelow, hessianAbove)
}
