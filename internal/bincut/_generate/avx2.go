package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const vector = 4 * word // bytes of a vector of AVX2

// spread fills a vector on the stack with a number, because there are too few registers for all vectors.
func spread(from, to Mem) Mem {
	y := YMM()
	VBROADCASTSD(from, y)
	VMOVUPD(y, to)
	return to
}

// avx2 has 4 lanes.
func (k *kernel) avx2() {
	stack := AllocLocal(6 * vector)
	slot := func(i int) Mem { return stack.Offset(i * vector) }
	totalG, l1 := spread(at(k.leaf, gradient), slot(0)), spread(at(k.leaf, lambdaL1), slot(1))
	l2, least := spread(at(k.leaf, lambdaL2), slot(2)), spread(at(k.leaf, minHessian), slot(3))
	none, signless := spread(k.none[k.tie.name], slot(4)), spread(k.signless, slot(5))
	totalH := YMM()
	VBROADCASTSD(at(k.leaf, hessian), totalH)

	Label("column")
	bin, x := YMM(), XMM()
	n := k.enter()
	VXORPD(x, x, x)
	VCVTSI2SDQ(n, x, x)
	VBROADCASTSD(x, bin)
	VADDPD(k.places, bin, bin)
	best, bestBin, bestRight, carry, valid := YMM(), YMM(), YMM(), YMM(), YMM()
	VBROADCASTSD(at(k.leaf, floor), best)
	VMOVUPD(none, bestBin)
	VPXOR(bestRight, bestRight, bestRight)
	VPXOR(carry, carry, carry)
	VPCMPEQD(valid, valid, valid)

	Label("bins")
	n = k.remaining("whole")
	tables := GP64()
	LEAQ(k.valid, tables)
	VMOVDQU(Mem{Base: tables, Index: n, Scale: word}, valid)
	Label("whole")
	right, t := YMM(), YMM()
	VPMASKMOVQ(at(k.at, 0), valid, right)
	VPSRLDQ(U8(word), right, t)
	VPADDQ(t, right, right)
	VPERM2I128(U8(0x81), right, right, t) // the higher half, in place of the lower one
	VPUNPCKLQDQ(t, t, t)
	VPADDQ(t, right, right)
	VPBROADCASTQ(right.AsX(), t)
	VPADDQ(carry, right, right)
	VPADDQ(t, carry, carry)

	hl, hr, gl, gr := YMM(), YMM(), YMM(), YMM()
	VPBLENDD(U8(0xaa), k.shift, right, hr)
	VSUBPD(k.shift, hr, hr)
	VEXTRACTI128(U8(1), right, gr.AsX())
	VSHUFPS(U8(0xdd), gr.AsX(), right.AsX(), gr.AsX())
	VCVTDQ2PD(gr.AsX(), gr)
	VSUBPD(hr, totalH, hl)
	VSUBPD(totalG, gr, gl) // less the gradient on the left
	TESTQ(k.shrinks, k.shrinks)
	JZ(LabelRef("unshrunk"))
	zero := YMM()
	VXORPD(zero, zero, zero)
	for _, g := range []reg.VecVirtual{gl, gr} {
		VANDPD(signless, g, g)
		VSUBPD(l1, g, g)
		VMAXPD(zero, g, g)
	}
	Label("unshrunk")
	kept, enough := YMM(), YMM()
	VCMPPD(greaterOrEqual, least, hr, kept)
	VCMPPD(greaterOrEqual, least, hl, enough)
	VANDPD(enough, kept, kept)
	VADDPD(l2, hr, hr)
	VADDPD(l2, hl, hl)
	gains(gl, hl, gr, hr)
	VCMPPD(k.tie.than, best, hr, enough)
	VANDPD(enough, kept, kept)
	VBLENDVPD(kept, hr, best, best)
	VBLENDVPD(kept, bin, bestBin, bestBin)
	VBLENDVPD(kept, right, bestRight, bestRight)
	VSUBPD(k.step2, bin, bin)
	k.next("bins")

	y := YMM()
	gain := most(best, func(ops ...Op) { VMAXPD(ops...) })
	VBROADCASTSD(gain, y)
	VCMPPD(equal, y, best, kept)
	VMOVUPD(none, y)
	VBLENDVPD(kept, bestBin, y, bestBin)
	last := most(bestBin, k.tie.nearest)
	VBROADCASTSD(last, y)
	VCMPPD(equal, y, bestBin, kept)
	VANDPD(kept, bestRight, bestRight)
	sum := most(bestRight, func(ops ...Op) { VPOR(ops[0], ops[1], ops[2]) })
	number := GP32()
	VCVTTSD2SI(last, number)
	k.leave(gain, number, sum, "column")
	VZEROUPPER()
	RET()
}
