// Command _generate writes the assembly of package histogram; go generate ./internal/histogram runs it. It is
// a module of its own, so that the product does not depend on avo.
package main

import (
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets of the fields of a keyTable, as in package histogram.
const (
	tableLow, tableShift, tableMost = 0, 16, 32 // by sign
	tableCenter, tableZero          = 48, 56
	tableKeys                       = 72
)

const (
	column = 8 * 64 // bytes of the values of a feature in 64 rows
	line   = 64     // bytes of a register
)

const (
	greater, unordered = U8(0x1e), U8(0x03) // predicates of comparisons of floats; NaN is not greater
	greaterInt         = U8(6)
)

func main() {
	ConstraintExpr("!purego")
	columnsOfRows()
	binColumn()
	rowsOfBytes()
	Generate()
}

// columnsOfRows transposes squares of 8×8 values: it interleaves pairs of rows, and then exchanges quarters
// of registers in two steps.
func columnsOfRows() {
	TEXT("columnsOfRows", NOSPLIT, "func(to *float64, rows **float64, offset, features, n int)")
	Doc("columnsOfRows copies the values of at most eight features in n ≥ 1 groups of eight rows to eight",
		"columns of 64 values each. rows has the first value of each row, and the features begin offset bytes",
		"after it.")
	Pragma("noescape")
	to, rows, offset := argument("to"), argument("rows"), argument("offset")
	features, n, mask, k := argument("features"), argument("n"), GP64(), K()
	MOVQ(I32(-1), mask)
	BZHIQ(features, mask, mask)
	KMOVB(mask.As32(), k)

	Label("group")
	var r, pairs, fours, eights [8]reg.VecVirtual
	for i := range 8 {
		row := GP64()
		MOVQ(at(rows, 8*i), row)
		r[i] = ZMM()
		VMOVUPD_Z(Mem{Base: row, Index: offset, Scale: 1}, k, r[i])
		pairs[i], fours[i], eights[i] = ZMM(), ZMM(), ZMM()
	}
	for i := 0; i < 8; i += 2 { // features 0 2 4 6 of two rows, and features 1 3 5 7
		VUNPCKLPD(r[i+1], r[i], pairs[i])
		VUNPCKHPD(r[i+1], r[i], pairs[i+1])
	}
	for i := range 4 { // of four rows: features 0 4, 1 5, 2 6, 3 7
		from := i/2*4 + i%2
		VSHUFF64X2(U8(0x88), pairs[from+2], pairs[from], fours[2*i])
		VSHUFF64X2(U8(0xdd), pairs[from+2], pairs[from], fours[2*i+1])
	}
	for i := range 4 {
		VSHUFF64X2(U8(0x88), fours[i+4], fours[i], eights[2*i])
		VSHUFF64X2(U8(0xdd), fours[i+4], fours[i], eights[2*i+1])
	}
	// fours 0, 1 hold features 0 4 and 2 6 of rows 0 to 3; fours 2, 3 features 1 5 and 3 7
	for i, feature := range []int{0, 4, 2, 6, 1, 5, 3, 7} {
		VMOVUPD(eights[i], at(to, column*feature))
	}
	ADDQ(U8(line), to)
	ADDQ(U8(line), rows)
	DECQ(n)
	JNZ(LabelRef("group"))
	VZEROUPPER()
	RET()
}

func binColumn() {
	TEXT("binColumn", NOSPLIT,
		"func(bins *uint8, undecided *uint32, values *float64, table *uint64, shift, n int)")
	Doc("binColumn writes the bins of n ≥ 1 groups of 32 values, shifted to the left, to bytes in which these",
		"bits are 0. undecided gets a bit for each value of a group: set if its bin may be wrong, because it is",
		"NaN or has the key of a bound. table is a [keyTable].")
	Pragma("noescape")
	bins, undecided, values := argument("bins"), argument("undecided"), argument("values")
	table, shift, n := argument("table"), XMM(), argument("n")
	VMOVQ(argument("shift"), shift)
	s := searched{}
	for i := range s.keys {
		for half := range 2 {
			s.keys[i][half] = ZMM()
			VMOVDQU64(at(table, tableKeys+2*line*i+line*half), s.keys[i][half])
		}
	}
	m := newMapping(table)

	Label("group")
	key, nan := m.keys(values)
	bin, equal := s.search(key)
	KORD(nan, equal, equal)
	KMOVD(equal, Mem{Base: undecided})
	VPSLLW(shift, bin, bin)
	bytes := YMM()
	VPMOVWB(bin, bytes)
	VPORQ(Mem{Base: bins}, bytes, bytes)
	VMOVDQU64(bytes, Mem{Base: bins})
	ADDQ(U8(32), bins)
	ADDQ(U8(4), undecided)
	ADDQ(U32(32*8), values)
	DECQ(n)
	JNZ(LabelRef("group"))
	VZEROUPPER()
	RET()
}

// mapping are the registers that a value's key needs.
type mapping struct {
	low, shift, most                      [2]reg.VecVirtual // by sign
	center, negative, positive, magnitude reg.VecVirtual
	ofSign                                reg.VecVirtual // one of low, shift or most for each value
}

func newMapping(table reg.Register) *mapping {
	m := mapping{ofSign: ZMM()}
	for sign := range 2 {
		m.low[sign] = broadcast(at(table, tableLow+8*sign))
		m.shift[sign] = broadcast(at(table, tableShift+8*sign))
		m.most[sign] = broadcast(at(table, tableMost+8*sign))
	}
	m.center = broadcast(at(table, tableCenter))
	m.negative, m.positive = broadcast(at(table, tableZero)), broadcast(at(table, tableZero+8))
	m.magnitude = broadcast(quads("magnitude", 1<<63-1))
	return &m
}

// keys returns the keys of 32 values, 16 bits each, and which values are NaN.
func (m *mapping) keys(values reg.Register) (all reg.VecVirtual, nan reg.OpmaskVirtual) {
	for quarter := range 4 {
		v, unequal := ZMM(), K()
		VMOVUPD(at(values, line*quarter), v)
		VCMPPD(unordered, v, v, unequal)
		key := m.key(v)
		if quarter == 0 {
			all, nan = key, unequal
			continue
		}
		VPSLLQ(U8(16*quarter), key, key)
		VPORQ(key, all, all)
		KSHIFTLD(U8(8*quarter), unequal, unequal)
		KORD(unequal, nan, nan)
	}
	order := ZMM()
	VMOVDQU64(words("order", func(i int) uint16 { return uint16(i%8*4 + i/8) }), order)
	VPERMW(all, order, all)
	return all, nan
}

// key returns the keys of eight values.
func (m *mapping) key(v reg.VecVirtual) reg.VecVirtual {
	isNegative := K()
	VPMOVQ2M(v, isNegative)
	of := func(sides [2]reg.VecVirtual) reg.VecVirtual {
		VPBLENDMQ(sides[1], sides[0], isNegative, m.ofSign)
		return m.ofSign
	}
	cell, low, key := ZMM(), of(m.low), ZMM()
	VPANDQ(m.magnitude, v, cell)
	VPMAXUQ(low, cell, cell)
	VPSUBQ(low, cell, cell)
	VPSRLVQ(of(m.shift), cell, cell)
	VPMINUQ(of(m.most), cell, cell)
	VPADDQ(cell, m.center, key)
	VPSUBQ(cell, m.center, isNegative, key)
	for _, bound := range []reg.VecVirtual{m.negative, m.positive} {
		above := K()
		VCMPPD(greater, bound, v, above)
		VPADDQ(quads("two", 2), key, above, key)
	}
	return key
}

// searched are the keys of the bounds: keys[i] has those of the bounds with the numbers 4p+i.
type searched struct{ keys [4][2]reg.VecVirtual }

// search returns how many bounds have a smaller key, and whether one has the same key. It finds p by
// bisection among keys[3], and then compares the four bounds with the numbers from 4p on.
func (s *searched) search(key reg.VecVirtual) (bin reg.VecVirtual, equal reg.OpmaskVirtual) {
	p := ZMM()
	VPXORQ(p, p, p)
	for step := 32; step > 0; step /= 2 {
		above := K()
		at := p
		if step > 1 {
			at = ZMM()
			VPORQ(sameWords(step-1), p, at)
		}
		VPCMPUW(greaterInt, s.look(3, at), key, above)
		VPADDW(sameWords(step), p, above, p)
	}
	bin, equal = ZMM(), K()
	VPSLLW(U8(2), p, bin)
	for i := range s.keys {
		bound, same := s.look(i, p), K()
		if i < 3 {
			above := K()
			VPCMPUW(greaterInt, bound, key, above)
			VPADDW(sameWords(1), bin, above, bin)
		}
		VPCMPEQW(bound, key, same)
		if i == 0 {
			equal = same
		} else {
			KORD(same, equal, equal)
		}
	}
	return bin, equal
}

// look returns the keys of keys[i] at the given places.
func (s *searched) look(i int, places reg.VecVirtual) reg.VecVirtual {
	z := ZMM()
	VMOVDQA64(places, z)
	VPERMI2W(s.keys[i][1], s.keys[i][0], z)
	return z
}

// rowsOfBytes interleaves bytes, then pairs, then fours, so that each quarter of a register has 16 rows. Then
// it exchanges the quarters.
func rowsOfBytes() {
	TEXT("rowsOfBytes", NOSPLIT, "func(to *uint64, columns *uint8)")
	Doc("rowsOfBytes writes the bytes of 64 rows, which it reads from eight columns of 64 bytes.")
	Pragma("noescape")
	to, columns := argument("to"), argument("columns")
	var r [8]reg.VecVirtual
	for i := range r {
		r[i] = ZMM()
		VMOVDQU64(at(columns, line*i), r[i])
	}
	// of two columns: rows 0 to 7, and 8 to 15
	r = combine(r, [4][2]int{{0, 1}, {2, 3}, {4, 5}, {6, 7}}, VPUNPCKLBW, VPUNPCKHBW)
	// of four columns: rows 0 to 3, 4 to 7, 8 to 11, 12 to 15
	r = combine(r, [4][2]int{{0, 2}, {1, 3}, {4, 6}, {5, 7}}, VPUNPCKLWD, VPUNPCKHWD)
	// rows 0 and 1, 2 and 3, and so on
	r = combine(r, [4][2]int{{0, 4}, {1, 5}, {2, 6}, {3, 7}}, VPUNPCKLDQ, VPUNPCKHDQ)
	for range 2 {
		r = combine(r, [4][2]int{{0, 1}, {2, 3}, {4, 5}, {6, 7}}, shuffle(0x88), shuffle(0xdd))
		r[1], r[2], r[5], r[6] = r[2], r[1], r[6], r[5]
	}
	for i, place := range []int{0, 2, 4, 6, 1, 3, 5, 7} {
		VMOVDQU64(r[i], at(to, line*place))
	}
	VZEROUPPER()
	RET()
}

// combine makes two registers of each of four pairs.
func combine(r [8]reg.VecVirtual, pairs [4][2]int, first, second func(...Op)) (made [8]reg.VecVirtual) {
	for i, pair := range pairs {
		made[2*i], made[2*i+1] = ZMM(), ZMM()
		first(r[pair[1]], r[pair[0]], made[2*i])
		second(r[pair[1]], r[pair[0]], made[2*i+1])
	}
	return made
}

// shuffle returns an instruction that takes two quarters of each of two registers.
func shuffle(which uint8) func(...Op) {
	return func(ops ...Op) { VSHUFI64X2(U8(which), ops[0], ops[1], ops[2]) }
}

func argument(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

func at(base reg.Register, offset int) Mem { return Mem{Base: base, Disp: offset} }

// broadcast returns a word in all lanes.
func broadcast(from Mem) reg.VecVirtual {
	z := ZMM()
	VPBROADCASTQ(from, z)
	return z
}

var constants = map[string]Mem{}

// words returns 32 numbers of 16 bits.
func words(name string, of func(i int) uint16) Mem {
	m, known := constants[name]
	if !known {
		m = GLOBL(name, RODATA|NOPTR)
		for i := range 32 {
			DATA(2*i, U16(of(i)))
		}
		constants[name] = m
	}
	return m
}

func sameWords(n int) Mem {
	return words("words"+strconv.Itoa(n), func(int) uint16 { return uint16(n) })
}

// quads returns a number in eight lanes.
func quads(name string, v uint64) Mem {
	m, known := constants[name]
	if !known {
		m = GLOBL(name, RODATA|NOPTR)
		for i := range 8 {
			DATA(8*i, U64(v))
		}
		constants[name] = m
	}
	return m
}
