package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	exitsOfCluster = 16      // offset of the exits of a cluster
	leafDistance   = 1 << 20 // of a leaf from the root of its tree
	above          = U8(6)   // a comparison of unsigned numbers
	below          = U8(1)
)

// stepClusters takes eight walks at a time. The nodes of their clusters are compared with one instruction,
// whose result has a byte for each walk. A table has the exit for each byte.
func stepClusters() {
	TEXT("stepClusters", NOSPLIT, "func(clusters *uint8, row *uint8, at, root, tree, ends *uint32, n int)")
	Doc("stepClusters takes n ≥ 1 groups of eight walks to the exits of their clusters.")
	Pragma("noescape")
	clusters, row := argument("clusters"), argument("row")
	lanes := [3]reg.GPVirtual{argument("at"), argument("root"), argument("tree")}
	ends, left := argument("ends"), argument("n")
	var bytes [4]reg.VecVirtual
	for i := range bytes {
		bytes[i] = ZMM()
		VMOVDQU64(Mem{Base: row, Disp: 64 * i}, bytes[i])
	}
	exits := GP64()
	LEAQ(exitTable(), exits)
	quarters := quarterMasks()
	Label("walks")
	nodes, indexes := loadClusters(clusters, lanes[0], quarters)
	right := compareNodes(bytes, nodes, indexes)
	for i := range 8 {
		takeExit(clusters, exits, right, lanes, ends, i)
	}
	for _, lane := range lanes {
		ADDQ(U8(32), lane)
	}
	DECQ(left)
	JNZ(LabelRef("walks"))
	VZEROUPPER()
	RET()
}

// quarterMasks returns masks of the second to fourth quarter of a vector's quadwords.
func quarterMasks() (masks [3]reg.OpmaskVirtual) {
	mask := GP32()
	for i := range masks {
		masks[i] = K()
		MOVL(U32(0b11<<(2*i+2)), mask)
		KMOVW(mask, masks[i])
	}
	return masks
}

// loadClusters returns the bytes and the indexes of the nodes of eight clusters, one after the other.
func loadClusters(clusters, at reg.GPVirtual, quarters [3]reg.OpmaskVirtual) (nodes, indexes reg.VecVirtual) {
	var halves [2]reg.VecVirtual // clusters 0, 2, 4 and 6, and the others
	place := GP64()
	for i := range halves {
		halves[i] = ZMM()
		MOVL(Mem{Base: at, Disp: 4 * i}, place.As32())
		VMOVDQU(Mem{Base: clusters, Index: place, Scale: 1}, halves[i].AsX())
		for j, quarter := range quarters {
			MOVL(Mem{Base: at, Disp: 4 * (i + 2*j + 2)}, place.As32())
			VBROADCASTI64X2(Mem{Base: clusters, Index: place, Scale: 1}, quarter, halves[i])
		}
	}
	nodes, indexes = ZMM(), ZMM()
	VPUNPCKLQDQ(halves[1], halves[0], nodes)
	VPUNPCKHQDQ(halves[1], halves[0], indexes)
	return nodes, indexes
}

// compareNodes returns a bit for each node, set if the row goes right.
func compareNodes(bytes [4]reg.VecVirtual, nodes, indexes reg.VecVirtual) reg.GPVirtual {
	low, high, upper, bits := ZMM(), ZMM(), K(), K()
	VPMOVB2M(nodes, upper)
	VMOVDQA64(nodes, low)
	VMOVDQA64(nodes, high)
	VPERMI2B(bytes[1], bytes[0], low)
	VPERMI2B(bytes[3], bytes[2], high)
	VMOVDQU8(high, upper, low)
	VPCMPUB(above, indexes, low, bits)
	right := GP64()
	KMOVQ(bits, right)
	return right
}

// takeExit writes where walk i of a group goes. The lowest byte of right belongs to it, and is shifted out.
func takeExit(clusters, exits, right reg.GPVirtual, lanes [3]reg.GPVirtual, ends reg.GPVirtual, i int) {
	place, exit, tree := GP64(), GP64(), GP64()
	MOVL(Mem{Base: lanes[0], Disp: 4 * i}, place.As32())
	ADDQ(clusters, place)
	MOVBLZX(right.As8(), exit.As32())
	if i < 7 {
		SHRQ(U8(8), right)
	}
	MOVBLZX(Mem{Base: exits, Index: exit, Scale: 1}, exit.As32())
	MOVWLZX(Mem{Base: place, Index: exit, Scale: 2, Disp: exitsOfCluster}, exit.As32())
	SHLL(U8(5), exit.As32())
	ADDL(Mem{Base: lanes[1], Disp: 4 * i}, exit.As32())
	MOVL(exit.As32(), Mem{Base: lanes[0], Disp: 4 * i})
	MOVL(Mem{Base: lanes[2], Disp: 4 * i}, tree.As32())
	MOVL(exit.As32(), Mem{Base: ends, Index: tree, Scale: 4})
}

// exitTable returns memory with the exit for each value of the bits of a cluster's nodes.
func exitTable() Mem {
	var words [16]uint64
	for bits := range 128 {
		node := 0
		for range 3 {
			node = 2*node + 1 + bits>>node&1
		}
		words[bits/8] |= uint64(node-7) << (bits % 8 * 8)
	}
	return table("exits", words[:]...)
}

// keepOpen compresses 16 walks at a time.
func keepOpen() {
	TEXT("keepOpen", NOSPLIT, "func(at, root, tree *uint32, n int) int")
	Doc("keepOpen moves those of n walks to the front that have not ended, and returns their number.",
		"It reads up to 15 walks after the last one.")
	Pragma("noescape")
	arrays := [3]reg.GPVirtual{argument("at"), argument("root"), argument("tree")}
	n := argument("n")
	number, step, end, distance := ZMM(), ZMM(), ZMM(), ZMM()
	numbers := table("numbers", 0|1<<32, 2|3<<32, 4|5<<32, 6|7<<32, 8|9<<32, 10|11<<32, 12|13<<32, 14|15<<32)
	VMOVDQU64(numbers, number)
	broadcast(step, func(r reg.GPVirtual) { MOVL(U32(16), r.As32()) })
	broadcast(distance, func(r reg.GPVirtual) { MOVL(U32(leafDistance), r.As32()) })
	broadcast(end, func(r reg.GPVirtual) { MOVL(n.As32(), r.As32()) })
	from, kept, count := GP64(), GP64(), GP64()
	XORQ(from, from)
	XORQ(kept, kept)
	Label("lanes")
	var values [3]reg.VecVirtual
	for i, array := range arrays {
		values[i] = ZMM()
		VMOVDQU32(Mem{Base: array, Index: from, Scale: 4}, values[i])
	}
	gone, exists, open := ZMM(), K(), K()
	VPCMPUD(below, end, number, exists)
	VPADDD(step, number, number)
	VPSUBD(values[1], values[0], gone)
	VPCMPUD(below, distance, gone, exists, open)
	for i, array := range arrays {
		VPCOMPRESSD_Z(values[i], open, values[i])
		VMOVDQU32(values[i], Mem{Base: array, Index: kept, Scale: 4})
	}
	KMOVW(open, count.As32())
	POPCNTL(count.As32(), count.As32())
	ADDQ(count, kept)
	ADDQ(U8(16), from)
	CMPQ(from, n)
	JLT(LabelRef("lanes"))
	Store(kept, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// broadcast fills a vector with a number that load puts into a register.
func broadcast(to reg.VecVirtual, load func(reg.GPVirtual)) {
	r := GP64()
	load(r)
	VPBROADCASTD(r.As32(), to)
}
