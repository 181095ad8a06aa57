package tree

import (
	"math/bits"
	"unsafe"

	"github.com/lambdamart/lambdamart/internal/reuse"
	"github.com/lambdamart/lambdamart/internal/rowblock"
)

// A block is the rows that are scored together. A map of a block has a bit for each row. It is one bitMap
// if the block has up to mapRows rows. Larger blocks need a kernel; their maps are wideWords bitMaps.
const (
	mapRows   = 64
	wideWords = rowblock.Words
)

// bitMap is a set of mapRows rows, a bit for each.
type bitMap = uint64

// bitSliced scores blocks of rows without branches, in a time that does not depend on the depth of
// the trees.
//
// A condition is a comparison that one or more nodes of the model make. For each condition, a map
// of the block has a bit for each row, set if the row goes right; it is made by comparing values (see
// compared.go) or from ranks (see quantize.go). Slots are maps too: while the
// nodes of a tree are visited in order, each row is in one slot. All rows begin in slot 0.
// A node splits the rows of a slot: those that go left stay, and the others move to the next free
// slot. After the last node, each slot has the rows of one leaf. For example, with rows a to d,
// where node 0 sends b and d right, and node 1, in slot 0, sends c right:
//
//	         slot 0    slot 1    slot 2
//	begin    a b c d
//	node 0   a   c       b   d
//	node 1   a           b   d       c
//
// The number of each row's slot is computed for all rows at once, bit plane by bit plane. Slot j
// has the Gray code j^(j>>1). The codes of slots j-1 and j differ in one bit, whose number is the
// number of trailing zeros of j. Counting up from slot 0 to the slot of a row, bit b of the code flips
// at each slot with b trailing zeros. So plane b is the exclusive or, over those slots j, of the
// rows in slot j or a later one. The planes are transposed to one byte a row, and the byte is the
// index of the leaf value.
//
// A tree with more leaves than a byte has values is cut into parts (see cut.go). The map of the
// rows that continue to another part is kept as one more condition, and the first node of that part
// splits by it: all other rows stay in slot 0. In each part but the one of its leaf a row adds 0,
// which changes no sum.
//
// A tree that is a table (see table.go) is a part of its own kind. It needs no slots: the maps of its
// conditions are the planes of its numbers.
type bitSliced struct {
	nodes []sliceNode // of all parts, one after the other
	// leaf values of all parts, by Gray code or by number; then maxSlots zeros, so that any part can be read
	// as an array
	values []float64
	parts  []slicePart // tree after tree, each part after the one from which it is cut
	kept   int         // the largest number of maps that a tree keeps
}

// sliceNode is a node that splits the rows of a slot by a condition. Bits 0 to 7 are the number of
// the slot, the others the number of the condition.
type sliceNode = uint32

type slicePart struct {
	firstNode, nodes int
	firstValue       int
	cuts             []sliceCut
	table            bool // nodes holds the conditions of a table instead
}

// sliceCut is a slot whose rows continue to another part. Their map is kept under the number of a condition.
type sliceCut struct{ slot, condition uint32 }

const (
	maxSlots      = 1 << 8  // largest number of leaves of a part: codes are bytes
	maxConditions = 1 << 24 // of a model: a node has 24 bits for the number of a condition

	// With a larger mean number of leaves per tree, walks are faster for all numbers of rows.
	maxMeanLeaves = 1 << 12
)

// newBitSliced returns the bit-sliced form of trees, or nil if they are too large or have linear leaves.
func newBitSliced(trees []Tree, tables []*table, q *quantizer) *bitSliced {
	if meanLeaves(trees) > maxMeanLeaves {
		return nil
	}
	s := &bitSliced{}
	for i := range trees {
		if trees[i].Linear != nil {
			return nil
		}
		if tables[i] != nil {
			s.addTable(tables[i], q)
			continue
		}
		parts := cut(&trees[i], maxSlots-2)
		s.kept = max(s.kept, len(parts)-1)
		for j := range parts {
			s.addPart(&trees[i], &parts[j], q)
		}
	}
	if q.conditions+s.kept > maxConditions {
		return nil
	}
	s.values = append(s.values, make([]float64, maxSlots)...)
	return s
}

// addPart adds a part of a tree.
func (s *bitSliced) addPart(t *Tree, p *part, q *quantizer) {
	added := slicePart{firstNode: len(s.nodes), firstValue: len(s.values)}
	shift := 0
	if p.number > 0 { // slot 0 has the rows that do not reach this part
		s.nodes = append(s.nodes, newSliceNode(keptMap(q, p.number), 0))
		shift = 1
	}
	for _, n := range p.nodes {
		s.nodes = append(s.nodes, newSliceNode(q.number(q.conditionOf(t, n.node)), n.slot+shift))
	}
	added.nodes = len(s.nodes) - added.firstNode
	values := make([]float64, 1<<bits.Len(uint(added.nodes))) // one for each code of that many bits
	for i, end := range p.ends {
		slot := i + shift
		if end.part > 0 {
			added.cuts = append(added.cuts, sliceCut{uint32(slot), uint32(keptMap(q, end.part))})
		} else {
			values[slot^slot>>1] = t.LeafValue[end.leaf]
		}
	}
	s.values = append(s.values, values...)
	s.parts = append(s.parts, added)
}

// addTable adds a tree as a table.
func (s *bitSliced) addTable(t *table, q *quantizer) {
	s.parts = append(s.parts, slicePart{firstNode: len(s.nodes), nodes: len(t.conditions),
		firstValue: len(s.values), table: true})
	for i, c := range t.conditions {
		s.nodes = append(s.nodes, newSliceNode(q.number(c), i))
	}
	s.values = append(s.values, t.values...)
}

func newSliceNode(condition, slot int) sliceNode { return sliceNode(condition<<8 | slot) }

// keptMap returns the number under which the map of the rows in a part is kept.
func keptMap(q *quantizer, part int) int { return q.conditions + part - 1 }

// blockScratch is the memory that scoring a block needs.
type blockScratch struct {
	words int // number of bitMaps of a map in this block: 1 or wideWords
	ranks [mapRows]uint16
	maps  []bitMap // by condition; then those that a tree keeps
	// by rank in the current column; zero between columns, except for rank 0
	cells []bitMap
	slots [(maxSlots + 8) * wideWords]bitMap // maps by leaf of the current part
	// a byte for each row, row r's in codes[r%8*words+r/mapRows]: see transpose
	codes [8 * wideWords]bitMap
	sums  [8 * wideWords][8]float64 // by byte of codes
	sum   float64                   // see [reuse.Touch]
}

func (s *bitSliced) newScratch(q *quantizer) *blockScratch {
	most := 0
	for i := range q.columns {
		most = max(most, q.columns[i].conditions())
	}
	return &blockScratch{maps: make([]bitMap, (q.conditions+s.kept)*mostWords()), cells: make([]bitMap, most+1)}
}

// mostWords returns the number of words of the maps of a large block.
func mostWords() int {
	if rowblock.HasKernel {
		return wideWords
	}
	return 1
}

// scoreBlock writes the scores of len(dst) rows, at most mapRows*mostWords() of them.
func scoreBlock[F number](s *bitSliced, q *quantizer, b *blockScratch, dst []float64, rows []F, stride int) {
	b.words = 1
	if len(dst) > mapRows {
		b.words = wideWords
	}
	for word := 0; word*mapRows < len(dst); word++ {
		n := min(mapRows, len(dst)-word*mapRows)
		compareRows(q, b, word, n, rows[word*mapRows*stride:][:n*stride], stride)
	}
	clear(b.sums[:])
	for i := range s.parts {
		p := &s.parts[i]
		if nodes := s.nodes[p.firstNode : p.firstNode+p.nodes]; p.table {
			b.number(nodes)
		} else {
			b.descend(nodes)
			for _, c := range p.cuts {
				copy(b.mapOf(int(c.condition)), b.slots[int(c.slot)*b.words:])
			}
		}
		b.add((*[maxSlots]float64)(s.values[p.firstValue:]))
	}
	for i := range dst {
		dst[i] = b.sums[i%8*b.words+i/mapRows][i%mapRows/8]
	}
}

// compareRows writes the word of n rows in the maps of all conditions.
func compareRows[F number](q *quantizer, b *blockScratch, word, n int, rows []F, stride int) {
	if stride <= len(q.columns)*ofLine[F]() { // in wider rows, most lines have no column that is compared
		b.sum = reuse.Touch(rows) // so that the rows are loaded in order
	}
	x := columnsOfBlock[F]{first: -1}
	for i := range q.columns {
		c := &q.columns[i]
		maps := b.maps[c.firstCondition*b.words+word:]
		if byComparing[F](c) {
			values := x.of(c.feature, rows, stride)
			compareColumn(maps, b.words, c, &values)
			continue
		}
		ranks(c, b.ranks[:n], rows, stride)
		b.mapColumn(maps, c, n)
	}
}

// mapOf returns the map of a condition.
func (b *blockScratch) mapOf(condition int) []bitMap { return b.maps[condition*b.words:][:b.words] }

// ofLine returns the number of values of a cache line.
func ofLine[F number]() int { return 64 / int(unsafe.Sizeof(F(0))) }

// mapColumn writes the word of n rows in the maps of a column's conditions. It sets a bit for each
// row in the cell of the row's rank; the map of a condition is the union of the cells of all ranks above
// its index.
func (b *blockScratch) mapColumn(maps []bitMap, c *column, n int) {
	for i, rank := range b.ranks[:n] {
		b.cells[rank] |= 1 << (i % mapRows)
	}
	k := c.conditions()
	cells := b.cells[1 : k+1] // rows of rank 0 go left at all conditions
	right := bitMap(0)
	for i := k - 1; i >= 0; i-- {
		right |= cells[i]
		cells[i] = 0
		maps[i*b.words] = right
	}
}

// descend sends all rows down a part of a tree. Afterwards each row is in the slot of its leaf and has the
// slot's code.
func (b *blockScratch) descend(nodes []sliceNode) {
	if b.words == wideWords {
		rowblock.Leaves(&b.codes, &b.slots, b.maps, nodes)
		return
	}
	b.split(nodes)
	b.encode(len(nodes) + 1)
}

// split is the part of descend that fills the slots.
func (b *blockScratch) split(nodes []sliceNode) {
	slots, maps := (*[maxSlots + 8]bitMap)(b.slots[:]), b.maps
	slots[0] = ^bitMap(0)
	for i, n := range nodes {
		slot := &slots[uint8(n)]
		right := *slot & maps[n>>8]
		*slot ^= right
		slots[uint8(i+1)] = right
	}
}

// number writes the number of each row in a table.
func (b *blockScratch) number(conditions []sliceNode) {
	for word := range b.words {
		var planes, codes [8]bitMap
		for i, c := range conditions {
			planes[i&7] = b.mapOf(int(c >> 8))[word]
		}
		transpose(&codes, &planes)
		for i, c := range codes {
			b.codes[i*b.words+word] = c
		}
	}
}

// encode writes the Gray code of each row's slot, which is one of the first n. The groups of eight
// slots are unrolled: within a group, the trailing zeros of the slots' numbers are always the same,
// except for the first one's.
func (b *blockScratch) encode(n int) {
	end := (n + 7) &^ 7
	clear(b.slots[n:end])
	var planes [8]bitMap
	var above, p0, p1, p2 bitMap
	for j := end - 8; j >= 0; j -= 8 {
		s := (*[8]bitMap)(b.slots[j : j+8])
		above ^= s[7]
		p0 ^= above
		above ^= s[6]
		p1 ^= above
		above ^= s[5]
		p0 ^= above
		above ^= s[4]
		p2 ^= above
		above ^= s[3]
		p0 ^= above
		above ^= s[2]
		p1 ^= above
		above ^= s[1]
		p0 ^= above
		above ^= s[0]
		planes[bits.TrailingZeros8(uint8(j))&7] ^= above
	}
	// slot 0 has no bit to flip; what the loop wrote to plane 0 for it is overwritten
	planes[0], planes[1], planes[2] = p0, p1, p2
	transpose((*[8]bitMap)(b.codes[:]), &planes)
}

// transpose turns 8 planes of 64 bits into 64 bytes: bit b of byte g of dst[i] is bit 8*g+i of planes[b].
// Three rounds swap blocks of 4, 2 and 1 bits (Warren, Hacker's Delight, 7-3), in all bytes at the same time.
func transpose(dst, planes *[8]bitMap) {
	const mask4, mask2, mask1 = 0x0f0f0f0f0f0f0f0f, 0x3333333333333333, 0x5555555555555555
	a0, a4 := swap(planes[0], planes[4], 4, mask4)
	a1, a5 := swap(planes[1], planes[5], 4, mask4)
	a2, a6 := swap(planes[2], planes[6], 4, mask4)
	a3, a7 := swap(planes[3], planes[7], 4, mask4)
	a0, a2 = swap(a0, a2, 2, mask2)
	a1, a3 = swap(a1, a3, 2, mask2)
	a4, a6 = swap(a4, a6, 2, mask2)
	a5, a7 = swap(a5, a7, 2, mask2)
	dst[0], dst[1] = swap(a0, a1, 1, mask1)
	dst[2], dst[3] = swap(a2, a3, 1, mask1)
	dst[4], dst[5] = swap(a4, a5, 1, mask1)
	dst[6], dst[7] = swap(a6, a7, 1, mask1)
}

// swap exchanges the high bits of each group of low with the low bits of each group of high; the
// bits of mask are the low ones.
func swap(low, high bitMap, shift uint, mask bitMap) (bitMap, bitMap) {
	t := (low>>shift ^ high) & mask
	return low ^ t<<shift, high ^ t
}

// add adds the value of each row's code to the row's sum.
func (b *blockScratch) add(values *[maxSlots]float64) {
	for i, codes := range b.codes[:8*b.words] {
		sums := &b.sums[i]
		sums[0] += values[uint8(codes)]
		sums[1] += values[uint8(codes>>8)]
		sums[2] += values[uint8(codes>>16)]
		sums[3] += values[uint8(codes>>24)]
		sums[4] += values[uint8(codes>>32)]
		sums[5] += values[uint8(codes>>40)]
		sums[6] += values[uint8(codes>>48)]
		sums[7] += values[uint8(codes>>56)]
	}
}
