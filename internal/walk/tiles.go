package walk

import (
	"slices"
	"unsafe"

	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// test is a [node] in the layout for the assembly.
type test struct {
	column      uint32 // offset of the byte's column in the tile
	left, right uint32 // offsets of the masks of the children
	bin, mask   uint8
	exception   uint8
	excepts     uint8 // 255 if there is an exception, or 0
}

// setTests makes the tests, unless a node cannot be tested by the assembly. The tile has the bytes that are
// tested, in groups of neighbors.
func (t *byteTree) setTests(nodes []node) {
	t.groups, t.tests = t.groups[:0], t.tests[:0]
	if lanes.rows == 0 || slices.ContainsFunc(nodes, node.isSpecial) {
		return
	}
	place := make([]int32, t.stride/lanes.columns+1) // of each group in the tile, from 1
	for i := range nodes {
		if g := nodes[i].at / int32(lanes.columns); place[g] == 0 {
			start := min(g*int32(lanes.columns), int32(max(0, t.stride-lanes.columns)))
			t.groups = append(t.groups, start)
			place[g] = int32(len(t.groups))
		}
	}
	t.tests = reuse.Slice(t.tests, len(nodes))
	slot := func(child int32) uint32 {
		if child < 0 {
			child = int32(len(nodes)) + ^child
		}
		return uint32(int(child) * lanes.set)
	}
	for i, n := range nodes {
		group := place[n.at/int32(lanes.columns)] - 1
		column := int(group)*lanes.columns + int(n.at-t.groups[group])
		t.tests[i] = test{column: uint32(column * lanes.rows), left: slot(n.left), right: slot(n.right),
			bin: n.inPlace(n.cut.Last), mask: n.inPlace(n.mask)}
		if n.cut.Exception != binsum.NoBin {
			t.tests[i].exception, t.tests[i].excepts = n.inPlace(uint16(n.cut.Exception)), 255
		}
	}
}

// kind is a kind of assembly. The zero value is none.
type kind struct {
	rows, columns int // of a tile; columns that are transposed at a time
	set           int // bytes of a set of rows
	leaves        func(p *plan)
}

// plan is the arguments of the assembly. _generate has the same layout. The assembly advances leafOf beyond
// the last row at the end, where no pointer may point: the garbage collector, which may see the plan
// meanwhile, would end the program.
type plan struct {
	rows                *uint8
	stride, tiles       int
	groups              *int32
	numGroups           int
	tests               *test
	numTests            int
	leaves, afterLeaves uintptr // masks of the leaves
	tile, masks         *uint8
	leafOf              uintptr
	first               *int32 // where leafOf begins; keeps its memory
}

// tiles writes the leaves of the rows that form whole tiles, and returns their number.
func (t *byteTree) tiles(dst []int32, rows []uint8, memory *Memory) int {
	if lanes.rows == 0 || len(t.tests) == 0 {
		return 0
	}
	n := len(dst) / lanes.rows
	for n > 0 && t.lastByte(n*lanes.rows-1) > len(rows) {
		n--
	}
	if n == 0 {
		return 0
	}
	tile := aligned(&memory.tile, len(t.groups)*lanes.columns*lanes.rows)
	masks := aligned(&memory.masks, (2*len(t.tests)+1)*lanes.set)
	leaves := uintptr(unsafe.Pointer(masks)) + uintptr(len(t.tests)*lanes.set)
	lanes.leaves(&plan{rows: &rows[0], stride: t.stride, tiles: n,
		groups: &t.groups[0], numGroups: len(t.groups), tests: &t.tests[0], numTests: len(t.tests),
		leaves: leaves, afterLeaves: leaves + uintptr((len(t.tests)+1)*lanes.set), tile: tile, masks: masks,
		leafOf: uintptr(unsafe.Pointer(&dst[0])), first: &dst[0]})
	return n * lanes.rows
}

// lastByte returns the end of the bytes that are read for a row, which is beyond the row if it has fewer
// columns than a group.
func (t *byteTree) lastByte(row int) int { return row*t.stride + max(t.stride, lanes.columns) }

// aligned returns n bytes that begin at a cache line.
func aligned(memory *[]uint8, n int) *uint8 {
	const line = 64
	*memory = reuse.Slice(*memory, n+line)
	start := &(*memory)[0]
	return (*uint8)(unsafe.Add(unsafe.Pointer(start), -uintptr(unsafe.Pointer(start))%line))
}
