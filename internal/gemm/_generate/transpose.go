package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// transpose writes the function that packs a panel from rows of Bᵀ.
func transpose() {
	TEXT("transpose8", NOSPLIT, "func(panel *float32, panelRow int, b *float32, bRow, blocks int)")
	Doc("transpose8 writes panel[p*panelRow/4+j] = b[j*bRow/4+p] for p < 8*blocks and j < 8; panelRow and bRow",
		"are in bytes.")
	Pragma("noescape")
	panelRow := Load(Param("panelRow"), GP64())
	to := newRows8(Load(Param("panel"), GP64()), panelRow)
	bRow := Load(Param("bRow"), GP64())
	from := newRows8(Load(Param("b"), GP64()), bRow)
	blocks := Load(Param("blocks"), GP64())
	Label("transpose")
	var r [8]reg.VecVirtual
	// The lower halves of the vectors take rows 0 to 3 and the upper halves rows 4 to 7: r[0] to
	// r[3] their first four values, r[4] to r[7] their last four.
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

// rowAddresses8 computes the addresses of eight rows at equal distances.
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
