// Command _generate writes the assembly of package binsum; go generate ./internal/binsum runs it. It
// is a module of its own, so that the product does not depend on avo.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	word      = 8          // bytes of a sum
	number    = 4          // bytes of the number of a row
	groupSize = 8          // bytes of a row in a group
	tileByte  = 256 * word // bytes of the sums of one byte of the group in a tile
	lanes     = 4          // sums in a vector
)

func main() {
	ConstraintExpr("!purego")
	build()
	move()
	Generate()
}

// build writes a function that adds rows to a tile. It needs no vector instructions.
func build() {
	TEXT("buildRows", NOSPLIT, "func(tile *int64, bins *uint8, stride int, rows *int32, n int, values *int64)")
	Doc("buildRows adds the values of n rows to a tile. bins are those of row 0 in the group.")
	Pragma("noescape")
	tile, bins, stride := argument("tile"), argument("bins"), argument("stride")
	rows, n, values := argument("rows"), argument("n"), argument("values")
	LEAQ(Mem{Base: rows, Index: n, Scale: number}, rows)
	NEGQ(n)
	Label("row")
	row, value := GP64(), GP64()
	MOVLQSX(Mem{Base: rows, Index: n, Scale: number}, row)
	MOVQ(of(values, row), value)
	IMULQ(stride, row)
	bytes := reg.RAX // whose lowest two bytes have names; AH only together with registers before R8
	MOVQ(Mem{Base: bins, Index: row, Scale: 1}, bytes)
	for i := 0; i < groupSize; i += 2 {
		first, second := GP32(), reg.ECX
		MOVBLZX(reg.AL, first)
		MOVBLZX(reg.AH, second)
		if i+2 < groupSize {
			SHRQ(U8(16), bytes)
		}
		ADDQ(value, Mem{Base: tile, Index: first.As64(), Scale: word, Disp: i * tileByte})
		ADDQ(value, Mem{Base: tile, Index: second.As64(), Scale: word, Disp: (i + 1) * tileByte})
	}
	INCQ(n)
	JNZ(LabelRef("row"))
	RET()
}

// move writes a function that takes n sums out of a tile.
func move() {
	TEXT("moveAVX2", NOSPLIT, "func(dst, parent, tile *int64, n int)")
	Doc("moveAVX2 moves n sums of a tile to dst, subtracts them from those of parent, and clears them.")
	Pragma("noescape")
	dst, parent, tile, n := argument("dst"), argument("parent"), argument("tile"), argument("n")
	zero, at := YMM(), GP64()
	VPXOR(zero, zero, zero)
	XORQ(at, at)
	SUBQ(U8(lanes), n)
	JL(LabelRef("rest"))

	Label("lanes")
	sums, others := YMM(), YMM()
	VMOVDQU(of(tile, at), sums)
	VMOVDQU(of(parent, at), others)
	VPSUBQ(sums, others, others)
	VMOVDQU(sums, of(dst, at))
	VMOVDQU(others, of(parent, at))
	VMOVDQU(zero, of(tile, at))
	ADDQ(U8(lanes), at)
	CMPQ(at, n)
	JLE(LabelRef("lanes"))

	Label("rest")
	ADDQ(U8(lanes), n)
	Label("one")
	CMPQ(at, n)
	JGE(LabelRef("done"))
	sum := GP64()
	MOVQ(of(tile, at), sum)
	MOVQ(sum, of(dst, at))
	SUBQ(sum, of(parent, at))
	MOVQ(U32(0), of(tile, at))
	INCQ(at)
	JMP(LabelRef("one"))
	Label("done")
	VZEROUPPER()
	RET()
}

func of(sums, at reg.Register) Mem { return Mem{Base: sums, Index: at, Scale: word} }

func argument(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }
