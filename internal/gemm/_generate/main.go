// Command _generate writes the assembly of package gemm, for go generate ./internal/gemm.
// It is a module of its own, so that the product does not depend on avo.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	lanes  = 8 // float32 values of a vector
	float  = 4 // bytes of one
	vector = lanes * float

	tileRows    = 6 // 12 of the 16 registers hold sums; two hold b, one a
	tileVectors = 2
)

func main() {
	ConstraintExpr("!purego")
	for rows := 1; rows <= tileRows; rows++ {
		tile(rows)
	}
	transpose()
	adam()
	Generate()
}

// tile writes the product of so many rows of a and one panel of b.
func tile(rows int) {
	TEXT(fmt.Sprintf("tile%d", rows), NOSPLIT, "func(k int, a *float32, aRow, aStep int, panel, c *float32, cRow int, alpha float32, add bool)")
	Doc(fmt.Sprintf("tile%d is product.kernel for %d rows; aRow, aStep and cRow are in bytes.", rows, rows))
	Pragma("noescape")

	k := Load(Param("k"), GP64())
	aStep := Load(Param("aStep"), GP64())
	panel := Load(Param("panel"), GP64())
	a := newRows(rows, Load(Param("a"), GP64()), Load(Param("aRow"), GP64()))

	sums := make([][tileVectors]reg.VecVirtual, rows)
	for i := range sums {
		for j := range sums[i] {
			sums[i][j] = YMM()
			VXORPS(sums[i][j], sums[i][j], sums[i][j])
		}
	}
	loop, done := fmt.Sprintf("loop%d", rows), fmt.Sprintf("done%d", rows)
	TESTQ(k, k)
	JE(LabelRef(done))
	Label(loop)
	var b [tileVectors]reg.VecVirtual
	for j := range b {
		b[j] = YMM()
		VMOVUPS(Mem{Base: panel, Disp: j * vector}, b[j])
	}
	for i := range sums {
		factor := YMM()
		VBROADCASTSS(a.at(i, 0), factor)
		for j := range b {
			VFMADD231PS(b[j], factor, sums[i][j])
		}
	}
	a.advance(aStep)
	ADDQ(Imm(tileVectors*vector), panel)
	DECQ(k)
	JNE(LabelRef(loop))
	Label(done)

	alpha := YMM()
	address, err := Param("alpha").Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSS(address.Addr, alpha)
	c := newRows(rows, Load(Param("c"), GP64()), Load(Param("cRow"), GP64()))
	add := Load(Param("add"), GP8())
	store := fmt.Sprintf("store%d", rows)
	for i := range sums {
		for j := range sums[i] {
			VMULPS(alpha, sums[i][j], sums[i][j])
		}
	}
	TESTB(add, add)
	JE(LabelRef(store))
	for i := range sums {
		for j := range sums[i] {
			VADDPS(c.at(i, j), sums[i][j], sums[i][j])
		}
	}
	Label(store)
	for i := range sums {
		for j := range sums[i] {
			VMOVUPS(sums[i][j], c.at(i, j))
		}
	}
	VZEROUPPER()
	RET()
}

// rowAddresses finds up to six rows that are equally far from each other.
type rowAddresses struct {
	base     [2]reg.Register // of rows 0 and 3
	distance reg.Register
}

func newRows(rows int, first, distance reg.Register) rowAddresses {
	a := rowAddresses{base: [2]reg.Register{first, nil}, distance: distance}
	if rows > 3 {
		fourth := GP64()
		LEAQ(Mem{Base: first, Index: distance, Scale: 2}, fourth)
		ADDQ(distance, fourth)
		a.base[1] = fourth
	}
	return a
}

// at is the address of a vector of a row.
func (a rowAddresses) at(row, vectors int) Mem {
	m := Mem{Base: a.base[row/3], Disp: vectors * vector}
	if row%3 > 0 {
		m.Index, m.Scale = a.distance, uint8(row%3)
	}
	return m
}

func (a rowAddresses) advance(step reg.Register) {
	for _, base := range a.base {
		if base != nil {
			ADDQ(step, base)
		}
	}
}

// transpose writes the packing of a panel from rows of Bᵀ.
func transpose() {
	TEXT("transpose8", NOSPLIT, "func(panel, b *float32, bRow, blocks int)")
	Doc("transpose8 writes panel[p*16+j] = b[j*bRow/4+p] for p < 8*blocks and j < 8; bRow is in bytes.")
	Pragma("noescape")
	panel := Load(Param("panel"), GP64())
	bRow := Load(Param("bRow"), GP64())
	from := newRows8(Load(Param("b"), GP64()), bRow)
	blocks := Load(Param("blocks"), GP64())
	TESTQ(blocks, blocks)
	JE(LabelRef("transposed"))
	Label("transpose")
	var r [8]reg.VecVirtual
	// Rows 0 to 3 beside rows 4 to 7, the first four of each and the last four.
	for i := range 4 {
		r[i], r[i+4] = YMM(), YMM()
		VMOVUPS(from.at(i, 0), r[i].AsX())
		VINSERTF128(U8(1), from.at(i+4, 0), r[i], r[i])
		VMOVUPS(from.at(i, 4*float), r[i+4].AsX())
		VINSERTF128(U8(1), from.at(i+4, 4*float), r[i+4], r[i+4])
	}
	for half := range 2 {
		transpose4(r[4*half:][:4])
		for p := range 4 {
			VMOVUPS(r[4*half+p], Mem{Base: panel, Disp: (4*half + p) * tileVectors * vector})
		}
	}
	for _, base := range from.base {
		ADDQ(Imm(vector), base)
	}
	ADDQ(U32(8*tileVectors*vector), panel)
	DECQ(blocks)
	JNE(LabelRef("transpose"))
	Label("transposed")
	VZEROUPPER()
	RET()
}

// transpose4 transposes 4 by 4 values in both halves of the vectors.
func transpose4(r []reg.VecVirtual) {
	low01, high01, low23, high23 := YMM(), YMM(), YMM(), YMM()
	VUNPCKLPS(r[1], r[0], low01) // a0 b0 a1 b1
	VUNPCKHPS(r[1], r[0], high01)
	VUNPCKLPS(r[3], r[2], low23) // c0 d0 c1 d1
	VUNPCKHPS(r[3], r[2], high23)
	VUNPCKLPD(low23, low01, r[0])
	VUNPCKHPD(low23, low01, r[1])
	VUNPCKLPD(high23, high01, r[2])
	VUNPCKHPD(high23, high01, r[3])
}

// rowAddresses8 finds eight rows.
type rowAddresses8 struct {
	base            [2]reg.Register // of rows 0 and 4
	distance, three reg.Register
}

func newRows8(first, distance reg.Register) rowAddresses8 {
	a := rowAddresses8{base: [2]reg.Register{first, GP64()}, distance: distance, three: GP64()}
	LEAQ(Mem{Base: first, Index: distance, Scale: 4}, a.base[1])
	LEAQ(Mem{Base: distance, Index: distance, Scale: 2}, a.three)
	return a
}

func (a rowAddresses8) at(row, displacement int) Mem {
	m := Mem{Base: a.base[row/4], Disp: displacement}
	switch row % 4 {
	case 1, 2:
		m.Index, m.Scale = a.distance, uint8(row%4)
	case 3:
		m.Index, m.Scale = a.three, 1
	}
	return m
}

// adam writes one step of Adam over whole vectors, in the order of AdamStep.update and
// without fused products, so that both give the same bits.
func adam() {
	TEXT("adam8", NOSPLIT, "func(constants *[9]float32, weight, mean, square, gradient *float32, vectors int)")
	Doc("adam8 is AdamStep.update of 8*vectors weights.")
	Pragma("noescape")
	constants := Mem{Base: Load(Param("constants"), GP64())}
	constant := func(i int) reg.VecVirtual {
		r := YMM()
		VBROADCASTSS(constants.Offset(i*float), r)
		return r
	}
	scale, decay, shrink := constant(0), constant(1), constant(2)
	meanRate, squareKept, squareRate := constant(3), constant(4), constant(5)
	rate, root, epsilon := constant(6), constant(7), constant(8)
	weight := Load(Param("weight"), GP64())
	mean := Load(Param("mean"), GP64())
	square := Load(Param("square"), GP64())
	gradient := Load(Param("gradient"), GP64())
	vectors := Load(Param("vectors"), GP64())
	offset := GP64()
	XORQ(offset, offset)
	at := func(base reg.Register) Mem { return Mem{Base: base, Index: offset, Scale: 1} }
	TESTQ(vectors, vectors)
	JE(LabelRef("adamDone"))
	Label("adamLoop")

	w, g, m, v, t := YMM(), YMM(), YMM(), YMM(), YMM()
	VMOVUPS(at(weight), w)
	VMULPS(at(gradient), scale, g)
	VMULPS(decay, w, t)
	VADDPS(t, g, g)
	VMOVUPS(at(mean), m)
	VSUBPS(m, g, t)
	VMULPS(meanRate, t, t)
	VADDPS(t, m, m)
	VMOVUPS(m, at(mean))
	VMULPS(at(square), squareKept, v)
	VMULPS(g, g, t)
	VMULPS(squareRate, t, t)
	VADDPS(t, v, v)
	VMOVUPS(v, at(square))
	VSQRTPS(v, v)
	VMULPS(root, v, v)
	VADDPS(epsilon, v, v)
	VMULPS(rate, m, m)
	VDIVPS(v, m, m)
	VMULPS(shrink, w, w)
	VSUBPS(m, w, w)
	VMOVUPS(w, at(weight))

	ADDQ(Imm(vector), offset)
	DECQ(vectors)
	JNE(LabelRef("adamLoop"))
	Label("adamDone")
	VZEROUPPER()
	RET()
}
