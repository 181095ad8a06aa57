package tree

import "math/bits"

// blockRows is the number of rows that are scored together, one bit each.
const blockRows = 128

// bitMap has one bit for each row of a block: row i is bit i%64 of word i/64.
type bitMap [blockRows / 64]uint64

// bitSliced scores blocks of rows without branches, at a cost that does not
// depend on the depth of the trees.
//
// For each condition of the model, that is each distinct node, a map of a block
// tells which rows go right. A tree keeps a map for each leaf of the rows that
// reach it, in slots. All rows begin in slot 0. A node splits the rows of a slot:
// those that go left stay, and the others move to the next free slot. After the
// last node each row is in one slot.
//
// The number of that slot is found for all rows at once, bit plane by bit plane.
// Slot j is given the code j^(j>>1) (Gray's), so that neighbours differ in one
// bit, that of the trailing zeros of the larger number. With S(j) the union of
// slots j and above, plane b is the exclusive or of all S(j) with b trailing
// zeros in j: as one goes up from slot to slot, each turns its bit over. The
// planes are transposed to one byte a row, and the byte looks up the leaf value.
type bitSliced struct {
	nodes []sliceNode // of all trees, one after the other
	trees []sliceTree
}

// sliceNode splits the rows of a slot by a condition.
type sliceNode struct {
	condition uint16
	slot      uint8
}

type sliceTree struct {
	firstNode, nodes int32
	values           [maxSlots]float64 // leaf values by Gray code
}

const (
	maxSlots      = 256     // leaves of a tree: codes are bytes
	maxConditions = 1 << 16 // of a model: nodes hold uint16
)

// newBitSliced returns nil if the trees do not fit.
func newBitSliced(trees []Tree, q *quantizer, columnOf map[columnKey]int) *bitSliced {
	if q.conditions > maxConditions {
		return nil
	}
	s := &bitSliced{trees: make([]sliceTree, len(trees))}
	for i := range trees {
		t := &trees[i]
		if t.NumLeaves() > maxSlots || t.Linear != nil {
			return nil
		}
		st := &s.trees[i]
		st.firstNode, st.nodes = int32(len(s.nodes)), int32(t.NumNodes())
		nodes, leafOf := slotOrder(t)
		for _, n := range nodes {
			c := &q.columns[columnOf[keyOf(t, n.node)]]
			condition := c.firstCondition + c.index(t.Threshold[n.node])
			s.nodes = append(s.nodes, sliceNode{uint16(condition), uint8(n.slot)})
		}
		for slot, leaf := range leafOf {
			st.values[slot^slot>>1] = t.LeafValue[leaf]
		}
	}
	return s
}

type slottedNode struct{ node, slot int }

// slotOrder returns the nodes of a tree, each after its parent, with the slots
// that they split, and the leaf that each slot ends as. Nodes come level by
// level, so that neighbours do not wait for each other's results.
func slotOrder(t *Tree) (nodes []slottedNode, leafOf []int) {
	leafOf = make([]int, t.NumLeaves())
	if t.NumNodes() == 0 {
		return nil, leafOf
	}
	place := func(child int32, slot int) {
		if child < 0 {
			leafOf[slot] = int(^child)
		} else {
			nodes = append(nodes, slottedNode{int(child), slot})
		}
	}
	place(0, 0)
	for i := 0; i < len(nodes); i++ {
		n := nodes[i]
		place(t.Left[n.node], n.slot)
		place(t.Right[n.node], i+1)
	}
	return nodes, leafOf
}

// blockScratch is the memory that scoring a block needs.
type blockScratch struct {
	ranks [blockRows]uint16
	maps  []bitMap              // of each condition
	cells []bitMap              // of each rank of a column; zero between columns
	slots [maxSlots + 8]bitMap  // of each leaf of a tree
	codes [blockRows / 8]uint64 // one byte a row: see transpose
}

func (s *bitSliced) newScratch(q *quantizer) *blockScratch {
	most := 0
	for i := range q.columns {
		most = max(most, q.columns[i].conditions())
	}
	return &blockScratch{maps: make([]bitMap, q.conditions), cells: make([]bitMap, most+1)}
}

// scoreBlock writes the scores of len(dst) <= blockRows rows.
func scoreBlock[F number](s *bitSliced, q *quantizer, b *blockScratch, dst []float64, rows []F, stride int) {
	for i := range q.columns {
		c := &q.columns[i]
		ranks(c, b.ranks[:len(dst)], rows, stride)
		b.mapColumn(c, len(dst))
	}
	var sums [blockRows]float64
	for i := range s.trees {
		t := &s.trees[i]
		b.split(s.nodes[t.firstNode : t.firstNode+t.nodes])
		b.encode(int(t.nodes) + 1)
		b.add(&sums, &t.values)
	}
	copy(dst, sums[:])
}

// mapColumn makes the maps of a column's conditions out of the ranks of n rows:
// a bit for each row at its rank, and each condition the union of all ranks
// above its index.
func (b *blockScratch) mapColumn(c *column, n int) {
	for i, rank := range b.ranks[:n] {
		b.cells[rank][i/64&1] |= 1 << (i % 64)
	}
	k := c.conditions()
	maps, cells := b.maps[c.firstCondition:c.firstCondition+k], b.cells[:k+1]
	var right bitMap
	for i := k - 1; i >= 0; i-- {
		right[0] |= cells[i+1][0]
		right[1] |= cells[i+1][1]
		cells[i+1] = bitMap{}
		maps[i] = right
	}
	cells[0] = bitMap{}
}

// split sends all rows down a tree: afterwards each row is in the slot of its
// leaf.
func (b *blockScratch) split(nodes []sliceNode) {
	slots := &b.slots
	maps := b.maps
	slots[0] = bitMap{^uint64(0), ^uint64(0)}
	for i, n := range nodes {
		m := &maps[n.condition]
		slot := &slots[n.slot]
		reach0, reach1 := slot[0], slot[1]
		right0, right1 := reach0&m[0], reach1&m[1]
		slot[0], slot[1] = reach0^right0, reach1^right1
		next := &slots[uint8(i+1)]
		next[0], next[1] = right0, right1
	}
}

// encode writes the Gray code of each row's slot, one of the first n.
func (b *blockScratch) encode(n int) {
	end := (n + 7) &^ 7
	clear(b.slots[n:end])
	for word := range blockRows / 64 {
		var planes [8]uint64
		var above, p0, p1, p2 uint64
		for j := end - 8; j >= 0; j -= 8 {
			s := (*[8]bitMap)(b.slots[j : j+8])
			above ^= s[7][word]
			p0 ^= above
			above ^= s[6][word]
			p1 ^= above
			above ^= s[5][word]
			p0 ^= above
			above ^= s[4][word]
			p2 ^= above
			above ^= s[3][word]
			p0 ^= above
			above ^= s[2][word]
			p1 ^= above
			above ^= s[1][word]
			p0 ^= above
			above ^= s[0][word]
			planes[bits.TrailingZeros8(uint8(j))&7] ^= above
		}
		planes[0], planes[1], planes[2] = p0, p1, p2
		transpose((*[8]uint64)(b.codes[8*word:]), &planes)
	}
}

// transpose turns 8 planes of 64 bits to 64 bytes: bit b of byte g of dst[i] is
// bit 8*g+i of planes[b]. Three rounds swap blocks of 4, 2 and 1 bits (Warren,
// Hacker's Delight, 7-3), in all bytes at once.
func transpose(dst, planes *[8]uint64) {
	p := *planes
	for i := range 4 {
		p[i], p[i+4] = swap(p[i], p[i+4], 4, 0x0f0f0f0f0f0f0f0f)
	}
	for _, i := range [4]int{0, 1, 4, 5} {
		p[i], p[i+2] = swap(p[i], p[i+2], 2, 0x3333333333333333)
	}
	for i := 0; i < 8; i += 2 {
		p[i], p[i+1] = swap(p[i], p[i+1], 1, 0x5555555555555555)
	}
	*dst = p
}

// swap exchanges the high bits of low's groups with the low bits of high's.
func swap(low, high uint64, shift uint, mask uint64) (uint64, uint64) {
	t := (low>>shift ^ high) & mask
	return low ^ t<<shift, high ^ t
}

// add adds to each row's sum the value of its code.
func (b *blockScratch) add(sums *[blockRows]float64, values *[maxSlots]float64) {
	for word := range blockRows / 64 {
		s := (*[64]float64)(sums[64*word:])
		for i := range 8 {
			codes := b.codes[8*word+i]
			s[i] += values[uint8(codes)]
			s[i+8] += values[uint8(codes>>8)]
			s[i+16] += values[uint8(codes>>16)]
			s[i+24] += values[uint8(codes>>24)]
			s[i+32] += values[uint8(codes>>32)]
			s[i+40] += values[uint8(codes>>40)]
			s[i+48] += values[uint8(codes>>48)]
			s[i+56] += values[uint8(codes>>56)]
		}
	}
}
