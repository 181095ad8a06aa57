package walk

import (
	"encoding/binary"
	"slices"

	"github.com/lambdamart/lambdamart/internal/binsum"
)

// step is a node of the tree, or a leaf, for rows that descend side by side. Its right child follows its left
// one, and a leaf is its own left child. It reads two bytes of a row, whatever the layout of its column, and
// numbers of bins are shifted to the bits that they have in these bytes.
type step struct {
	at        int32  // the lower byte
	left      int32  // number of the left child
	leaf      int32  // index of the leaf, if the step is one
	mask      uint16 // bits of the column
	bin       uint16 // the last bin that goes left
	exception uint16 // a bin that goes to the other side, or binsum.NoBin

	// In a tree that divides categories, the sides of the step's bins are in byteTree.sides from here on.
	sides int32
	shift uint8 // of bins
}

// setSteps sets the steps in breadth-first order, unless the tree divides both wide columns and categories:
// tables of the sides of all bins would be too large.
func (t *byteTree) setSteps(nodes []node) {
	t.steps, t.sides = t.steps[:0], t.sides[:0]
	wide := slices.ContainsFunc(nodes, func(n node) bool { return n.mask > 255 })
	if slices.ContainsFunc(nodes, func(n node) bool { return n.cut.Right != nil }) {
		if wide {
			return
		}
		t.sides = append(t.sides, 0) // the only side of a leaf
	}
	numbers := []int32{0}
	for i := 0; i < len(numbers); i++ {
		number := numbers[i]
		if number < 0 {
			t.steps = append(t.steps, step{left: int32(i), leaf: ^number, exception: binsum.NoBin})
			continue
		}
		s := t.stepOf(&nodes[number])
		s.left = int32(len(numbers))
		t.steps = append(t.steps, s)
		numbers = append(numbers, nodes[number].left, nodes[number].right)
	}
}

// stepOf returns the step of a node, without its left child.
func (t *byteTree) stepOf(n *node) step {
	s := step{at: n.at, shift: n.shift, exception: binsum.NoBin, sides: int32(len(t.sides))}
	if int(s.at) == t.stride-1 { // the row has no byte after this one
		s.at, s.shift = s.at-1, s.shift+8
	}
	s.mask, s.bin = n.mask<<s.shift, n.cut.Last<<s.shift
	if n.cut.Exception != binsum.NoBin {
		s.exception = uint16(n.cut.Exception) << s.shift
	}
	if len(t.sides) > 0 {
		for bin := range int(n.mask) + 1 {
			t.sides = append(t.sides, n.cut.Side(uint16(bin)))
		}
	}
	return s
}

// together is the number of rows that descend side by side: while one waits for its node or its bin, the
// others continue.
const together = 8

// leavesInGo is leaves without assembly.
func (t *byteTree) leavesInGo(dst []int32, rows []uint8) {
	row := 0
	for ; len(t.steps) > 0 && row+together <= len(dst); row += together {
		t.descend(dst[row:row+together], rows[row*t.stride:])
	}
	for ; row < len(dst); row++ {
		dst[row] = t.leaf(rows[row*t.stride:][:t.stride])
	}
}

// descend writes the leaves of some rows to dst. All take steps, without a branch, until none of them moves.
func (t *byteTree) descend(dst []int32, bytes []uint8) {
	var rows [together][]uint8
	var at [together]int32
	for i := range rows {
		rows[i] = bytes[i*t.stride:][:t.stride]
	}
	if len(t.sides) > 0 {
		descendBySides(t.steps, t.sides, &at, &rows)
	} else {
		descendByLast(t.steps, &at, &rows)
	}
	for i := range at {
		dst[i] = t.steps[at[i]].leaf
	}
}

// descendByLast moves rows down to their leaves by the last bins that go left.
func descendByLast(steps []step, at *[together]int32, rows *[together][]uint8) {
	for moved := int32(1); moved != 0; {
		moved = 0
		for i := range at {
			s := &steps[at[i]]
			next := s.left + s.right(rows[i])
			moved |= next ^ at[i]
			at[i] = next
		}
	}
}

// descendBySides moves rows down to their leaves by the sides of bins.
func descendBySides(steps []step, sides []uint8, at *[together]int32, rows *[together][]uint8) {
	for moved := int32(1); moved != 0; {
		moved = 0
		for i := range at {
			s := &steps[at[i]]
			next := s.left + s.side(rows[i], sides)
			moved |= next ^ at[i]
			at[i] = next
		}
	}
}

// right returns 1 if a row goes right, and 0 otherwise, in a tree without sides. The compiler would turn a
// comparison into a branch.
func (s *step) right(row []uint8) int32 {
	bin := int32(binary.LittleEndian.Uint16(row[s.at:]) & s.mask)
	above, excepted := uint32(int32(s.bin)-bin)>>31, uint32((bin^int32(s.exception))-1)>>31
	return int32(above ^ excepted)
}

// side returns 1 if a row goes right, and 0 otherwise, in a tree with sides.
func (s *step) side(row, sides []uint8) int32 {
	bin := binary.LittleEndian.Uint16(row[s.at:]) & s.mask >> (s.shift & 15)
	return int32(sides[s.sides+int32(bin)])
}
