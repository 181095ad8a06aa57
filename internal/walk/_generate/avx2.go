package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// avx2 has tiles of 32 rows. A set of rows is a vector with a byte for each, which is 255 or 0.
func avx2() {
	const rows, set = 32, 32
	plan := begin("leavesAVX2")
	source, stride := field(plan, planRows), field(plan, planStride)

	Label("tile")
	transpose256(plan, source, stride)
	IMUL3Q(U8(rows), stride, stride)
	ADDQ(stride, source) // the rows of the next tile
	SHRQ(U8(5), stride)

	masks, tile := field(plan, planMasks), field(plan, planTile)
	here, all := GP64(), YMM()
	MOVQ(masks, here)
	VPCMPEQB(all, all, all)
	VMOVDQU(all, at(masks, 0))
	test, n, next := field(plan, planTests), field(plan, planNumTests), GP64()
	MOVQ(source, next)
	Label("test")
	PREFETCHT0(at(next, 0))
	ADDQ(U8(line), next)
	bin, stays, in, out := YMM(), YMM(), YMM(), YMM()
	VPBROADCASTB(at(test, testBin), bin)
	column := Mem{Base: tile, Index: load32(at(test, testColumn)), Scale: 1}
	bytes, exception, excepts := YMM(), YMM(), YMM()
	VPBROADCASTB(at(test, testMask), bytes)
	VPAND(column, bytes, bytes)
	VPMAXUB(bytes, bin, stays)
	VPCMPEQB(bin, stays, stays)
	VPBROADCASTB(at(test, testException), exception)
	VPBROADCASTB(at(test, testExcepts), excepts)
	VPCMPEQB(bytes, exception, exception)
	VPAND(excepts, exception, exception)
	VPXOR(exception, stays, stays)
	VMOVDQU(at(here, 0), in)
	VPANDN(in, stays, out)
	VPAND(in, stays, in)
	VMOVDQU(in, Mem{Base: masks, Index: load32(at(test, testLeft)), Scale: 1})
	VMOVDQU(out, Mem{Base: masks, Index: load32(at(test, testRight)), Scale: 1})
	ADDQ(U8(set), here)
	ADDQ(U8(testSize), test)
	DECQ(n)
	JNZ(LabelRef("test"))

	number, one, low, high, highByte := YMM(), YMM(), YMM(), YMM(), YMM()
	for _, y := range []reg.VecVirtual{number, low, high, highByte} {
		VPXOR(y, y, y)
	}
	VPABSB(all, one)
	leaf, end := field(plan, planLeaves), field(plan, planNumLeaves)
	Label("page") // of 256 leaves, whose numbers have the same high byte
	inPage, stop := YMM(), GP64()
	VPXOR(inPage, inPage, inPage)
	LEAQ(at(leaf, 256*set), stop)
	CMPQ(stop, end)
	CMOVQHI(end, stop)
	Label("leaf")
	mask := YMM()
	VMOVDQU(at(leaf, 0), mask)
	VPOR(mask, inPage, inPage)
	VPAND(number, mask, mask)
	VPOR(mask, low, low)
	VPADDB(one, number, number)
	ADDQ(U8(set), leaf)
	CMPQ(leaf, stop)
	JB(LabelRef("leaf"))
	VPAND(highByte, inPage, inPage)
	VPOR(inPage, high, high)
	VPADDB(one, highByte, highByte)
	CMPQ(leaf, end)
	JB(LabelRef("page"))

	leafOf := field(plan, planLeafOf)
	for half := range 2 {
		x, y := XMM(), XMM()
		VEXTRACTI128(U8(half), low, x)
		VEXTRACTI128(U8(half), high, y)
		for part := range 2 {
			l, h := YMM(), YMM()
			VPMOVZXBD(x, l)
			VPMOVZXBD(y, h)
			VPSLLD(U8(8), h, h)
			VPOR(l, h, l)
			VMOVDQU(l, at(leafOf, half*line+part*line/2))
			if part == 0 {
				VPSRLDQ(U8(8), x, x)
				VPSRLDQ(U8(8), y, y)
			}
		}
	}
	ADDQ(U32(4*rows), leafOf)
	MOVQ(leafOf, at(plan, planLeafOf))
	DECQ(at(plan, planTiles))
	JNZ(LabelRef("tile"))
	VZEROUPPER()
	RET()
}

// transpose256 writes the bytes of 32 rows to the tile, column by column, 8 columns at a time. A lane of 16
// bytes first has 8 columns of two rows, and in the end 16 rows of one column.
func transpose256(plan, source, stride reg.GPVirtual) {
	group, n, tile := field(plan, planGroups), field(plan, planNumGroups), field(plan, planTile)
	stride16, stride17 := GP64(), GP64()
	MOVQ(stride, stride16)
	SHLQ(U8(4), stride16)
	LEAQ(Mem{Base: stride16, Index: stride, Scale: 1}, stride17)
	Label("group")
	row := load32(at(group, 0))
	ADDQ(source, row)
	var lanes [8]reg.VecVirtual
	for i := range lanes { // rows 2i, 2i+1 in the lower lane, 2i+16, 2i+17 in the higher one
		low, y := YMM(), YMM()
		VPXOR(low, low, low)
		VPXOR(y, y, y)
		x := low.AsX()
		VMOVQ(at(row, 0), x)
		VPINSRQ(U8(1), Mem{Base: row, Index: stride, Scale: 1}, x, x)
		VMOVQ(Mem{Base: row, Index: stride16, Scale: 1}, y.AsX())
		VPINSRQ(U8(1), Mem{Base: row, Index: stride17, Scale: 1}, y.AsX(), y.AsX())
		z := YMM()
		VINSERTI128(U8(1), y.AsX(), low, z)
		LEAQ(Mem{Base: row, Index: stride, Scale: 2}, row)
		lanes[i] = z
	}
	lanes = mixed(lanes)
	for i, y := range lanes {
		VMOVDQU(y, at(tile, i*line/2))
	}
	ADDQ(U32(8*line/2), tile)
	ADDQ(U8(4), group)
	DECQ(n)
	JNZ(LabelRef("group"))
}

// mixed transposes the lanes. A lane holds 16 bytes; lane i has rows 2i and 2i+1 of 8 bytes each.
func mixed(lanes [8]reg.VecVirtual) [8]reg.VecVirtual {
	unpack := func(low bool, b, a reg.VecVirtual) reg.VecVirtual {
		y := YMM()
		if low {
			VPUNPCKLBW(b, a, y)
		} else {
			VPUNPCKHBW(b, a, y)
		}
		return y
	}
	for range 4 {
		var next [8]reg.VecVirtual
		for i := range 4 {
			next[2*i] = unpack(true, lanes[i+4], lanes[i])
			next[2*i+1] = unpack(false, lanes[i+4], lanes[i])
		}
		lanes = next
	}
	return lanes
}
