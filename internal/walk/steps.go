package walk

// step is a node of the tree, or a leaf, for rows that descend side by side. Its right child follows its left
// one, and a leaf is its own left child.
type step struct {
	at        int32 // byte of the row
	left      int32 // number of the left child
	leaf      int32 // index of the leaf, if the step is one
	bin, mask uint8
	exception uint16 // 256 means none
}

// none is a value that no byte has.
const none = 1 << 8

// setSteps sets the steps in breadth-first order.
func (t *Tree) setSteps(nodes []Node) {
	t.steps = t.steps[:0]
	numbers := []int32{0}
	if len(nodes) == 0 {
		numbers[0] = ^0
	}
	for i := 0; i < len(numbers); i++ {
		number := numbers[i]
		if number < 0 {
			t.steps = append(t.steps, step{left: int32(i), leaf: ^number, bin: 255, exception: none})
			continue
		}
		n := &nodes[number]
		s := step{at: n.At, left: int32(len(numbers)), bin: n.Bin, mask: n.Mask, exception: none}
		if n.Exception >= 0 {
			s.exception = uint16(n.Exception)
		}
		t.steps = append(t.steps, s)
		numbers = append(numbers, n.Left, n.Right)
	}
}

// together is the number of rows that descend side by side: while one waits for its node or its bin, the
// others continue.
const together = 8

// leavesInGo is Leaves without assembly.
func (t *Tree) leavesInGo(dst []int32, rows []uint8) {
	row := 0
	for ; row+together <= len(dst); row += together {
		t.descend(dst[row:row+together], rows[row*t.stride:])
	}
	for ; row < len(dst); row++ {
		dst[row] = t.leaf(rows[row*t.stride:][:t.stride])
	}
}

// descend writes the leaves of some rows to dst. All take steps, without a branch, until none of them moves.
func (t *Tree) descend(dst []int32, bytes []uint8) {
	var rows [together][]uint8
	var at [together]int32
	for i := range rows {
		rows[i] = bytes[i*t.stride:][:t.stride]
	}
	for moved := int32(1); moved != 0; {
		moved = 0
		for i := range at {
			s := &t.steps[at[i]]
			next := s.left + s.right(rows[i])
			moved |= next ^ at[i]
			at[i] = next
		}
	}
	for i := range at {
		dst[i] = t.steps[at[i]].leaf
	}
}

// right returns 1 if a row goes right, and 0 otherwise. The compiler would turn a comparison into a branch.
func (s *step) right(row []uint8) int32 {
	bin := int32(row[s.at] & s.mask)
	above, excepted := uint32(int32(s.bin)-bin)>>31, uint32((bin^int32(s.exception))-1)>>31
	return int32(above ^ excepted)
}

// leaf returns the leaf of a row. Tests compare the other implementations with it.
func (t *Tree) leaf(row []uint8) int32 {
	at := int32(0)
	for t.steps[at].left != at {
		at = t.steps[at].left + t.steps[at].right(row)
	}
	return t.steps[at].leaf
}
