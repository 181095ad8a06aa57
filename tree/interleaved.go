package tree

import "math"

// interleaved scores one row at a time. A walk down a tree waits for memory at
// every node, so many trees are walked at once, and their waits overlap.
//
// Trees that a row walks together, and not rows that walk a tree together: those
// took 30 % less with 255 leaves, where blocks are three times as fast still, and
// were no faster with 5,000, where there are no blocks.
//
// Paths are of very unequal length. So the walk goes in rounds: each takes every
// unfinished tree the same few steps, without a branch, and keeps those that are
// not at a leaf for the next. A leaf leads to itself, and steps after it change
// nothing.
//
// A node is one integer:
//
//	bits 0 to 15   index of the threshold: right if the rank is greater;
//	               in a leaf, the number of the leaf in its tree
//	bits 16 to 31  column; in a leaf, a column whose rank is always 0
//	bits 32 to 63  place of the left child, which the right one follows;
//	               in a leaf, its own place
type interleaved struct {
	nodes     []uint64
	roots     []uint32  // place of each tree's root
	values    []float64 // of all leaves, tree after tree
	firstLeaf []uint32  // of each tree in values
	columns   int       // number of columns; also the leaves' column
}

const (
	lanes          = 4       // trees that a round walks side by side; a processor looks ahead to the next ones
	stepsARound    = 4       //
	maxColumns     = 1 << 15 // columns of a model
	maxWalkLeaves  = 1 << 16 // leaves of a tree
	maxWalkedNodes = math.MaxInt32
)

// newInterleaved returns nil if the trees do not fit.
func newInterleaved(trees []Tree, q *quantizer, columnOf map[columnKey]int) *interleaved {
	if len(q.columns) >= maxColumns {
		return nil
	}
	w := &interleaved{columns: len(q.columns)}
	for i := range trees {
		t := &trees[i]
		if t.Linear != nil || t.NumLeaves() > maxWalkLeaves || len(w.nodes)+2*t.NumLeaves() > maxWalkedNodes {
			return nil
		}
		w.firstLeaf = append(w.firstLeaf, uint32(len(w.values)))
		w.values = append(w.values, t.LeafValue...)
		w.roots = append(w.roots, w.addTree(t, q, columnOf))
	}
	for range lanes { // what fills up the last lanes of a round
		w.roots = append(w.roots, w.addNode())
		w.setLeaf(uint32(len(w.nodes)-1), 0)
	}
	return w
}

// addNode makes room for a node and returns its place.
func (w *interleaved) addNode() uint32 {
	w.nodes = append(w.nodes, 0)
	return uint32(len(w.nodes) - 1)
}

func (w *interleaved) setLeaf(place uint32, leaf int) {
	w.nodes[place] = uint64(place)<<32 | uint64(w.columns)<<16 | uint64(leaf)
}

// addTree adds the nodes of a tree level by level, so that the first steps of
// many walks share cache lines, and returns the place of the root.
func (w *interleaved) addTree(t *Tree, q *quantizer, columnOf map[columnKey]int) uint32 {
	type placed struct {
		child int32
		place uint32
	}
	root := w.addNode()
	first := placed{0, root}
	if t.NumNodes() == 0 {
		first.child = ^0
	}
	for queue := []placed{first}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if at.child < 0 {
			w.setLeaf(at.place, int(^at.child))
			continue
		}
		column := columnOf[keyOf(t, int(at.child))]
		index := q.columns[column].index(t.Threshold[at.child])
		left, right := w.addNode(), w.addNode()
		w.nodes[at.place] = uint64(left)<<32 | uint64(column)<<16 | uint64(index)
		queue = append(queue, placed{t.Left[at.child], left}, placed{t.Right[at.child], right})
	}
	return root
}

// walkScratch is the memory that scoring a row needs.
type walkScratch struct {
	ranks  []uint16 // of each column, and 0 for the leaves' column
	places []uint32 // where each tree's walk is
	open   []uint32 // the trees that are not finished
}

func (w *interleaved) newScratch() *walkScratch {
	return &walkScratch{
		ranks:  make([]uint16, w.columns+1),
		places: make([]uint32, len(w.roots)),
		open:   make([]uint32, len(w.roots)),
	}
}

// score returns the sum of all trees for the row whose ranks are in x.
func (w *interleaved) score(x *walkScratch) float64 {
	copy(x.places, w.roots)
	trees := len(w.roots) - lanes
	for i := range x.open {
		x.open[i] = uint32(i)
	}
	for n := trees; n > 0; {
		for i := n; i%lanes != 0; i++ {
			x.open[i] = uint32(trees + i%lanes)
		}
		n = w.round(x, n)
	}
	sum := 0.0
	for i, first := range w.firstLeaf {
		leaf := w.nodes[x.places[i]] & math.MaxUint16
		sum += w.values[first+uint32(leaf)]
	}
	return sum
}

// round moves the first n open trees by stepsARound nodes, and returns the
// number of those that may not be finished, which are first afterwards.
func (w *interleaved) round(x *walkScratch, n int) int {
	nodes, ranks, places, open := w.nodes, x.ranks, x.places, x.open
	left := 0
	for i := 0; i < n; i += lanes {
		t := (*[lanes]uint32)(open[i:])
		t0, t1, t2, t3 := t[0], t[1], t[2], t[3]
		p0, p1, p2, p3 := places[t0], places[t1], places[t2], places[t3]
		var from0, from1, from2, from3 uint32
		for range stepsARound {
			from0, from1, from2, from3 = p0, p1, p2, p3
			p0, p1, p2, p3 = step(nodes[p0], ranks), step(nodes[p1], ranks), step(nodes[p2], ranks), step(nodes[p3], ranks)
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

// step returns the place of the child that a row goes to.
func step(node uint64, ranks []uint16) uint32 {
	rank := ranks[node>>16&(maxColumns-1)]
	goesRight := uint32(int32(node&math.MaxUint16)-int32(rank)) >> 31
	return uint32(node>>32) + goesRight
}

// moved is 1 if a step has changed the place, else 0. Children come after their
// parents.
func moved(from, to uint32) int { return int((from - to) >> 31) }
