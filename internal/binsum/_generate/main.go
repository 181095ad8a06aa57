// Command _generate writes the assembly of package binsum; go generate ./internal/binsum runs it. It
// is a module of its own, so that the product does not depend on avo.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	word      = 8 // bytes of a sum
	number    = 4 // bytes of the number of a row
	cacheLine = 64
	tileBytes = 256 * word // size of a tile
	vector    = 32         // bytes of a vector
	lanes     = vector / word
)

func main() {
	ConstraintExpr("!purego")
	build("buildHalf", 4)
	build("buildRows", 8)
	build("buildDozen", 12)
	prefetch()
	take()
	move()
	partition()
	partitionBytes()
	Generate()
}

// build writes a function that adds rows to the tiles of this many bytes. It needs no vector instructions.
func build(name string, size int) {
	TEXT(name, NOSPLIT, "func(tiles *int64, bins *uint8, stride int, values *int64, n int)")
	Doc(fmt.Sprintf("%s adds the values of n rows to %d tiles. bins are those of the first row.", name, size))
	Pragma("noescape")
	tiles, bins, stride := argument("tiles"), argument("bins"), argument("stride")
	values, n := argument("values"), argument("n")
	LEAQ(of(values, n), values)
	NEGQ(n)
	Label("row")
	value := GP64()
	MOVQ(of(values, n), value)
	for i := 0; i < size; i += word {
		part := min(word, size-i)
		bytes := reg.RAX // whose lowest two bytes have names; AH only together with registers before R8
		if part == word {
			MOVQ(Mem{Base: bins, Disp: i}, bytes)
		} else {
			MOVL(Mem{Base: bins, Disp: i}, bytes.As32())
		}
		if i+word >= size {
			ADDQ(stride, bins)
		}
		for j := 0; j < part; j += 2 {
			first, second := GP32(), reg.ECX
			MOVBLZX(reg.AL, first)
			MOVBLZX(reg.AH, second)
			if j+2 < part {
				SHRQ(U8(16), bytes)
			}
			ADDQ(value, Mem{Base: tiles, Index: first.As64(), Scale: word, Disp: (i + j) * tileBytes})
			ADDQ(value, Mem{Base: tiles, Index: second.As64(), Scale: word, Disp: (i + j + 1) * tileBytes})
		}
	}
	INCQ(n)
	JNZ(LabelRef("row"))
	RET()
}

// prefetch writes a function that asks for the bytes of rows, and does not wait for them.
func prefetch() {
	TEXT("prefetchRows", NOSPLIT, "func(bins *uint8, stride int, last int, values *int64, rows *int32, n int)")
	Doc("prefetchRows moves bytes 0 to last of n rows to the second-level cache. bins are those of row 0.")
	Pragma("noescape")
	bins, stride, last := argument("bins"), argument("stride"), argument("last")
	values, rows, n := argument("values"), argument("rows"), argument("n")
	LEAQ(Mem{Base: rows, Index: n, Scale: number}, rows)
	NEGQ(n)
	Label("ahead")
	row, at := GP64(), GP64()
	MOVLQSX(Mem{Base: rows, Index: n, Scale: number}, row)
	PREFETCHT1(of(values, row))
	IMULQ(stride, row)
	ADDQ(bins, row)
	PREFETCHT1(Mem{Base: row, Index: last, Scale: 1})
	XORQ(at, at)
	Label("line")
	PREFETCHT1(Mem{Base: row, Index: at, Scale: 1})
	ADDQ(U8(cacheLine), at)
	CMPQ(at, last)
	JLT(LabelRef("line"))
	INCQ(n)
	JNZ(LabelRef("ahead"))
	RET()
}

// take writes a function that copies rows with their values, so that they are consecutive in memory. The rows
// of a leaf are on many pages of memory, and most of the time is waiting for them: it asks for a row while it
// copies one some places before. Rows of at least one vector are copied vector by vector, the last of which
// may overlap the one before; shorter ones are two halves of a vector, which may overlap, or a word.
func take() {
	const ahead = 24 // rows; only speed depends on it
	TEXT("takeRows", NOSPLIT,
		"func(dst *uint8, width int, bins *uint8, step int, out *int64, values *int64, rows *int32, n int) int")
	Doc("takeRows copies those of n rows whose values are not 0, of width bytes in whole words, and their",
		"values. bins are those of row 0. It returns the number of copied rows.")
	Pragma("noescape")
	dst, width, bins, stride := argument("dst"), argument("width"), argument("bins"), argument("step")
	taken, values, rows, n := argument("out"), argument("values"), argument("rows"), argument("n")
	copied, last := GP64(), GP64() // last is where the last vector of a row begins
	XORQ(copied, copied)
	LEAQ(Mem{Base: rows, Index: n, Scale: number}, rows)
	NEGQ(n)
	LEAQ(Mem{Base: width, Disp: -vector}, last)
	Label("copy")
	row, value, at, part := GP64(), GP64(), GP64(), YMM()
	CMPQ(n, I8(-ahead))
	JGE(LabelRef("asked"))
	MOVLQSX(Mem{Base: rows, Index: n, Scale: number, Disp: ahead * number}, row)
	PREFETCHT0(of(values, row))
	IMULQ(stride, row)
	ADDQ(bins, row)
	PREFETCHT0(Mem{Base: row})
	PREFETCHT0(Mem{Base: row, Index: width, Scale: 1, Disp: -1})
	Label("asked")
	MOVLQSX(Mem{Base: rows, Index: n, Scale: number}, row)
	MOVQ(of(values, row), value)
	TESTQ(value, value)
	JZ(LabelRef("next"))
	MOVQ(value, of(taken, copied))
	INCQ(copied)
	IMULQ(stride, row)
	ADDQ(bins, row)
	XORQ(at, at)
	TESTQ(last, last)
	JL(LabelRef("short"))
	VMOVDQU(Mem{Base: row, Index: last, Scale: 1}, part)
	VMOVDQU(part, Mem{Base: dst, Index: last, Scale: 1})
	Label("vector")
	CMPQ(at, last)
	JGE(LabelRef("copied"))
	VMOVDQU(Mem{Base: row, Index: at, Scale: 1}, part)
	VMOVDQU(part, Mem{Base: dst, Index: at, Scale: 1})
	ADDQ(U8(vector), at)
	JMP(LabelRef("vector"))
	Label("short")
	CMPQ(width, U8(vector/2))
	JL(LabelRef("word"))
	for _, at := range []Mem{{Scale: 1}, {Index: width, Scale: 1, Disp: -vector / 2}} {
		from, to := at, at
		from.Base, to.Base = row, dst
		VMOVDQU(from, part.AsX())
		VMOVDQU(part.AsX(), to)
	}
	JMP(LabelRef("copied"))
	Label("word")
	MOVQ(Mem{Base: row}, value)
	MOVQ(value, Mem{Base: dst})
	Label("copied")
	ADDQ(width, dst)
	Label("next")
	INCQ(n)
	JNZ(LabelRef("copy"))
	VZEROUPPER()
	Store(copied, ReturnIndex(0))
	RET()
}

// move writes a function that moves n sums out of a tile.
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

// partition writes a function that partitions rows, 16 at a time. A word of memory has the bins of several
// rows.
func partition() {
	TEXT("partitionAVX512", NOSPLIT, "func(bins *uint8, rows, spare *int32, n int, cut *uint32) int")
	Doc("partitionAVX512 moves those of n rows that go left to the front of rows, the others to the front of",
		"spare, and returns the number of rows that go left. n is a positive multiple of 16. cut has the fields",
		"of cutInWords.")
	Pragma("noescape")
	bins, rows, spare := argument("bins"), argument("rows"), argument("spare")
	n, cut := argument("n"), argument("cut")
	var of [6]reg.VecVirtual // in the order of cutInWords
	for i := range of {
		of[i] = ZMM()
		VPBROADCASTD(Mem{Base: cut, Disp: i * number}, of[i])
	}
	fold, within, width, bits, last, exception := of[0], of[1], of[2], of[3], of[4], of[5]
	left, every := GP64(), K()
	MOVQ(rows, left)
	KXNORW(every, every, every)

	Label("rows")
	row, at, bin, all := ZMM(), ZMM(), ZMM(), K()
	VMOVDQU32(Mem{Base: rows}, row)
	VPSRLVD(fold, row, at)
	KMOVW(every, all)
	VPXORD(bin, bin, bin) // otherwise it would wait for the bins of the rows before
	VPGATHERDD(Mem{Base: bins, Index: at, Scale: number}, all, bin)
	VPANDD(within, row, at)
	VPSLLVD(width, at, at)
	VPSRLVD(at, bin, bin)
	VPANDD(bits, bin, bin)
	goRight, excepted, goLeft := K(), K(), K()
	VPCMPUD(U8(6), last, bin, goRight)
	VPCMPEQD(exception, bin, excepted)
	KXORW(excepted, goRight, goRight)
	KNOTW(goRight, goLeft)
	VPCOMPRESSD_Z(row, goLeft, at)
	VMOVDQU32(at, Mem{Base: left})
	VPCOMPRESSD_Z(row, goRight, at)
	VMOVDQU32(at, Mem{Base: spare})
	count := GP64()
	KMOVW(goRight, count.As32())
	POPCNTQ(count, count)
	SHLQ(U8(2), count)
	ADDQ(count, spare)
	ADDQ(U8(16*number), left)
	SUBQ(count, left)
	ADDQ(U8(16*number), rows)
	SUBQ(U8(16), n)
	JNZ(LabelRef("rows"))
	returnLeft(left, rows)
}

// partitionBytes writes a function that partitions rows, 8 at a time, by bins of a byte. AVX2 cannot move
// some numbers of a vector to its front, but it can move all by a table. Gathers would take longer than loads
// of single bytes.
func partitionBytes() {
	const rowsAtATime, half = 8, 4
	TEXT("partitionAVX2", NOSPLIT,
		"func(bins *uint8, rows, spare *int32, n int, cut *uint8, places *uint64) int")
	Doc("partitionAVX2 moves those of n rows that go left to the front of rows, the others to the front of",
		"spare, and returns the number of rows that go left. n is a positive multiple of 8. cut has the fields",
		"of cutInBytes. places has the numbers of the bits of each byte, those that are set first.")
	Pragma("noescape")
	bins, rows, spare := argument("bins"), argument("rows"), argument("spare")
	n, cut, places := argument("n"), argument("cut"), argument("places")
	var of [4]reg.VecVirtual // in the order of cutInBytes
	for i := range of {
		of[i] = XMM()
		VPBROADCASTB(Mem{Base: cut, Disp: i}, of[i])
	}
	bits, last, exception, excepts := of[0], of[1], of[2], of[3]
	left, zero := GP64(), XMM()
	MOVQ(rows, left)
	VPXOR(zero, zero, zero)

	Label("bytes")
	row := YMM()
	VMOVDQU(Mem{Base: rows}, row)
	halves := [2]reg.VecVirtual{XMM(), XMM()}
	for i := range rowsAtATime {
		at, to, from := GP64(), halves[i/half], halves[i/half]
		if i%half == 0 {
			from = zero
		}
		MOVLQSX(Mem{Base: rows, Disp: i * number}, at)
		VPINSRB(U8(i%half), Mem{Base: bins, Index: at, Scale: 1}, from, to)
	}
	bin, goLeft, excepted := XMM(), XMM(), XMM()
	VPUNPCKLDQ(halves[1], halves[0], bin)
	VPAND(bits, bin, bin)
	VPMINUB(last, bin, goLeft)
	VPCMPEQB(bin, goLeft, goLeft)
	VPCMPEQB(exception, bin, excepted)
	VPAND(excepts, excepted, excepted)
	VPXOR(excepted, goLeft, goLeft)
	mask, others, moved := GP32(), GP32(), YMM()
	VPMOVMSKB(goLeft, mask)
	MOVBLZX(mask.As8(), mask)
	MOVL(mask, others)
	XORL(U32(0xff), others)
	VPMOVZXBD(Mem{Base: places, Index: mask.As64(), Scale: word}, moved)
	VPERMD(row, moved, moved)
	VMOVDQU(moved, Mem{Base: left})
	VPMOVZXBD(Mem{Base: places, Index: others.As64(), Scale: word}, moved)
	VPERMD(row, moved, moved)
	VMOVDQU(moved, Mem{Base: spare})
	POPCNTL(mask, mask)
	LEAQ(Mem{Base: left, Index: mask.As64(), Scale: number}, left)
	POPCNTL(others, others)
	LEAQ(Mem{Base: spare, Index: others.As64(), Scale: number}, spare)
	ADDQ(U8(rowsAtATime*number), rows)
	SUBQ(U8(rowsAtATime), n)
	JNZ(LabelRef("bytes"))
	returnLeft(left, rows)
}

// returnLeft returns the number of rows before left, the end of those that go left. rows is a register to
// use.
func returnLeft(left, rows reg.GPVirtual) {
	Load(Param("rows"), rows)
	SUBQ(rows, left)
	SHRQ(U8(2), left)
	VZEROUPPER()
	Store(left, ReturnIndex(0))
	RET()
}

func of(sums, at reg.Register) Mem { return Mem{Base: sums, Index: at, Scale: word} }

func argument(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }
