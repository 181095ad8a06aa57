// Package walk sends rows of bins down a tree: many at a time, with neither branches nor pointers.
//
// A row is some bytes. Every internal node of the tree tests a column ([Node]), and a row ends in a leaf. On
// amd64, if each column is in one byte, all nodes are tested for all rows of a tile, 64 with AVX-512 and 32
// with AVX2:
//
//	rows    64 × stride bytes
//	tile    the same bytes, column by column, of the columns that the tree tests: 64 bytes each
//	masks   the rows that reach a node or a leaf, a bit for each
//
//	        masks[left]  = masks[node] & rows whose byte is at most the node's bin
//	        masks[right] = masks[node] & the others
//
// In the end the masks of the leaves show which leaf each row is in. A test is a few instructions for 64
// rows, so testing nodes that no row of the tile reaches costs less than a mispredicted branch. On other
// processors, and for the remaining rows, eight rows go down the tree side by side. If columns are wide or
// categorical, the leaf of a row is looked up in tables by the bins of its columns (lookup.go), unless the
// tree is very large. If the tree splits sparse columns, rows are first unpacked: the bins of its columns are
// copied to consecutive bytes.
package walk

import (
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/histogram"
)

//go:generate go run -C _generate . -out ../kernel_amd64.s -stubs ../kernel_amd64.go -pkg walk

// Node is an internal node of a tree, which divides rows by their bins in a column.
type Node struct {
	Column      int32
	Cut         binsum.Cut
	Left, Right int32 // a node after this one, or ^leaf
}

// Tree sends the rows of a matrix down a tree, whatever the layout of its columns. It reuses its memory from
// one tree to the next. The zero value has no nodes: all rows are in leaf 0.
type Tree struct {
	bytes  byteTree
	unpack *unpacker // of rows, if the tree splits sparse columns; otherwise nil
}

// Set makes t the tree of these nodes, whose root is the first one. Rows have the columns of m.
func (t *Tree) Set(m *histogram.Matrix, nodes []Node) {
	stride, fields := m.Stride, m.Fields
	if t.unpack = newUnpacker(m, nodes); t.unpack != nil {
		stride, fields = t.unpack.stride, t.unpack.fields
	}
	inBytes := make([]node, len(nodes))
	for i, n := range nodes {
		f := fields[n.Column]
		mask := uint16(f.Mask)
		if f.Wide {
			mask = 1<<16 - 1
		}
		inBytes[i] = node{f.At, n.Left, n.Right, f.Shift, mask, m.Bins(n.Column).NumBins(), n.Cut}
	}
	t.bytes.set(inBytes, stride)
}

// Memory is the memory that a goroutine needs to send rows down.
type Memory struct{ tile, masks, rows []uint8 }

// Leaves writes the leaves of len(dst) rows of m, from row first on, to dst. Any number of goroutines may
// call it, each with its own memory.
func (t *Tree) Leaves(dst []int32, m *histogram.Matrix, first int, memory *Memory) {
	switch {
	case len(t.bytes.nodes) == 0:
		clear(dst)
	case t.unpack != nil:
		for len(dst) > 0 {
			n := min(len(dst), unpackedRows)
			t.bytes.leaves(dst[:n], t.unpack.some(m, first, n, memory), memory)
			dst, first = dst[n:], first+n
		}
	default:
		t.bytes.leaves(dst, m.Raw().Bins[first*m.Stride:(first+len(dst))*m.Stride], memory)
	}
}

// byteTree sends rows of bytes down a tree.
type byteTree struct {
	nodes  []node
	stride int
	tests  []test // of the nodes, for many rows; none if the assembly cannot test some node
	groups []int32
	steps  []step  // the nodes and leaves, for few rows; none if there are wide columns and categories
	sides  []uint8 // of bins, step by step; empty if there are no categories
	lookup lookup  // tables of the columns, if some are wide or categorical
}

// node is a [Node] that tests some bits of a row.
type node struct {
	at          int32 // byte of the row; of two bytes if the column is wide, the lower one
	left, right int32
	shift       uint8 // bits below those of the column, 0 to 7
	mask        uint16
	bins        int // of the column
	cut         binsum.Cut
}

// isSpecial reports whether the node cannot be tested by the assembly, which compares single bytes.
func (n node) isSpecial() bool { return n.mask > 255 || n.cut.Right != nil }

// inPlace returns a bin in the bits that it has in the byte of a row. The other bits are 0.
func (n *node) inPlace(bin uint16) uint8 { return uint8(bin&n.mask) << (n.shift & 7) }

// side returns 1 if a row goes right, and 0 otherwise.
func (n *node) side(row []uint8) uint8 {
	bin := uint16(row[n.at])
	if n.mask > 255 {
		bin |= uint16(row[n.at+1]) << 8
	}
	return n.cut.Side(bin >> n.shift & n.mask)
}

// set makes t the tree of these nodes. Rows have stride bytes.
func (t *byteTree) set(nodes []node, stride int) {
	t.nodes, t.stride = nodes, stride
	t.setSteps(nodes)
	t.setTests(nodes)
	t.lookup.set(nodes)
}

// leaves writes the leaf of each row to dst. rows has stride bytes for each.
func (t *byteTree) leaves(dst []int32, rows []uint8, memory *Memory) {
	if t.lookup.words > 0 {
		t.lookup.leavesOf(dst, rows, t.stride)
		return
	}
	done := t.tiles(dst, rows, memory)
	t.leavesInGo(dst[done:], rows[done*t.stride:])
}

// leaf returns the leaf of a row. Tests compare the other implementations with it.
func (t *byteTree) leaf(row []uint8) int32 {
	at := int32(0)
	for at >= 0 {
		if n := &t.nodes[at]; n.side(row) == 1 {
			at = n.right
		} else {
			at = n.left
		}
	}
	return ^at
}
