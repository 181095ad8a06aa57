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
	float  = 4         // bytes of a float32
	vector = 8 * float // bytes of a vector of AVX2
)

func main() {
	ConstraintExpr("!purego")
	avx2 := kernel{name: "AVX2", bytes: vector, rows: 6, register: YMM}
	avx2.zero = func(x Op) { VXORPS(x, x, x) }
	avx2.write()
	avx512 := kernel{name: "AVX512", bytes: 64, rows: 12, register: ZMM}
	avx512.zero = func(x Op) { VPXORD(x, x, x) } // VXORPS needs AVX512DQ
	avx512.write()
	transpose()
	addReLU()
	addRows()
	reLUGradient()
	dropout()
	adam()
	Generate()
}

// kernel is a way to multiply a few rows of a by a panel of b. AVX2 has 16
// registers: 12 for the sums, two for b, one for a. AVX-512 has 32: 24, 2, 1.
type kernel struct {
	name     string
	bytes    int // of a vector
	rows     int // of a tile, at most
	register func() reg.VecVirtual
	zero     func(x Op)
}

const tileVectors = 2 // of a row of a tile

// write writes one function, which has a loop for each number of rows.
func (v kernel) write() {
	TEXT("tile"+v.name, NOSPLIT, "func(rows, k int, a *float32, aRow, aStep int, panel, c *float32, cRow int, alpha float32, add bool)")
	Doc(fmt.Sprintf("tile%s is product.sums for 1 to %d rows; aRow, aStep and cRow are in bytes.", v.name, v.rows))
	Pragma("noescape")
	rows := Load(Param("rows"), GP64())
	for n := v.rows - 1; n >= 1; n-- {
		CMPQ(rows, Imm(uint64(n)))
		JE(LabelRef(fmt.Sprintf("rows%d", n)))
	}
	for n := v.rows; n >= 1; n-- {
		Label(fmt.Sprintf("rows%d", n))
		v.tile(n)
	}
}

// tile writes the product of so many rows of a and one panel of b.
func (v kernel) tile(rows int) {
	k := Load(Param("k"), GP64())
	aStep := Load(Param("aStep"), GP64())
	panel := Load(Param("panel"), GP64())
	a := v.newRows(rows, Load(Param("a"), GP64()), Load(Param("aRow"), GP64()))

	sums := make([][tileVectors]reg.VecVirtual, rows)
	for i := range sums {
		for j := range sums[i] {
			sums[i][j] = v.register()
			v.zero(sums[i][j])
		}
	}
	loop := fmt.Sprintf("loop%d", rows)
	Label(loop)
	var b [tileVectors]reg.VecVirtual
	for j := range b {
		b[j] = v.register()
		VMOVUPS(Mem{Base: panel, Disp: j * v.bytes}, b[j])
	}
	for i := range sums {
		factor := v.register()
		VBROADCASTSS(a.at(i, 0), factor)
		for j := range b {
			VFMADD231PS(b[j], factor, sums[i][j])
		}
	}
	a.advance(aStep)
	ADDQ(U32(tileVectors*v.bytes), panel)
	DECQ(k)
	JNE(LabelRef(loop))
	v.store(rows, sums)
}

// store writes the end of tile: c = alpha·sums, or c += alpha·sums.
func (v kernel) store(rows int, sums [][tileVectors]reg.VecVirtual) {
	alpha := v.register()
	address, err := Param("alpha").Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSS(address.Addr, alpha)
	for i := range sums {
		for j := range sums[i] {
			VMULPS(alpha, sums[i][j], sums[i][j])
		}
	}
	c := v.newRows(rows, Load(Param("c"), GP64()), Load(Param("cRow"), GP64()))
	add := Load(Param("add"), GP8())
	store := fmt.Sprintf("store%d", rows)
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

// rowAddresses finds rows that are equally far from each other.
type rowAddresses struct {
	base     []reg.Register // of rows 0, 3, 6, 9
	distance reg.Register
	bytes    int // of a vector
}

func (v kernel) newRows(rows int, first, distance reg.Register) rowAddresses {
	a := rowAddresses{[]reg.Register{first}, distance, v.bytes}
	for row := 3; row < rows; row += 3 {
		next := GP64()
		LEAQ(Mem{Base: a.base[len(a.base)-1], Index: distance, Scale: 2}, next)
		ADDQ(distance, next)
		a.base = append(a.base, next)
	}
	return a
}

// at is the address of a vector of a row.
func (a rowAddresses) at(row, vectors int) Mem {
	m := Mem{Base: a.base[row/3], Disp: vectors * a.bytes}
	if row%3 > 0 {
		m.Index, m.Scale = a.distance, uint8(row%3)
	}
	return m
}

func (a rowAddresses) advance(step reg.Register) {
	for _, base := range a.base {
		ADDQ(step, base)
	}
}

// transpose writes the packing of a panel from rows of Bᵀ.
func transpose() {
	TEXT("transpose8", NOSPLIT, "func(panel *float32, panelRow int, b *float32, bRow, blocks int)")
	Doc("transpose8 writes panel[p*panelRow/4+j] = b[j*bRow/4+p] for p < 8*blocks and j < 8; panelRow and bRow are in bytes.")
	Pragma("noescape")
	panelRow := Load(Param("panelRow"), GP64())
	to := newRows8(Load(Param("panel"), GP64()), panelRow)
	bRow := Load(Param("bRow"), GP64())
	from := newRows8(Load(Param("b"), GP64()), bRow)
	blocks := Load(Param("blocks"), GP64())
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
			VMOVUPS(r[4*half+p], to.at(4*half+p, 0))
		}
	}
	for _, base := range from.base {
		ADDQ(Imm(vector), base)
	}
	for _, base := range to.base {
		LEAQ(Mem{Base: base, Index: panelRow, Scale: 8}, base)
	}
	DECQ(blocks)
	JNE(LabelRef("transpose"))
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

// byRows writes a loop over the rows of a matrix and the vectors of a row, one each
// at least; what is in the loop finds its place by an offset in bytes.
func byRows(name string, bases []reg.GPVirtual, body func(offset reg.Register)) {
	rows := Load(Param("rows"), GP64())
	rowBytes := Load(Param("rowBytes"), GP64())
	vectors := Load(Param("vectors"), GP64())
	Label(name + "Row")
	offset, left := GP64(), GP64()
	XORQ(offset, offset)
	MOVQ(vectors, left)
	Label(name + "Vector")
	body(offset)
	ADDQ(Imm(vector), offset)
	DECQ(left)
	JNE(LabelRef(name + "Vector"))
	for _, base := range bases {
		ADDQ(rowBytes, base)
	}
	DECQ(rows)
	JNE(LabelRef(name + "Row"))
	VZEROUPPER()
	RET()
}

func at(base, offset reg.Register) Mem { return Mem{Base: base, Index: offset, Scale: 1} }

func pointer(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

func broadcast(name string) reg.VecVirtual {
	address, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	r := YMM()
	VBROADCASTSS(address.Addr, r)
	return r
}

func zero() reg.VecVirtual {
	r := YMM()
	VXORPS(r, r, r)
	return r
}

func addReLU() {
	TEXT("addReLU8", NOSPLIT, "func(values, bias *float32, rows, rowBytes, vectors int)")
	Doc("addReLU8 is addReLU of the first 8*vectors columns.")
	Pragma("noescape")
	values, bias, nothing := pointer("values"), pointer("bias"), zero()
	byRows("addReLU", []reg.GPVirtual{values}, func(offset reg.Register) {
		v := YMM()
		VMOVUPS(at(values, offset), v)
		VADDPS(at(bias, offset), v, v)
		VMAXPS(v, nothing, v) // the second, v, if one is NaN or both are 0
		VMOVUPS(v, at(values, offset))
	})
}

func addRows() {
	TEXT("addRows8", NOSPLIT, "func(sums, values *float32, rows, rowBytes, vectors int)")
	Doc("addRows8 is addRows of the first 8*vectors columns; rowBytes is the rows' distance.")
	Pragma("noescape")
	sums, values := pointer("sums"), pointer("values")
	byRows("addRows", []reg.GPVirtual{values}, func(offset reg.Register) {
		v := YMM()
		VMOVUPS(at(values, offset), v)
		VADDPS(at(sums, offset), v, v)
		VMOVUPS(v, at(sums, offset))
	})
}

// byVectors writes a loop over vectors, one at least.
func byVectors(name string, body func(offset reg.Register)) {
	vectors := Load(Param("vectors"), GP64())
	offset := GP64()
	XORQ(offset, offset)
	Label(name + "Loop")
	body(offset)
	ADDQ(Imm(vector), offset)
	DECQ(vectors)
	JNE(LabelRef(name + "Loop"))
	VZEROUPPER()
	RET()
}

func reLUGradient() {
	TEXT("reLUGradient8", NOSPLIT, "func(gradient, outputs *float32, vectors int, scale float32)")
	Doc("reLUGradient8 is reLUGradient of 8*vectors values.")
	Pragma("noescape")
	gradient, outputs, scale, nothing := pointer("gradient"), pointer("outputs"), broadcast("scale"), zero()
	byVectors("reLUGradient", func(offset reg.Register) {
		g, active := YMM(), YMM()
		VMULPS(at(gradient, offset), scale, g)
		VCMPPS(U8(1), at(outputs, offset), nothing, active) // 0 < output
		VANDPS(active, g, g)
		VMOVUPS(g, at(gradient, offset))
	})
}

func dropout() {
	TEXT("dropout8", NOSPLIT, "func(values *float32, random *uint64, vectors, dropped int, scale float32)")
	Doc("dropout8 is dropout of the first 8*vectors values.")
	Pragma("noescape")
	values, random, scale := pointer("values"), pointer("random"), broadcast("scale")
	limit, narrow := YMM(), XMM()
	VMOVD(pointer("dropped").As32(), narrow)
	VPBROADCASTD(narrow, limit)
	byVectors("dropout", func(offset reg.Register) {
		draws, v := YMM(), YMM()
		VPMOVZXWD(Mem{Base: random}, draws)
		ADDQ(Imm(vector/2), random)
		VPCMPGTD(draws, limit, draws) // dropped > draw
		VMULPS(at(values, offset), scale, v)
		VANDNPS(v, draws, v)
		VMOVUPS(v, at(values, offset))
	})
}

// adam writes one step of Adam over whole vectors, in the order of AdamStep.update
// and without fused products, so that both give the same bits.
func adam() {
	TEXT("adam8", NOSPLIT, "func(constants *[9]float32, weight, mean, square, gradient *float32, vectors int)")
	Doc("adam8 is AdamStep.update of 8*vectors weights.")
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
	byVectors("adam", func(offset reg.Register) {
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
	})
}
