package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const less = U8(1) // a predicate of VPCMPUB

// avx512 has tiles of 64 rows. A set of rows is a word.
func avx512() {
	const rows, set = 64, 8
	plan := begin("leavesAVX512")
	source, stride := field(plan, planRows), field(plan, planStride)

	Label("tile")
	transpose512(plan, source, stride)
	IMUL3Q(U8(rows), stride, stride)
	ADDQ(stride, source) // the rows of the next tile
	SHRQ(U8(6), stride)

	masks, tile := field(plan, planMasks), field(plan, planTile)
	here := GP64()
	MOVQ(masks, here)
	MOVQ(I32(-1), at(masks, 0))
	test, n, next := field(plan, planTests), field(plan, planNumTests), GP64()
	MOVQ(source, next)
	Label("test")
	PREFETCHT0(at(next, 0))
	ADDQ(U8(line), next)
	bin, right, left := ZMM(), GP64(), GP64()
	goes := K()
	VPBROADCASTB(at(test, testBin), bin)
	column := Mem{Base: tile, Index: load32(at(test, testColumn)), Scale: 1}
	bytes, bits, excepted := ZMM(), ZMM(), K()
	VPBROADCASTB(at(test, testMask), bits)
	VPANDD(column, bits, bytes)
	VPCMPUB(less, bytes, bin, goes)
	exception, excepts := ZMM(), ZMM()
	VPBROADCASTB(at(test, testException), exception)
	VPBROADCASTB(at(test, testExcepts), excepts)
	VPXORD(bytes, exception, bytes)
	VPTESTNMB(bytes, bytes, excepted)
	applies := K()
	VPMOVB2M(excepts, applies)
	KANDQ(excepted, applies, excepted)
	KXORQ(excepted, goes, goes)
	KMOVQ(goes, right)
	MOVQ(at(here, 0), left)
	ANDQ(left, right)
	XORQ(right, left)
	MOVQ(left, Mem{Base: masks, Index: load32(at(test, testLeft)), Scale: 1})
	MOVQ(right, Mem{Base: masks, Index: load32(at(test, testRight)), Scale: 1})
	ADDQ(U8(set), here)
	ADDQ(U8(testSize), test)
	DECQ(n)
	JNZ(LabelRef("test"))

	number, one, low, high := ZMM(), ZMM(), ZMM(), ZMM()
	highByte := ZMM()
	VPXORD(low, low, low)
	VPXORD(high, high, high)
	VPXORD(number, number, number)
	VPXORD(highByte, highByte, highByte)
	ones := GP32()
	MOVL(U32(1), ones)
	VPBROADCASTB(ones, one)
	leaf, end := field(plan, planLeaves), field(plan, planNumLeaves)
	Label("page") // of 256 leaves, whose numbers have the same high byte
	inPage, stop := GP64(), GP64()
	XORQ(inPage, inPage)
	LEAQ(at(leaf, 256*set), stop)
	CMPQ(stop, end)
	CMOVQHI(end, stop)
	Label("leaf")
	ORQ(at(leaf, 0), inPage)
	mask := K()
	KMOVQ(at(leaf, 0), mask)
	VMOVDQU8(number, mask, low)
	VPADDB(one, number, number)
	ADDQ(U8(set), leaf)
	CMPQ(leaf, stop)
	JB(LabelRef("leaf"))
	KMOVQ(inPage, mask)
	VMOVDQU8(highByte, mask, high)
	VPADDB(one, highByte, highByte)
	CMPQ(leaf, end)
	JB(LabelRef("page"))

	leafOf := field(plan, planLeafOf)
	for part := range 4 {
		l, h := ZMM(), ZMM()
		x, y := XMM(), XMM()
		VEXTRACTI32X4(U8(part), low, x)
		VEXTRACTI32X4(U8(part), high, y)
		VPMOVZXBD(x, l)
		VPMOVZXBD(y, h)
		VPSLLD(U8(8), h, h)
		VPORD(l, h, l)
		VMOVDQU32(l, at(leafOf, part*line))
	}
	ADDQ(U32(4*rows), leafOf)
	MOVQ(leafOf, at(plan, planLeafOf))
	DECQ(at(plan, planTiles))
	JNZ(LabelRef("tile"))
	VZEROUPPER()
	RET()
}

// transpose512 writes the bytes of 64 rows to the tile, column by column, 16 columns at a time. A lane of 16
// bytes first has 16 columns of one row, and in the end 16 rows of one column.
func transpose512(plan, source, stride reg.GPVirtual) {
	group, n, tile := field(plan, planGroups), field(plan, planNumGroups), field(plan, planTile)
	stride16, stride48 := GP64(), GP64()
	MOVQ(stride, stride16)
	SHLQ(U8(4), stride16)
	LEAQ(Mem{Base: stride16, Index: stride16, Scale: 2}, stride48)
	Label("group")
	row := load32(at(group, 0))
	ADDQ(source, row)
	var lanes [16]reg.VecVirtual
	for i := range lanes {
		z := ZMM()
		VBROADCASTI32X4(at(row, 0), z)
		VINSERTI32X4(U8(1), Mem{Base: row, Index: stride16, Scale: 1}, z, z)
		VINSERTI32X4(U8(2), Mem{Base: row, Index: stride16, Scale: 2}, z, z)
		VINSERTI32X4(U8(3), Mem{Base: row, Index: stride48, Scale: 1}, z, z)
		ADDQ(stride, row)
		lanes[i] = z
	}
	for range 4 {
		var mixed [16]reg.VecVirtual
		for i := range 8 {
			mixed[2*i], mixed[2*i+1] = ZMM(), ZMM()
			VPUNPCKLBW(lanes[i+8], lanes[i], mixed[2*i])
			VPUNPCKHBW(lanes[i+8], lanes[i], mixed[2*i+1])
		}
		lanes = mixed
	}
	for i, z := range lanes {
		VMOVDQU64(z, at(tile, i*line))
	}
	ADDQ(U32(16*line), tile)
	ADDQ(U8(4), group)
	DECQ(n)
	JNZ(LabelRef("group"))
}
