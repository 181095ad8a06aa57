// Command _generate writes the assembly of package parquet; go generate ./io/data/internal/parquet runs it.
// It is a module of its own, so that the product does not depend on avo.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	lanes = 8  // indexes of a round
	line  = 64 // bytes of a cache line

	notLess = U8(5) // predicate of comparisons
)

func main() {
	ConstraintExpr("!purego")
	lookEights()
	Generate()
}

// A round unpacks eight indexes, a lane each: as many bytes as an index has bits. The bytes from the one in
// which an index begins go into its lane, and are shifted by the bits before it.
func lookEights() {
	TEXT("lookEights", NOSPLIT,
		"func(dst, dictionary *float64, size int, data *byte, rounds, width int) (done int)")
	Doc("lookEights writes to dst the values of a dictionary at packed indexes of up to 32 bits, the first of " +
		"which starts at a byte: eight a round. It stops before a round with an index beyond the dictionary, " +
		"and returns the number of rounds before. It may load 32 bytes from the beginning of each round on.")
	Pragma("noescape")
	dst := Load(Param("dst"), GP64()).(reg.GPVirtual)
	dictionary := Load(Param("dictionary"), GP64()).(reg.GPVirtual)
	data := Load(Param("data"), GP64()).(reg.GPVirtual)
	left := Load(Param("rounds"), GP64()).(reg.GPVirtual)
	width := Load(Param("width"), GP64()).(reg.GPVirtual)
	size, shift, from, mask, widths := ZMM(), ZMM(), ZMM(), ZMM(), ZMM()
	VPBROADCASTQ(NewParamAddr("size", 16), size)
	VPBROADCASTQ(width, widths)
	VPMULUDQ(constant("numbers", func(i int) uint64 { return uint64(i) }), widths, shift) // first bits
	VPSRLQ(U8(3), shift, from)
	VPSHUFB(constant("lowest", func(i int) uint64 { return uint64(i%2*8) * eachByte }), from, from)
	VPADDB(constant("eight", func(int) uint64 { return 0x0706050403020100 }), from, from)
	VPANDQ(constant("seven", func(int) uint64 { return 7 }), shift, shift)
	VPTERNLOGD(U8(255), mask, mask, mask)
	VPSLLVQ(widths, mask, mask) // the bits that are not of an index

	// A store across two cache lines would delay the loads of its parts.
	local, indexes := AllocLocal(2*line), GP64()
	LEAQ(local.Offset(line-1), indexes)
	ANDQ(I8(-line), indexes)
	TESTQ(left, left)
	JZ(LabelRef("done"))
	Label("round")
	bytes, beyond := ZMM(), K()
	VMOVDQU(Mem{Base: data}, bytes.AsY())
	VPERMB(bytes, from, bytes)
	VPSRLVQ(shift, bytes, bytes)
	VPANDNQ(bytes, mask, bytes)
	VPCMPUQ(notLess, size, bytes, beyond)
	VMOVDQA64(bytes, Mem{Base: indexes})
	KORTESTB(beyond, beyond)
	JNZ(LabelRef("done"))
	for i := range lanes {
		value := GP64()
		MOVQ(Mem{Base: indexes, Disp: 8 * i}, value)
		MOVQ(Mem{Base: dictionary, Index: value, Scale: 8}, value)
		MOVQ(value, Mem{Base: dst, Disp: 8 * i})
	}
	ADDQ(width, data)
	ADDQ(U8(8*lanes), dst)
	DECQ(left)
	JNZ(LabelRef("round"))

	Label("done")
	done := Load(Param("rounds"), GP64())
	SUBQ(left, done)
	Store(done, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

const eachByte = 0x0101010101010101

// constant returns a table of eight words.
func constant(name string, word func(i int) uint64) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for i := range lanes {
		DATA(8*i, U64(word(i)))
	}
	return m
}
