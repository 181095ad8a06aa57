// Command _generate writes the assembly of the packages letor and table: go generate in each of them runs it
// with the name of the package. It is a module of its own, so that the product does not depend on avo.
package main

import (
	"flag"
	"math"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	lanes = 8 // numbers of a round

	lessOrEqual, notLess, greater = U8(2), U8(5), U8(6) // predicates of comparisons
)

func main() {
	flag.Parse()
	ConstraintExpr("!purego")
	switch flag.Lookup("pkg").Value.String() {
	case "letor":
		usual()
	case "table":
		plainCells()
	}
	Generate()
}

func argument(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

// find returns where the text has a byte.
func find(text reg.VecVirtual, b byte) reg.GPVirtual {
	k, found := K(), GP64()
	VPCMPEQB(bytes("is"+string("0123456789abcdef"[b>>4])+string("0123456789abcdef"[b&15]), b), text, k)
	KMOVQ(k, found)
	return found
}

func mask(bits reg.GPVirtual) reg.OpmaskVirtual {
	k := K()
	KMOVQ(bits, k)
	return k
}

// compress returns the bytes of a vector that are in a mask, followed by zeros.
func compress(from Op, k reg.OpmaskVirtual) reg.VecVirtual {
	z := ZMM()
	// avo has no function for this instruction
	Instruction(&ir.Instruction{Opcode: "VPCOMPRESSB.Z", Operands: []Op{from, k, z},
		Inputs: []Op{from, k}, Outputs: []Op{z}})
	return z
}

// places returns the places of the first eight bits, a byte each; places that are missing are 0.
func places(bits reg.GPVirtual) reg.GPVirtual {
	numbers, low := ZMM(), GP64()
	VMOVDQU64(pattern("numbers", func(i int) byte { return byte(i) }), numbers)
	VMOVQ(compress(numbers, mask(bits)).AsX(), low)
	return low
}

// spread returns bytes as lanes of 64 bits.
func spread(packed reg.GPVirtual) reg.VecVirtual {
	x, z := XMM(), ZMM()
	VMOVQ(packed, x)
	VPMOVZXBQ(x, z)
	return z
}

// finish returns how many numbers were read, given the room that is left, and the place in the text.
func finish(at, room reg.GPVirtual) {
	Label("done")
	read := Load(Param("room"), GP64())
	SUBQ(room, read)
	Store(read, ReturnIndex(0))
	SUBQ(NewParamAddr("text", 0), at)
	Store(at, ReturnIndex(1))
	VZEROUPPER()
	RET()
}

var constants = map[string]Mem{}

// constant returns a table of 64 bytes, as eight words.
func constant(name string, word func(i int) uint64) Mem {
	m, known := constants[name]
	if !known {
		m = GLOBL(name, RODATA|NOPTR)
		for i := range lanes {
			DATA(8*i, U64(word(i)))
		}
		constants[name] = m
	}
	return m
}

func quads(name string, v uint64) Mem { return constant(name, func(int) uint64 { return v }) }

func bytes(name string, b byte) Mem { return quads(name, uint64(b)*0x0101010101010101) }

func pattern(name string, of func(i int) byte) Mem {
	return constant(name, func(i int) (word uint64) {
		for b := 7; b >= 0; b-- {
			word = word<<8 | uint64(of(8*i+b))
		}
		return word
	})
}

// join returns the integers that eight digits of each lane form, as rows.LeadingDigits computes them.
func join(d reg.VecVirtual) reg.VecVirtual {
	VPMADDUBSW(pattern("tens", func(i int) byte { return []byte{10, 1}[i%2] }), d, d)
	VPMADDWD(pattern("hundreds", func(i int) byte { return []byte{100, 0, 1, 0}[i%4] }), d, d)
	z := ZMM()
	VPMULUDQ(quads("tenThousand", 10_000), d, z)
	VPSRLQ(U8(32), d, d)
	VPADDQ(d, z, z)
	return z
}

// powers are powers of ten.
func powers(name string, exponent func(i int) int) Mem {
	return constant(name, func(i int) uint64 { return math.Float64bits(math.Pow10(exponent(i))) })
}
