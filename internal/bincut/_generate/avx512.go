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

// avx512 has 8 lanes. The sums of the following bins are added up before the gains of the current ones are
// computed: neither waits for the other, and each is a chain of operations that takes longer than the
// processor can look ahead.
func (k *kernel) avx512() {
	totalG, totalH := broadcast512(at(k.leaf, gradient)), broadcast512(at(k.leaf, hessian))
	l1, l2 := broadcast512(at(k.leaf, lambdaL1)), broadcast512(at(k.leaf, lambdaL2))
	floors := broadcast512(at(k.leaf, floor))
	least, span := broadcast512(at(k.leaf, leastHessian)), broadcast512(at(k.leaf, spanHessian))
	step, none := broadcast512(k.step512), broadcast512(k.none512[k.tie.name])
	bits, signless, upper := broadcast512(k.hessian), broadcast512(k.signless), broadcast512(k.upper)
	regularized := GP64()
	MOVQ(at(k.leaf, lambdaL1), regularized)
	ORQ(at(k.leaf, lambdaL2), regularized)
	zero := ZMM()
	VPXORQ(zero, zero, zero)
	pairs, half := K(), K()
	setMask(0b00110011, pairs)
	setMask(0b00001111, half)

	Label("column")
	bin := ZMM()
	VPBROADCASTQ(k.enter(), bin)
	VPADDQ(k.places512, bin, bin)
	best, bestBin, bestRight, carry := ZMM(), ZMM(), ZMM(), ZMM()
	VMOVAPD(floors, best)
	VMOVDQA64(none, bestBin)
	VPXORQ(bestRight, bestRight, bestRight)
	VPXORQ(carry, carry, carry)
	right, following := ZMM(), ZMM()
	k.addUp(right, carry, pairs, half, zero, upper, "first")

	Label("bins")
	left := GP64()
	SUBQ(U8(word*k.width), k.at)
	LEAQ(Mem{Base: k.at, Disp: word * k.width}, left)
	CMPQ(left, k.first)
	JLE(LabelRef("gains"))
	k.addUp(following, carry, pairs, half, zero, upper, "following")

	Label("gains")
	hl, hr, gl, gr, t, kept := ZMM(), ZMM(), ZMM(), ZMM(), ZMM(), K()
	VPANDQ(bits, right, hr)
	VPSUBQ(least, hr, t)
	VPCMPUQ(lessOrEqual, span, t, kept)
	VCVTQQ2PD(hr, hr)
	VPSRAQ(gradientAt, right, gr)
	VCVTQQ2PD(gr, gr)
	VSUBPD(hr, totalH, hl)
	VSUBPD(gr, totalG, gl)
	TESTQ(regularized, regularized)
	JZ(LabelRef("plain"))
	for _, g := range []reg.VecVirtual{gl, gr} {
		VPANDQ(signless, g, g)
		VSUBPD(l1, g, g)
		VMAXPD(zero, g, g)
	}
	VADDPD(l2, hr, hr)
	VADDPD(l2, hl, hl)
	Label("plain")
	gains(gl, hl, gr, hr)
	VCMPPD(k.tie.than, best, hr, kept, kept)
	VMOVAPD(hr, kept, best)
	VMOVDQA64(bin, kept, bestBin)
	VMOVDQA64(right, kept, bestRight)
	VPSUBQ(step, bin, bin)
	VMOVDQA64(following, right)
	CMPQ(left, k.first)
	JGT(LabelRef("bins"))

	gain := most512(best, func(ops ...Op) { VMAXPD(ops...) })
	VCMPPD(equal, gain, best, kept)
	VPBLENDMQ(bestBin, none, kept, bestBin)
	number := most512(bestBin, k.tie.nearest512)
	VPCMPEQQ(number, bestBin, kept)
	VPCOMPRESSQ_Z(bestRight, kept, bestRight)
	n := GP64()
	VMOVQ(number.AsX(), n)
	k.leave(gain.AsX(), n.As32(), bestRight.AsX(), "column")
	VZEROUPPER()
	RET()
}

// addUp sets dst to the sums of the current bins and of all to the right of them, and adds those of the
// current bins to carry. Lanes get the sum of the next lane, then that of the next pair, then that of the
// upper half:
//
//	  0    1    2    3    4    5    6    7     lanes
//	 0,1   1   2,3   3   4,5   5   6,7   7
//	0…3  1…3   2,3   3  4…7  5…7   6,7   7
//	0…7  1…7  2…7  3…7  4…7  5…7   6,7   7
func (k *kernel) addUp(
	dst, carry reg.VecVirtual, pairs, half reg.OpmaskVirtual, zero, upper reg.VecVirtual, name string,
) {
	whole, loaded := name+"_whole", name+"_loaded"
	valid, t := K(), ZMM()
	highest(k.remaining(whole), valid)
	VMOVDQU64_Z(at(k.at, 0), valid, dst)
	JMP(LabelRef(loaded))
	Label(whole)
	VMOVDQU64(at(k.at, 0), dst)
	Label(loaded)
	VPUNPCKHQDQ(zero, dst, t)
	VPADDQ(t, dst, dst)
	VPERMQ_Z(U8(0b10101010), dst, pairs, t) // lane 2 of four
	VPADDQ(t, dst, dst)
	VPERMQ_Z(dst, upper, half, t) // lane 4
	VPADDQ(t, dst, dst)
	VPBROADCASTQ(dst.AsX(), t)
	VPADDQ(carry, dst, dst)
	VPADDQ(t, carry, carry)
}

// setMask sets a mask to eight bits.
func setMask(bits uint64, mask reg.OpmaskVirtual) {
	t := GP32()
	MOVL(U32(bits), t)
	KMOVW(t, mask)
}

// highest sets the n highest of the 8 bits of a mask. The bits above them have no meaning.
func highest(n reg.GPVirtual, mask reg.OpmaskVirtual) {
	bits := GP64()
	MOVQ(U32(0xff00), bits)
	MOVB(n.As8(), reg.CL)
	SHRQ(reg.CL, bits)
	KMOVW(bits.As32(), mask)
}

// most512 reduces eight lanes to one value, which all lanes of the result have.
func most512(z reg.VecVirtual, of func(...Op)) reg.VecVirtual {
	all, t := ZMM(), ZMM()
	VSHUFF64X2(U8(0b01_00_11_10), z, z, t)
	of(z, t, all)
	VSHUFF64X2(U8(0b10_11_00_01), all, all, t)
	of(all, t, all)
	VPERMILPD(U8(0b01010101), all, t)
	of(all, t, all)
	return all
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
