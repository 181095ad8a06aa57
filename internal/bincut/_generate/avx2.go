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

// avx2 has 4 lanes. Sums become numbers by the bits of shifts, which the totals have too, so that subtracting
// from a total takes the shift off again: this is exact, and converting them takes more instructions.
func (k *kernel) avx2() {
	stack := AllocLocal(5 * vector)
	slot := func(i int) Mem { return stack.Offset(i * vector) }
	l1, l2 := spread(at(k.leaf, lambdaL1), slot(0)), spread(at(k.leaf, lambdaL2), slot(1))
	least := spread(at(k.leaf, minHessian), slot(2))
	none, signless := spread(k.none[k.tie.name], slot(3)), spread(k.signless, slot(4))
	totalG, totalH := YMM(), YMM()
	VBROADCASTSD(at(k.leaf, gradient), totalG)
	VADDPD(k.signed, totalG, totalG)
	VBROADCASTSD(at(k.leaf, hessian), totalH)
	VADDPD(k.shift, totalH, totalH)
	regularized := GP64()
	MOVQ(at(k.leaf, lambdaL1), regularized)
	ORQ(at(k.leaf, lambdaL2), regularized)

	Label("column")
	bin, x := YMM(), XMM()
	n := k.enter()
	VXORPD(x, x, x)
	VCVTSI2SDQ(n, x, x)
	VBROADCASTSD(x, bin)
	VADDPD(k.places, bin, bin)
	best, bestBin, bestRight, carry := YMM(), YMM(), YMM(), YMM()
	VBROADCASTSD(at(k.leaf, floor), best)
	VMOVUPD(none, bestBin)
	VPXOR(bestRight, bestRight, bestRight)
	VPXOR(carry, carry, carry)

	Label("bins")
	right, t := YMM(), YMM()
	n = k.remaining("whole")
	tables := GP64()
	LEAQ(k.valid, tables)
	VMOVDQU(Mem{Base: tables, Index: n, Scale: word}, t)
	VPMASKMOVQ(at(k.at, 0), t, right)
	JMP(LabelRef("loaded"))
	Label("whole")
	VMOVDQU(at(k.at, 0), right)
	Label("loaded")
	VPSRLDQ(U8(word), right, t)
	VPADDQ(t, right, right)
	VPERM2I128(U8(0x81), right, right, t) // the higher half, in place of the lower one
	VPUNPCKLQDQ(t, t, t)
	VPADDQ(t, right, right)
	VPADDQ(carry, right, right)
	VPBROADCASTQ(right.AsX(), carry)

	hl, hr, gl, gr, kept := YMM(), YMM(), YMM(), YMM(), YMM()
	VPBLENDD(U8(0xaa), k.shift, right, hl)
	VSUBPD(k.shift, hl, hr)
	VSUBPD(hl, totalH, hl)
	VPSRLQ(gradientAt, right, gl)
	VPXOR(k.signed, gl, gl)
	VSUBPD(k.signed, gl, gr)
	VSUBPD(totalG, gl, gl) // less the gradient on the left
	VMINPD(hl, hr, kept)
	VCMPPD(greaterOrEqual, least, kept, kept)
	TESTQ(regularized, regularized)
	JZ(LabelRef("plain"))
	VXORPD(t, t, t)
	for _, g := range []reg.VecVirtual{gl, gr} {
		VANDPD(signless, g, g)
		VSUBPD(l1, g, g)
		VMAXPD(t, g, g)
	}
	VADDPD(l2, hr, hr)
	VADDPD(l2, hl, hl)
	Label("plain")
	gains(gl, hl, gr, hr)
	VCMPPD(k.tie.than, best, hr, t)
	VANDPD(t, kept, kept)
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
