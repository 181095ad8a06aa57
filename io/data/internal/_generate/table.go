package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const mostDigits = 14 // of a cell, so that they are an integer below 2^53

// A round reads the cells that end within 64 bytes of text, up to eight, a lane each. Points and signs are
// taken out of the text first, so that the digits of a cell follow each other:
//
//	text     -1.25,0,37.5,…      ends     ─────┴─┴────┴─
//	digits    125,0,375,…        lasts    ───┴─┴───┴─
func plainCells() {
	TEXT("plainCells", NOSPLIT, "func(text *byte, value *float64, room int, comma byte) (count, end int)")
	Doc("plainCells reads cells that are plain decimal numbers of at most 14 digits, each with a comma after",
		"it, from text on, up to the first other cell or until it has read room cells. It returns how many it",
		"read, and the place after the last comma. It may load 63 bytes after that.")
	Pragma("noescape")
	p := plain{
		at:    argument("text"),
		value: argument("value"),
		room:  argument("room"),
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
	finish(p.at, p.room)
	p.fault()
}

// plain are the registers that the steps of plainCells share; bits are of 64 bytes of text.
type plain struct {
	at, value, room     reg.GPVirtual // what is read next, where it is written, and the number of cells left
	ends, points, signs reg.GPVirtual // bits: commas up to the first wrong byte, points, signs
	starts, firsts      reg.GPVirtual // bits: where cells start, and their first point or end
	count, lane         reg.GPVirtual // number of cells of the round, and a bit for each
	lastPlaces, lengths reg.GPVirtual // by cell, in bytes: the place after its last digit, and number of digits
	after               reg.GPVirtual // by cell, in bytes: number of bytes from the first point on
	comma, text, digits reg.VecVirtual
	integers            reg.VecVirtual // by cell: its digits
	round               cellRound
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
	p.round = cellRound{digits: p.digits, lasts: copies(p.lastPlaces), lengths: copies(p.lengths),
		used: mask(used), faults: K(), lane: K()}
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
	VMOVUPD(powers("powers", func(i int) int { return max(0, i-1) }), low)
	VPERMI2PD(powers("morePowers", func(i int) int { return 7 + i }), low, power)
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

// cellRound is what the lanes of a round share, a byte each unless it says otherwise.
type cellRound struct {
	digits  reg.VecVirtual    // text without points and signs
	lasts   reg.VecVirtual    // place after the last digit, eight times
	lengths reg.VecVirtual    // number of digits, eight times
	used    reg.OpmaskVirtual // eight bits for each lane that has a cell
	lane    reg.OpmaskVirtual // one bit for each
	faults  reg.OpmaskVirtual // not 0 where a cell is left to Go
}

// integer returns for each lane, as 64 bits, the integer of up to eight digits that skip others follow, as
// rows.LeadingDigits computes it. Other bytes are faults.
func (r *cellRound) integer(skip int) reg.VecVirtual {
	name := string(rune('0' + skip))
	d, kept, fault := ZMM(), K(), K()
	VPADDB(pattern("before"+name, func(i int) byte { return byte(i&7 - 8 - skip) }), r.lasts, d)
	VPERMB(r.digits, d, d)
	needed := pattern("needed"+name, func(i int) byte { return byte(8 - i&7 + skip) })
	VPCMPUB(notLess, needed, r.lengths, r.used, kept)
	VPSUBB_Z(bytes("zero", '0'), d, kept, d)
	VPCMPUB(greater, bytes("nine", 9), d, fault)
	KORQ(fault, r.faults, r.faults)
	return join(d)
}

// copies returns eight copies of each byte.
func copies(packed reg.GPVirtual) reg.VecVirtual {
	z := ZMM()
	VPBROADCASTQ(packed, z)
	VPSHUFB(pattern("copies", func(i int) byte { return byte(i / 8) }), z, z)
	return z
}
