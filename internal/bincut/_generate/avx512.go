package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func broadcast512(from Mem) reg.VecVirtual {
	z := ZMM()
	VBROADCASTSD(from, z)
	return z
}

// avx512 has 8 lanes.
func (k *kernel) avx512() {
	totalG, totalH := broadcast512(at(k.leaf, gradient)), broadcast512(at(k.leaf, hessian))
	l1, l2, least := broadcast512(at(k.leaf, lambdaL1)), broadcast512(at(k.leaf, lambdaL2)), broadcast512(at(k.leaf, minHessian))
	step, none, bits, signless := broadcast512(k.step512), broadcast512(k.none[k.tie.name]), broadcast512(k.hessian), broadcast512(k.signless)
	zero := ZMM()
	VPXORQ(zero, zero, zero)

	Label("column")
	bin := ZMM()
	VBROADCASTSD(k.enter(), bin)
	VADDPD(k.places, bin, bin)
	best, bestBin, bestRight := broadcast512(at(k.leaf, floor)), ZMM(), ZMM()
	VMOVAPD(none, bestBin)
	VPXORQ(bestRight, bestRight, bestRight)
	carry := ZMM()
	VPBROADCASTQ(at(k.leaf, begin), carry)
	valid := K()
	KXNORW(valid, valid, valid)

	Label("bins")
	highest(k.remaining("whole"), valid)
	Label("whole")
	right, t := ZMM(), ZMM()
	VMOVDQU64_Z(at(k.at, 0), valid, right)
	for _, distance := range []U8{1, 2, 4} {
		VALIGNQ(distance, right, zero, t)
		VPADDQ(t, right, right)
	}
	VPBROADCASTQ(right.AsX(), t)
	VPADDQ(carry, right, right)
	VPADDQ(t, carry, carry)

	hl, hr, gl, gr := ZMM(), ZMM(), ZMM(), ZMM()
	VPANDQ(bits, right, hr)
	VCVTQQ2PD(hr, hr)
	VPSRAQ(gradientAt, right, gr)
	VCVTQQ2PD(gr, gr)
	VSUBPD(hr, totalH, hl)
	VSUBPD(gr, totalG, gl)
	TESTQ(k.shrinks, k.shrinks)
	JZ(LabelRef("unshrunk"))
	for _, g := range []reg.VecVirtual{gl, gr} {
		VPANDQ(signless, g, g)
		VSUBPD(l1, g, g)
		VMAXPD(zero, g, g)
	}
	Label("unshrunk")
	kept := K()
	VCMPPD(greaterOrEqual, least, hr, kept)
	VCMPPD(greaterOrEqual, least, hl, kept, kept)
	gains(gl, hl, gr, hr, l2)
	VCMPPD(k.tie.than, best, hr, kept, kept)
	VMOVAPD(hr, kept, best)
	VMOVAPD(bin, kept, bestBin)
	VMOVDQA64(right, kept, bestRight)
	VSUBPD(step, bin, bin)
	k.next("bins")

	gain, t1 := ZMM(), YMM()
	VEXTRACTF64X4(U8(1), best, t1)
	x := YMM()
	VMAXPD(best.AsY(), t1, x)
	g := most(x, func(ops ...Op) { VMAXPD(ops...) })
	VBROADCASTSD(g, gain)
	VCMPPD(equal, gain, best, kept)
	VBLENDMPD(bestBin, none, kept, bestBin)
	VEXTRACTF64X4(U8(1), bestBin, t1)
	k.tie.nearest(bestBin.AsY(), t1, x)
	b := most(x, k.tie.nearest)
	VBROADCASTSD(b, gain)
	VCMPPD(equal, gain, bestBin, kept)
	VPCOMPRESSQ_Z(bestRight, kept, bestRight)
	k.leave(g, b, bestRight.AsX(), "column")
	VZEROUPPER()
	RET()
}

// highest sets the n highest of the 8 bits of a mask. The bits above them have no meaning.
func highest(n reg.GPVirtual, mask reg.OpmaskVirtual) {
	bits := GP64()
	MOVQ(U32(0xff00), bits)
	MOVB(n.As8(), reg.CL)
	SHRQ(reg.CL, bits)
	KMOVW(bits.As32(), mask)
}

// most reduces four lanes to one.
func most(y reg.VecVirtual, of func(...Op)) reg.Register {
	x, t := XMM(), XMM()
	VEXTRACTF128(U8(1), y, t)
	of(y.AsX(), t, x)
	VPERMILPD(U8(1), x, t)
	of(x, t, x)
	return x
}
