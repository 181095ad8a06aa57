package walk

import (
	"unsafe"

	"github.com/lambdamart/lambdamart/internal/reuse"
)

// Node is an internal node of a tree. A row goes left if the bits of Mask in its byte At are at most Bin, and
// right otherwise. If these bits are Exception, it goes the other way.
type Node struct {
	At          int32 // byte of the row
	Left, Right int32 // a node after this one, or ^leaf
	Bin, Mask   uint8
	Exception   int16 // NoException: none
}

// NoException is a value that no byte has.
const NoException = -1

// Tree sends rows down a tree. It reuses its memory from one tree to the next. The zero value has no nodes:
// all rows are in leaf 0.
type Tree struct {
	stride int
	steps  []step // for few rows
	tests  []test // for many
	groups []int32
	plain  bool // no test has a mask or an exception
}

// Set makes t the tree of these nodes, whose root is the first one. Rows have stride bytes.
func (t *Tree) Set(nodes []Node, stride int) {
	t.stride = stride
	t.setSteps(nodes)
	t.setTests(nodes)
}

// Leaves writes the leaf of each row to dst. rows has stride bytes for each. Any number of goroutines may
// call it, each with its own memory.
func (t *Tree) Leaves(dst []int32, rows []uint8, memory *Memory) {
	done := t.tiles(dst, rows, memory)
	t.leavesInGo(dst[done:], rows[done*t.stride:])
}

// test is a [Node] in the layout for the assembly.
type test struct {
	column      uint32 // offset of the byte's column in the tile
	left, right uint32 // offsets of the masks of the children
	bin, mask   uint8
	exception   uint8
	excepts     uint8 // 255 if there is an exception, or 0
}

// setTests makes the tests. The tile has the columns that are tested, in groups of neighbors.
func (t *Tree) setTests(nodes []Node) {
	if t.groups = t.groups[:0]; lanes.rows == 0 {
		return
	}
	place := make([]int32, t.stride/lanes.columns+1) // of each group in the tile, from 1
	for i := range nodes {
		if g := nodes[i].At / int32(lanes.columns); place[g] == 0 {
			start := min(g*int32(lanes.columns), int32(max(0, t.stride-lanes.columns)))
			t.groups = append(t.groups, start)
			place[g] = int32(len(t.groups))
		}
	}
	t.tests, t.plain = reuse.Slice(t.tests, len(nodes)), true
	slot := func(child int32) uint32 {
		if child < 0 {
			child = int32(len(nodes)) + ^child
		}
		return uint32(int(child) * lanes.set)
	}
	for i, n := range nodes {
		group := place[n.At/int32(lanes.columns)] - 1
		column := int(group)*lanes.columns + int(n.At-t.groups[group])
		t.tests[i] = test{column: uint32(column * lanes.rows), left: slot(n.Left), right: slot(n.Right), bin: n.Bin,
			mask: n.Mask}
		if n.Exception >= 0 {
			t.tests[i].exception, t.tests[i].excepts = uint8(n.Exception), 255
		}
		t.plain = t.plain && n.Mask == 255 && n.Exception < 0
	}
}

// kind is a kind of assembly. The zero value is none.
type kind struct {
	rows, columns int // of a tile; columns that are transposed at a time
	set           int // bytes of a set of rows
	leaves        func(p *plan, plain bool)
}

// Memory is the memory that a goroutine needs to send rows down.
type Memory struct{ tile, masks []uint8 }

// plan has the arguments of the assembly. _generate has the same layout.
type plan struct {
	rows                *uint8
	stride, tiles       int
	groups              *int32
	numGroups           int
	tests               *test
	numTests            int
	leaves, afterLeaves uintptr // masks of the leaves
	tile, masks         *uint8
	leafOf              *int32
}

// tiles writes the leaves of the rows that form whole tiles, and returns their number.
func (t *Tree) tiles(dst []int32, rows []uint8, memory *Memory) int {
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
	lanes.leaves(&plan{rows: &rows[0], stride: t.stride, tiles: n, groups: &t.groups[0],
		numGroups: len(t.groups),
		tests:     &t.tests[0], numTests: len(t.tests), leaves: leaves,
		afterLeaves: leaves + uintptr((len(t.tests)+1)*lanes.set), tile: tile, masks: masks, leafOf: &dst[0]},
		t.plain)
	return n * lanes.rows
}

// lastByte returns the end of the bytes that are read for a row, which is beyond the row if it has fewer
// columns than a group.
func (t *Tree) lastByte(row int) int { return row*t.stride + max(t.stride, lanes.columns) }

// aligned returns n bytes that begin at a cache line.
func aligned(memory *[]uint8, n int) *uint8 {
	const line = 64
	*memory = reuse.Slice(*memory, n+line)
	start := &(*memory)[0]
	return (*uint8)(unsafe.Add(unsafe.Pointer(start), -uintptr(unsafe.Pointer(start))%line))
}
