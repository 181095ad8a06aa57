package tree

import "slices"

// interleaved scores one row at a time. A walk down a tree waits for memory at every node, so the
// row walks down many trees at once, and the waits overlap.
//
// The alternative, many rows walking down one tree at once, was measured. It took 30 % less time
// with 255 leaves a tree, where blocks (see bitsliced.go) are three times as fast still, and was no
// faster with 5,000, where there are no blocks.
//
// Paths have very different lengths. So the walk goes in rounds: each round goes down the same few
// steps in every unfinished tree, without a branch, and keeps the trees that are not at a leaf for
// the next round. A leaf leads to itself, so that further steps change nothing.
//
// Siblings are stored as a pair: two nodes side by side, left and right. Pair 0 of a tree is its
// root and an unused node. A node is one small integer, so that a model stays in the cache:
//
//	bits 0 to 7    index of the threshold among the 255 of its byte
//	bits 8 to 19   byte of the ranks: right if it is greater than the index
//	bits 20 to 31  number of the pair that it leads to, in its tree
//
// A column with more than 255 thresholds has several bytes, each with the rank among 255 of them. A
// leaf leads to its own pair; it finds its own side there by comparing a byte that is always 0 or
// always 255.
//
// A tree that is a table (see table.go) is not walked. Its conditions, in the same form as nodes, are
// compared one after the other, and their results are the bits of the place of its value.
type interleaved struct {
	nodes     []uint32  // pair after pair, tree after tree
	values    []float64 // by place in nodes: the value of the leaf, 0 for other nodes; then the values of tables
	first     []uint32  // by tree: the place of its first pair in nodes, or of the first value of its table
	walked    []uint32  // the trees that are not tables
	tables    []walkTable
	firstByte []int // by column
	bytes     int   // number of bytes of all columns; the two of the leaves follow them
}

const (
	lanes       = 4 // trees that a round walks down side by side; the processor begins the next ones ahead
	stepsARound = 4

	thresholdsAByte = 255
	maxBytes        = 1 << 12 // of all columns and the two of the leaves
	maxPairs        = 1 << 12 // of a tree: as many leaves
	maxPlaces       = 1 << 30 // of a model
)

// newInterleaved returns nil if the trees are too large or have linear leaves.
func newInterleaved(trees []Tree, tables []*table, q *quantizer, columnOf map[columnKey]int) *interleaved {
	w := &interleaved{firstByte: make([]int, len(q.columns))}
	for i := range q.columns {
		w.firstByte[i] = w.bytes
		w.bytes += (q.columns[i].conditions() + thresholdsAByte - 1) / thresholdsAByte
	}
	if w.bytes+2 > maxBytes {
		return nil
	}
	for i := range trees {
		if trees[i].Linear != nil || trees[i].NumLeaves() > maxPairs || len(w.nodes) > maxPlaces {
			return nil
		}
		if tables[i] != nil {
			w.first = append(w.first, 0)
			continue
		}
		w.walked = append(w.walked, uint32(i))
		w.addTree(&trees[i], q, columnOf)
	}
	for range lanes { // trees that fill the last lanes of a round
		w.addTree(&Tree{LeafValue: []float64{0}}, q, columnOf)
	}
	for i, t := range tables {
		if t != nil {
			w.addTable(i, t)
		}
	}
	return w
}

// walkTable is the table of a tree.
type walkTable struct {
	tree       int
	conditions []uint32 // byte of the ranks and index of the threshold, as in a node; the highest bit's first
}

// addTable adds the table of a tree. Its values come after the values of all nodes.
func (w *interleaved) addTable(tree int, t *table) {
	w.first[tree] = uint32(len(w.values))
	w.values = append(w.values, t.values...)
	added := walkTable{tree: tree}
	for _, c := range slices.Backward(t.conditions) {
		added.conditions = append(added.conditions, w.condition(c.column, c.index))
	}
	w.tables = append(w.tables, added)
}

// condition returns the bits of a node that say which byte of the ranks is compared with what.
func (w *interleaved) condition(column, index int) uint32 {
	return uint32((w.firstByte[column]+index/thresholdsAByte)<<8 | index%thresholdsAByte)
}

// addTree adds the nodes of a tree level by level, so that the first steps of many walks share
// cache lines.
func (w *interleaved) addTree(t *Tree, q *quantizer, columnOf map[columnKey]int) {
	w.first = append(w.first, uint32(len(w.nodes)))
	root := int32(0)
	if t.NumNodes() == 0 {
		root = ^0
	}
	children := []int32{root, ^0} // by place
	for place := 0; place < len(children); place++ {
		child := children[place]
		if child < 0 {
			w.addLeaf(place, t.LeafValue[^child])
			continue
		}
		column := columnOf[keyOf(t, int(child))]
		index := q.columns[column].index(t.Threshold[child])
		w.nodes = append(w.nodes, uint32(len(children)/2)<<20|w.condition(column, index))
		w.values = append(w.values, 0)
		children = append(children, t.Left[child], t.Right[child])
	}
}

func (w *interleaved) addLeaf(place int, value float64) {
	w.nodes = append(w.nodes, uint32(place/2<<20|(w.bytes+place%2)<<8))
	w.values = append(w.values, value)
}

// walkScratch is the memory that scoring a row needs.
type walkScratch struct {
	rank   [1]uint16
	ranks  [maxBytes]uint8
	places []uint32 // by tree: the current place
	open   []uint32 // the trees that are not finished
}

func (w *interleaved) newScratch() *walkScratch {
	x := &walkScratch{places: make([]uint32, len(w.first)), open: make([]uint32, len(w.first))}
	x.ranks[w.bytes], x.ranks[w.bytes+1] = 0, thresholdsAByte
	return x
}

// scoreWalk returns the sum of all trees for a row.
func scoreWalk[F number](w *interleaved, q *quantizer, x *walkScratch, row []F) float64 {
	for i := range q.columns {
		c := &q.columns[i]
		ranks(c, x.rank[:], row, 0)
		rank, at := int(x.rank[0]), w.firstByte[i]
		x.ranks[at] = uint8(min(rank, thresholdsAByte))
		for more := c.conditions() - thresholdsAByte; more > 0; more -= thresholdsAByte {
			rank, at = max(rank-thresholdsAByte, 0), at+1
			x.ranks[at] = uint8(min(rank, thresholdsAByte))
		}
	}
	return w.score(x)
}

// score returns the sum of all trees for the row whose ranks are in x.
func (w *interleaved) score(x *walkScratch) float64 {
	copy(x.places, w.first)
	trees := len(w.first) - lanes
	w.lookUp(x)
	for n := copy(x.open, w.walked); n > 0; {
		for i := n; i%lanes != 0; i++ {
			x.open[i] = uint32(trees + i%lanes)
		}
		n = w.round(x, n)
	}
	sum := 0.0
	for _, place := range x.places[:trees] {
		sum += w.values[place]
	}
	return sum
}

// lookUp finds the places of the values of all tables.
func (w *interleaved) lookUp(x *walkScratch) {
	ranks := &x.ranks
	for i := range w.tables {
		t := &w.tables[i]
		number := uint32(0)
		for _, c := range t.conditions {
			number += number + goesRight(c, ranks)
		}
		x.places[t.tree] += number
	}
}

// round goes down stepsARound nodes in each of the first n open trees, and returns the number of
// those that may not be finished, which it moves to the front of x.open.
func (w *interleaved) round(x *walkScratch, n int) int {
	nodes, ranks, first, places, open := w.nodes, &x.ranks, w.first, x.places, x.open
	left := 0
	for i := 0; i < n; i += lanes {
		t := (*[lanes]uint32)(open[i:])
		t0, t1, t2, t3 := t[0], t[1], t[2], t[3]
		p0, p1, p2, p3 := places[t0], places[t1], places[t2], places[t3]
		f0, f1, f2, f3 := first[t0], first[t1], first[t2], first[t3]
		var from0, from1, from2, from3 uint32
		for range stepsARound {
			from0, from1, from2, from3 = p0, p1, p2, p3
			p0, p1 = f0+step(nodes[p0], ranks), f1+step(nodes[p1], ranks)
			p2, p3 = f2+step(nodes[p2], ranks), f3+step(nodes[p3], ranks)
		}
		places[t0], places[t1], places[t2], places[t3] = p0, p1, p2, p3
		open[left] = t0
		left += moved(from0, p0)
		open[left] = t1
		left += moved(from1, p1)
		open[left] = t2
		left += moved(from2, p2)
		open[left] = t3
		left += moved(from3, p3)
	}
	return left
}

// step returns the place, within its tree, to which a row goes from a node.
func step(node uint32, ranks *[maxBytes]uint8) uint32 {
	return node>>20*2 + goesRight(node, ranks)
}

// goesRight returns 1 if a row goes right at a node, else 0.
func goesRight(node uint32, ranks *[maxBytes]uint8) uint32 {
	return uint32(int32(node&thresholdsAByte)-int32(ranks[node>>8&(maxBytes-1)])) >> 31
}

// moved returns 1 if a step has changed the place, else 0. Children have later places than their
// parents.
func moved(from, to uint32) int { return int((from - to) >> 31) }
