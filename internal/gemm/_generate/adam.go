package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// adam writes the function for one step of Adam over whole vectors. It has the order of operations
// of AdamStep.update and no fused products, so that both give the same bits.
func adam() {
	TEXT("adam8", NOSPLIT, "func(constants *[9]float32, weight, mean, square, gradient *float32, n int)")
	Doc("adam8 is AdamStep.update of 8*n weights.")
	Pragma("noescape")
	constants := Mem{Base: pointer("constants")}
	constant := func(i int) reg.VecVirtual {
		r := YMM()
		VBROADCASTSS(constants.Offset(i*float), r)
		return r
	}
	scale, decay, shrink := constant(0), constant(1), constant(2)
	meanRate, squareKept, squareRate := constant(3), constant(4), constant(5)
	rate, root, epsilon := constant(6), constant(7), constant(8)
	weight, mean, square, gradient := pointer("weight"), pointer("mean"), pointer("square"), pointer("gradient")
	vectors := Load(Param("n"), GP64())
	offset := GP64()
	XORQ(offset, offset)
	Label("adamLoop")
	w, g, m, v, t := YMM(), YMM(), YMM(), YMM(), YMM()
	VMOVUPS(at(weight, offset), w)
	VMULPS(at(gradient, offset), scale, g)
	VMULPS(decay, w, t)
	VADDPS(t, g, g)
	VMOVUPS(at(mean, offset), m)
	VSUBPS(m, g, t)
	VMULPS(meanRate, t, t)
	VADDPS(t, m, m)
	VMOVUPS(m, at(mean, offset))
	VMULPS(at(square, offset), squareKept, v)
	VMULPS(g, g, t)
	VMULPS(squareRate, t, t)
	VADDPS(t, v, v)
	VMOVUPS(v, at(square, offset))
	VSQRTPS(v, v)
	VMULPS(root, v, v)
	VADDPS(epsilon, v, v)
	VMULPS(rate, m, m)
	VDIVPS(v, m, m)
	VMULPS(shrink, w, w)
	VSUBPS(m, w, w)
	VMOVUPS(w, at(weight, offset))
	ADDQ(Imm(vector), offset)
	DECQ(vectors)
	JNE(LabelRef("adamLoop"))
	VZEROUPPER()
	RET()
}

func at(base, offset reg.Register) Mem { return Mem{Base: base, Index: offset, Scale: 1} }

func pointer(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }
