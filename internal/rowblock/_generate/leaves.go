package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// wide is the number of bytes of a map of 256 rows.
const wide = 32

// leaves256 sends 256 rows down a tree and writes the Gray code of each row's slot. A map fills a vector.
func leaves256() {
	TEXT("leaves256", NOSPLIT, "func(codes, slots, maps *uint64, nodes *uint32, n int)")
	Doc("leaves256 sends 256 rows down the n nodes of a tree and writes the codes of their slots.")
	Pragma("noescape")
	planes := AllocLocal(8 * wide)
	codes, slots, maps := argument("codes"), argument("slots"), argument("maps")
	nodes, left := argument("nodes"), argument("n")
	end := splitRows(slots, maps, nodes, left)
	p0, p1, p2 := encodeSlots(planes, slots, end)
	transposePlanes(codes, planes, p0, p1, p2)
	VZEROUPPER()
	RET()
}

// splitRows splits a slot by each node, and writes eight empty slots after the last one. It returns the place
// after the last slot.
func splitRows(slots, maps, nodes, left reg.GPVirtual) reg.GPVirtual {
	end, node, slot := GP64(), GP64(), GP64()
	rows, right := YMM(), YMM()
	VPCMPEQD(rows, rows, rows)
	VMOVDQU(rows, at(slots, 0))
	LEAQ(at(slots, wide), end)
	TESTQ(left, left)
	JZ(LabelRef("split"))
	Label("node")
	MOVL(at(nodes, 0), node.As32())
	MOVBQZX(node.As8(), slot)
	SHLQ(U8(5), slot)
	SHRQ(U8(8), node)
	SHLQ(U8(5), node)
	VMOVDQU(Mem{Base: slots, Index: slot, Scale: 1}, rows)
	VPAND(Mem{Base: maps, Index: node, Scale: 1}, rows, right)
	VPXOR(right, rows, rows)
	VMOVDQU(rows, Mem{Base: slots, Index: slot, Scale: 1})
	VMOVDQU(right, at(end, 0))
	ADDQ(U8(4), nodes)
	ADDQ(U8(wide), end)
	DECQ(left)
	JNZ(LabelRef("node"))
	Label("split")
	VPXOR(right, right, right)
	for i := range 7 {
		VMOVDQU(right, at(end, wide*i))
	}
	return end
}

// encodeSlots goes through the slots in groups of eight, from the last to the first. Within a group, the bits
// in which the codes of neighbors differ are always the same, except for the first slot of the group.
func encodeSlots(planes Mem, slots, end reg.GPVirtual) (p0, p1, p2 reg.VecVirtual) {
	var p [3]reg.VecVirtual
	for i := range p {
		p[i] = YMM()
		VPXOR(p[i], p[i], p[i])
	}
	above, group, bit, x := YMM(), GP64(), GP64(), YMM()
	VPXOR(above, above, above)
	for i := range 8 {
		VMOVDQU(above, planes.Offset(wide*i))
	}
	SUBQ(slots, end)
	ADDQ(U8(7*wide), end)
	SHRQ(U8(8), end) // groups of slots
	MOVQ(end, group)
	SHLQ(U8(8), end)
	ADDQ(end, slots)
	base := GP64()
	LEAQ(planes, base)
	Label("group")
	SUBQ(U32(8*wide), slots)
	DECQ(group)
	for i := 7; i > 0; i-- {
		VPXOR(at(slots, wide*i), above, above)
		plane := p[[]int{0, 0, 1, 0, 2, 0, 1, 0}[i]]
		VPXOR(above, plane, plane)
	}
	VPXOR(at(slots, 0), above, above)
	TESTQ(group, group)
	JZ(LabelRef("encoded"))
	BSFQ(group, bit)
	SHLQ(U8(5), bit)
	VPXOR(Mem{Base: base, Index: bit, Scale: 1, Disp: 3 * wide}, above, x)
	VMOVDQU(x, Mem{Base: base, Index: bit, Scale: 1, Disp: 3 * wide})
	JMP(LabelRef("group"))
	Label("encoded")
	return p[0], p[1], p[2]
}

// transposePlanes turns planes into bytes: bits of 4, 2 and 1 are exchanged in all bytes together.
func transposePlanes(codes reg.GPVirtual, planes Mem, p0, p1, p2 reg.VecVirtual) {
	a := []reg.VecVirtual{p0, p1, p2, YMM(), YMM(), YMM(), YMM(), YMM()}
	for i := 3; i < 8; i++ {
		VMOVDQU(planes.Offset(wide*i), a[i])
	}
	t := YMM()
	for _, round := range []struct {
		shift uint8
		mask  uint64
	}{{4, 0x0f0f0f0f0f0f0f0f}, {2, 0x3333333333333333}, {1, 0x5555555555555555}} {
		mask := table("low"+string('0'+rune(round.shift)), round.mask, round.mask, round.mask, round.mask)
		for i := range a {
			if i&int(round.shift) != 0 {
				continue
			}
			low, high := a[i], a[i+int(round.shift)]
			VPSRLQ(U8(round.shift), low, t)
			VPXOR(high, t, t)
			VPAND(mask, t, t)
			VPXOR(t, high, high)
			VPSLLQ(U8(round.shift), t, t)
			VPXOR(t, low, low)
		}
	}
	for i, x := range a {
		VMOVDQU(x, at(codes, wide*i))
	}
}
