// Command _generate writes the assembly of package table; go generate ./io/data/internal/table runs it. It is
// a module of its own, so that the product does not depend on avo.
package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	lanes      = 8  // cells of a round
	mostDigits = 14 // of a cell, so that they are an integer below 2^53

	notLess, greater = U8(5), U8(6) // predicates of comparisons
)

func main() {
	ConstraintExpr("!purego")
	plainCells()
	Generate()
}

// A round reads the cells that end within 64 bytes of text, up to eight, a lane each. Points and signs are
// taken out of the text first, so that the digits of a cell follow each other:
//
//	text     -1.25,0,37.5,…      ends     ─────┴─┴────┴─
//	digits    125,0,375,…        lasts    ───┴─┴───┴─
func plainCells() {
	TEXT("plainCells", NOSPLIT, "func(text *byte, value *float64, room int, comma byte) (count, end int)")
	Doc("plainCells reads cells that are plain decimal numbers of at most 14 digits, each with a comma after " +
		"it, from text on, up to the first other cell or until it has read room cells. It returns how many it " +
		"read, and the place after the last comma. It may load 63 bytes after that.")
	Pragma("noescape")
	p := plain{
		at:    Load(Param("text"), GP64()).(reg.GPVirtual),
		value: Load(Param("value"), GP64()).(reg.GPVirtual),
		room:  Load(Param("room"), GP64()).(reg.GPVirtual),
	}
	comma, b := ZMM(), Load(Param("comma"), GP32())
	VPBROADCASTB(b, comma)
	p.comma = comma

	Label("round")
	p.findCells()
	p.countCells()
	p.takeDigits()
	p.convert()
	p.store()
	p.done()
	p.fault()
}

// plain has the registers that the steps of plainCells share; bits are of 64 bytes of text.
type plain struct {
	at, value, room     reg.GPVirtual // what is read next, where it is written, and the number of cells left
	ends, points, signs reg.GPVirtual // bits: commas up to the first wrong byte, points, signs
	starts, firsts      reg.GPVirtual // bits: where cells start, and their first point or end
	count, lane         reg.GPVirtual // number of cells of the round, and a bit for each
	lastPlaces, lengths reg.GPVirtual // by cell, in bytes: the place after its last digit, and number of digits
	after               reg.GPVirtual // by cell, in bytes: number of bytes from the first point on
	comma, text, digits reg.VecVirtual
	integers            reg.VecVirtual // by cell: its digits
	round               round
}

// findCells finds the cells of 64 bytes of text, up to the first byte that is in no plain number.
func (p *plain) findCells() {
	p.text, p.ends = ZMM(), GP64()
	VMOVDQU64(Mem{Base: p.at}, p.text)
	isComma := K()
	VPCMPEQB(p.comma, p.text, isComma)
	KMOVQ(isComma, p.ends)
	p.points, p.signs = find(p.text, '.'), find(p.text, '-')
	var stops reg.GPVirtual
	p.starts, stops, p.firsts = GP64(), GP64(), GP64()
	LEAQ(Mem{Base: p.ends, Index: p.ends, Scale: 1, Disp: 1}, p.starts)
	MOVQ(p.points, stops)
	ORQ(p.ends, stops)
	MOVQ(stops, p.firsts) // the first point or end from each start on, to which an addition carries
	NOTQ(p.firsts)
	ADDQ(p.starts, p.firsts)
	ANDQ(stops, p.firsts)
	wrong, misplaced := GP64(), GP64() // other points, and signs that do not begin a cell
	ANDNQ(p.points, p.firsts, wrong)
	ANDNQ(p.signs, p.starts, misplaced)
	ORQ(misplaced, wrong)
	BLSMSKQ(wrong, wrong) // all bits if there are none
	ANDQ(wrong, p.ends)
}

// countCells counts the cells of the round, and ends the function if there are none.
func (p *plain) countCells() {
	var most reg.GPVirtual
	p.count, most = GP64(), GP64()
	MOVQ(U32(lanes), most)
	CMPQ(p.room, most)
	CMOVQCS(p.room, most)
	POPCNTQ(p.ends, p.count)
	CMPQ(p.count, most)
	CMOVQHI(most, p.count)
	TESTQ(p.count, p.count)
	JZ(LabelRef("done"))
}

// takeDigits takes points and signs out of the text, and finds the digits of each cell.
func (p *plain) takeDigits() {
	others, lasts := GP64(), GP64()
	MOVQ(p.points, others)
	ORQ(p.signs, others)
	NOTQ(others)
	PEXTQ(others, p.ends, lasts)
	p.digits = compress(p.text, mask(others))
	var endPlaces, before reg.GPVirtual
	endPlaces, p.lastPlaces, before, p.lengths = places(p.ends), places(lasts), GP64(), GP64()
	MOVQ(p.lastPlaces, before) // the place after the last one of the cell before
	SHLQ(U8(8), before)
	ones := GP64()
	MOVQ(U64(0x0101010101010100), ones)
	ADDQ(ones, before)
	MOVQ(p.lastPlaces, p.lengths)
	SUBQ(before, p.lengths)
	p.after = GP64() // bytes from the first point on
	MOVQ(endPlaces, p.after)
	SUBQ(places(p.firsts), p.after)
}

// convert converts the digits of each cell to an integer.
func (p *plain) convert() {
	var bits, used reg.GPVirtual
	bits, used, p.lane = GP64(), GP64(), GP64()
	MOVQ(I32(-1), used)
	MOVQ(p.count, bits)
	SHLQ(U8(3), bits)
	BZHIQ(p.count, used, p.lane)
	BZHIQ(bits, used, used)
	p.round = round{digits: p.digits, lasts: copies(p.lastPlaces), lengths: copies(p.lengths), used: mask(used),
		faults: K(), lane: K()}
	KMOVB(p.lane.As32(), p.round.lane)
	shorter, tooMany := ZMM(), K()
	VPSUBB(bytes("one", 1), p.round.lengths, shorter)
	VPCMPUB(greater, bytes("most", mostDigits-1), shorter, p.round.used, p.round.faults)
	p.integers = p.round.integer(0)
	VPCMPUB(greater, bytes("eight", 8), p.round.lengths, p.round.used, tooMany)
	KORTESTQ(tooMany, tooMany)
	JZ(LabelRef("convert"))
	high := p.round.integer(8)
	VPMULUDQ(quads("hundredMillion", 100_000_000), high, high)
	VPADDQ(high, p.integers, p.integers)
	Label("convert")
	KORTESTQ(p.round.faults, p.round.faults)
	JNZ(LabelRef("fault"))
}

// store divides the integers by powers of ten, writes them with their signs, and goes on after the last cell.
func (p *plain) store() {
	Label("store")
	number, power, low := ZMM(), spread(p.after), ZMM()
	VCVTUQQ2PD(p.integers, number)
	VMOVUPD(powers("powers", 0), low)
	VPERMI2PD(powers("morePowers", 8), low, power)
	VDIVPD(power, number, number)
	minus, negative := GP64(), K()
	PEXTQ(p.starts, p.signs, minus)
	KMOVB(minus.As32(), negative)
	VPXORQ(quads("signBit", 1<<63), number, negative, number)
	VMOVUPD(number, p.round.lane, Mem{Base: p.value})
	LEAQ(Mem{Base: p.value, Index: p.count, Scale: 8}, p.value)
	SUBQ(p.count, p.room)
	last := GP64() // the end of the last cell
	DECQ(p.count)
	MOVQ(U32(1), last)
	SHLXQ(p.count, last, last)
	PDEPQ(p.ends, last, last)
	TZCNTQ(last, last)
	LEAQ(Mem{Base: p.at, Index: last, Scale: 1, Disp: 1}, p.at)
	TESTQ(p.room, p.room)
	JNZ(LabelRef("round"))
}

// done returns what was read.
func (p *plain) done() {
	Label("done")
	read := Load(Param("room"), GP64())
	SUBQ(p.room, read)
	Store(read, ReturnIndex(0))
	SUBQ(NewParamAddr("text", 0), p.at)
	Store(p.at, ReturnIndex(1))
	VZEROUPPER()
	RET()
}

// fault ends the round before the first cell that is left to Go.
func (p *plain) fault() {
	Label("fault") // the cells before it are stored
	KMOVQ(p.round.faults, p.count)
	TZCNTQ(p.count, p.count)
	SHRQ(U8(3), p.count)
	JZ(LabelRef("done"))
	MOVQ(I32(-1), p.lane)
	BZHIQ(p.count, p.lane, p.lane)
	KMOVB(p.lane.As32(), p.round.lane)
	JMP(LabelRef("store"))
}

// round has what the lanes of a round share, a byte each unless it says otherwise.
type round struct {
	digits  reg.VecVirtual    // text without points and signs
	lasts   reg.VecVirtual    // place after the last digit, eight times
	lengths reg.VecVirtual    // number of digits, eight times
	used    reg.OpmaskVirtual // eight bits for each lane that has a cell
	lane    reg.OpmaskVirtual // one bit for each
	faults  reg.OpmaskVirtual // not 0 where a cell is left to Go
}

// integer returns for each lane, as 64 bits, the integer of up to eight digits that skip others follow, as
// decimal.Leading computes it. Other bytes are faults.
func (r *round) integer(skip int) reg.VecVirtual {
	name := string(rune('0' + skip))
	d, kept, fault := ZMM(), K(), K()
	VPADDB(pattern("before"+name, func(i int) byte { return byte(i&7 - 8 - skip) }), r.lasts, d)
	VPERMB(r.digits, d, d)
	needed := pattern("needed"+name, func(i int) byte { return byte(8 - i&7 + skip) })
	VPCMPUB(notLess, needed, r.lengths, r.used, kept)
	VPSUBB_Z(bytes("zero", '0'), d, kept, d)
	VPCMPUB(greater, bytes("nine", 9), d, fault)
	KORQ(fault, r.faults, r.faults)
	VPMADDUBSW(pattern("tens", func(i int) byte { return []byte{10, 1}[i%2] }), d, d)
	VPMADDWD(pattern("hundreds", func(i int) byte { return []byte{100, 0, 1, 0}[i%4] }), d, d)
	z := ZMM()
	VPMULUDQ(quads("tenThousand", 10_000), d, z)
	VPSRLQ(U8(32), d, d)
	VPADDQ(d, z, z)
	return z
}

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

// copies returns eight copies of each byte.
func copies(packed reg.GPVirtual) reg.VecVirtual {
	z := ZMM()
	VPBROADCASTQ(packed, z)
	VPSHUFB(pattern("copies", func(i int) byte { return byte(i / 8) }), z, z)
	return z
}

// spread returns bytes as lanes of 64 bits.
func spread(packed reg.GPVirtual) reg.VecVirtual {
	x, z := XMM(), ZMM()
	VMOVQ(packed, x)
	VPMOVZXBQ(x, z)
	return z
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

// powers are eight powers of ten, by the number of bytes from the point on. Without a point it is 0, too.
func powers(name string, first int) Mem {
	return constant(name, func(i int) uint64 { return math.Float64bits(math.Pow10(max(0, first+i-1))) })
}
