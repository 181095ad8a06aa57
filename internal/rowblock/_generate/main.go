// Command _generate writes the assembly of package rowblock; go generate ./internal/rowblock runs it. It
// is a module of its own, so that the product does not depend on avo.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Predicates of comparisons that are true for NaN and raise no exception.
const (
	notLessOrEqual    = U8(0x16) // of a value with a threshold
	notGreaterOrEqual = U8(0x19) // of a threshold with a value
	unordered         = U8(0x03) // of a value with itself
)

func main() {
	ConstraintExpr("!purego")
	columns32()
	columns64()
	maps32()
	maps64()
	maps512("maps32in512", "float32", 4, VBROADCASTSS, VMOVUPS, VCMPPS, VCMPPS_BCST, VBLENDMPS, KMOVW)
	maps512("maps64in512", "float64", 8, VBROADCASTSD, VMOVUPD, VCMPPD, VCMPPD_BCST, VBLENDMPD, KMOVB)
	leaves256()
	stepClusters()
	keepOpen()
	infinite("infinite32", "float32", VPCMPEQD, 0x7f80_0000_7f80_0000, 0x7fff_ffff_7fff_ffff)
	infinite("infinite64", "float64", VPCMPEQQ, 0x7ff0_0000_0000_0000, 0x7fff_ffff_ffff_ffff)
	Generate()
}

// columns32 transposes squares of 8×8 values: pairs of rows are interleaved, then pairs of pairs, and
// finally halves of registers are exchanged.
func columns32() {
	c := beginColumns("columns32", "float32")
	r := c.rows(8, 0)
	var pairs, fours [8]reg.VecVirtual
	for i := range 8 {
		pairs[i], fours[i] = YMM(), YMM()
	}
	for i := 0; i < 8; i += 2 {
		VUNPCKLPS(r[i+1], r[i], pairs[i])
		VUNPCKHPS(r[i+1], r[i], pairs[i+1])
	}
	for i := 0; i < 8; i += 4 {
		for j := range 2 {
			VSHUFPS(U8(0x44), pairs[i+2+j], pairs[i+j], fours[i+2*j])
			VSHUFPS(U8(0xee), pairs[i+2+j], pairs[i+j], fours[i+2*j+1])
		}
	}
	for i := range 4 {
		c.halves(fours[i+4], fours[i], 256*i, 256*(i+4))
	}
	c.end()
}

// columns64 transposes two squares of 4×4 values.
func columns64() {
	c := beginColumns("columns64", "float64")
	for square := range 2 {
		r := c.rows(4, 32*square)
		for j, unpack := range []func(...Op){VUNPCKLPD, VUNPCKHPD} {
			low, high := YMM(), YMM()
			unpack(r[1], r[0], low)
			unpack(r[3], r[2], high)
			c.halves(high, low, 512*(4*square+j), 512*(4*square+j+2))
		}
	}
	c.end()
}

// columns are the registers of a kernel that writes eight columns.
type columns struct {
	to, from, stride, left reg.GPVirtual
}

func beginColumns(name, kind string) *columns {
	TEXT(name, NOSPLIT, "func(to *"+kind+", from *"+kind+", stride, n int)")
	Doc(name+" writes eight columns of n groups of rows, whose distance is stride bytes.",
		"A group fills a vector of a column.")
	Pragma("noescape")
	c := &columns{argument("to"), argument("from"), argument("stride"), argument("n")}
	Label("group")
	return c
}

// rows reads a vector from each of n rows.
func (c *columns) rows(n, offset int) []reg.VecVirtual {
	at := GP64()
	LEAQ(Mem{Base: c.from, Disp: offset}, at)
	var list []reg.VecVirtual
	for i := range n {
		y := YMM()
		VMOVUPS(Mem{Base: at}, y)
		list = append(list, y)
		if i < n-1 {
			ADDQ(c.stride, at)
		}
	}
	if offset == 0 && n == 8 || offset > 0 {
		LEAQ(Mem{Base: at, Index: c.stride, Scale: 1, Disp: -offset}, c.from)
	}
	return list
}

// halves writes the lower halves of two registers to a place, and the upper ones to another.
func (c *columns) halves(high, low reg.VecVirtual, lower, upper int) {
	y := YMM()
	VPERM2F128(U8(0x20), high, low, y)
	VMOVUPS(y, Mem{Base: c.to, Disp: lower})
	VPERM2F128(U8(0x31), high, low, y)
	VMOVUPS(y, Mem{Base: c.to, Disp: upper})
}

func (c *columns) end() {
	ADDQ(U8(32), c.to)
	DECQ(c.left)
	JNZ(LabelRef("group"))
	VZEROUPPER()
	RET()
}

// loop are the registers of a kernel, which goes over the thresholds.
type loop struct {
	maps, stride, values, thresholds, left reg.GPVirtual
	size                                   int // bytes of a threshold
	missing                                Mem
}

// begin begins the function of a kernel and its loop. before writes what is done once, ahead of the loop.
func begin(name, kind string, size int, before func(*loop)) *loop {
	TEXT(name, NOSPLIT, "func(maps *uint64, stride int, values *"+kind+", missing "+kind+
		", thresholds *"+kind+", n int)")
	Doc(name+" writes a map for each of n ≥ 1 thresholds, stride bytes apart, and",
		"replaces NaN by missing.")
	Pragma("noescape")
	l := &loop{
		argument("maps"), argument("stride"), argument("values"), argument("thresholds"), argument("n"), size,
		parameter("missing"),
	}
	before(l)
	Label("threshold")
	return l
}

func argument(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

// parameter returns where an argument is in memory.
func parameter(name string) Mem {
	b, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

func at(base reg.Register, offset int) Mem { return Mem{Base: base, Disp: offset} }

// end goes on with the next threshold.
func (l *loop) end() {
	ADDQ(l.stride, l.maps)
	ADDQ(U8(l.size), l.thresholds)
	DECQ(l.left)
	JNZ(LabelRef("threshold"))
	VZEROUPPER()
	RET()
}

// maps32 is for AVX2. It packs the results of four comparisons of eight values to bytes. Packing goes by
// halves of registers, so that groups of four values are put in order afterwards.
func maps32() {
	var values []reg.VecVirtual
	order := YMM()
	l := begin("maps32in256", "float32", 4, func(l *loop) {
		VMOVDQU(table("order", 0|4<<32, 1|5<<32, 2|6<<32, 3|7<<32), order)
		missing, isNaN := YMM(), YMM()
		VBROADCASTSS(l.missing, missing)
		for i := range 8 {
			y := YMM()
			VMOVUPS(at(l.values, 32*i), y)
			VCMPPS(unordered, y, y, isNaN)
			VBLENDVPS(isNaN, missing, y, y)
			values = append(values, y)
		}
	})
	threshold := YMM()
	VBROADCASTSS(at(l.thresholds, 0), threshold)
	for half := range 2 {
		var r [4]reg.VecVirtual
		for i := range r {
			r[i] = YMM()
			VCMPPS(notLessOrEqual, threshold, values[4*half+i], r[i])
		}
		VPACKSSDW(r[1], r[0], r[0])
		VPACKSSDW(r[3], r[2], r[2])
		VPACKSSWB(r[2], r[0], r[0])
		VPERMD(r[0], order, r[0])
		store(r[0], at(l.maps, 4*half))
	}
	l.end()
}

// maps64 is like maps32, for comparisons of four values, whose results are 64 bits wide.
func maps64() {
	pairs := YMM()
	l := begin("maps64in256", "float64", 8, func(l *loop) {
		// In each half: pairs of values 0 1, 4 5, 8 9, 12 13, and then 2 3, 6 7, 10 11, 14 15.
		const low, high = 0x0b0a_0302_0908_0100, 0x0f0e_0706_0d0c_0504
		VMOVDQU(table("pairs", low, high, low, high), pairs)
		missing, isNaN, y := YMM(), YMM(), YMM()
		VBROADCASTSD(l.missing, missing)
		for i := range 16 {
			VMOVUPD(at(l.values, 32*i), y)
			VCMPPD(unordered, y, y, isNaN)
			VBLENDVPD(isNaN, missing, y, y)
			VMOVUPD(y, at(l.values, 32*i))
		}
	})
	threshold := YMM()
	VBROADCASTSD(at(l.thresholds, 0), threshold)
	for half := range 2 {
		var r [8]reg.VecVirtual
		for i := range r {
			r[i] = YMM()
			VCMPPD(notGreaterOrEqual, at(l.values, 256*half+32*i), threshold, r[i])
			if i%2 == 1 {
				VSHUFPS(U8(0x88), r[i], r[i-1], r[i-1])
			}
		}
		VPACKSSDW(r[2], r[0], r[0])
		VPACKSSDW(r[6], r[4], r[4])
		VPACKSSWB(r[4], r[0], r[0])
		VPERMQ(U8(0xd8), r[0], r[0])
		VPSHUFB(pairs, r[0], r[0])
		store(r[0], at(l.maps, 4*half))
	}
	l.end()
}

// maps512 writes a kernel for AVX-512. Its values stay in registers, and a comparison of a vector writes
// its bits to their place in the map.
func maps512(name, kind string, size int, broadcast, move, compare, compareAll, blend func(...Op),
	store func(_, _ Op)) {
	var values []reg.VecVirtual
	bits := 64 / size // of a vector
	l := begin(name, kind, size, func(l *loop) {
		missing, isNaN := ZMM(), K()
		broadcast(l.missing, missing)
		for i := range size {
			z := ZMM()
			move(at(l.values, 64*i), z)
			compare(unordered, z, z, isNaN)
			blend(missing, z, isNaN, z)
			values = append(values, z)
		}
	})
	for i, z := range values {
		k := K()
		compareAll(notLessOrEqual, at(l.thresholds, 0), z, k)
		store(k, at(l.maps, i*bits/8))
	}
	l.end()
}

// infinite compares the bits of values without their signs with those of infinity.
func infinite(name, kind string, compare func(...Op), infinity, unsigned uint64) {
	TEXT(name, NOSPLIT, "func(values *"+kind+", n int) bool")
	Doc(name + " reports whether n ≥ 1 vectors of values have an infinite one.")
	Pragma("noescape")
	values, left := argument("values"), argument("n")
	want, mask, found := YMM(), YMM(), YMM()
	VMOVDQU(table(name+"_infinity", infinity, infinity, infinity, infinity), want)
	VMOVDQU(table(name+"_unsigned", unsigned, unsigned, unsigned, unsigned), mask)
	VPXOR(found, found, found)
	Label("vector")
	y := YMM()
	VPAND(at(values, 0), mask, y)
	compare(want, y, y)
	VPOR(y, found, found)
	ADDQ(U8(32), values)
	DECQ(left)
	JNZ(LabelRef("vector"))
	VPTEST(found, found)
	result := GP8()
	SETNE(result)
	Store(result, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// store writes the highest bits of 32 bytes.
func store(bytes reg.VecVirtual, to Mem) {
	bits := GP32()
	VPMOVMSKB(bytes, bits)
	MOVL(bits, to)
}

func table(name string, words ...uint64) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for i, v := range words {
		DATA(8*i, U64(v))
	}
	return m
}
