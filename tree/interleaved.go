package tree

import "math"

// interleaved scores one row at a time. A walk down a tree waits for memory at
// every node, so lanes trees are walked at once, and their waits overlap.
//
// A node is one integer, and a leaf is a node that leads to itself:
//
//	bits 0 to 15   index of the threshold: right if the rank is greater
//	bits 16 to 31  column; the highest bit is set in leaves
//	bits 32 to 63  place of the left child; the right one follows it
//
// The index of a leaf is so high that no rank is greater.
type interleaved struct {
	nodes  []uint64
	values []float64 // leaf value at the place of a leaf
	roots  []uint32  // place of each tree's root; a multiple of lanes, the last ones a leaf of no tree
}

const (
	lanes      = 8
	leafBit    = 1 << 31
	maxColumns = 1 << 15
)

func newInterleaved(trees []Tree, q *quantizer, columnOf map[columnKey]int) *interleaved {
	if len(q.columns) > maxColumns {
		return nil
	}
	w := &interleaved{}
	for i := range trees {
		if trees[i].Linear != nil || len(w.nodes)+2*trees[i].NumLeaves() > math.MaxInt32 {
			return nil
		}
		w.roots = append(w.roots, w.addTree(&trees[i], q, columnOf))
	}
	for end := w.addPlace(); len(w.roots)%lanes != 0; {
		w.setLeaf(end, 0)
		w.roots = append(w.roots, end)
	}
	return w
}

// addPlace makes room for a node.
func (w *interleaved) addPlace() uint32 {
	w.nodes = append(w.nodes, 0)
	w.values = append(w.values, 0)
	return uint32(len(w.nodes) - 1)
}

func (w *interleaved) setLeaf(place uint32, value float64) {
	w.nodes[place] = uint64(place)<<32 | leafBit | math.MaxUint16
	w.values[place] = value
}

// addTree adds the nodes of a tree level by level, so that the first steps of
// many walks share cache lines, and returns the place of the root.
func (w *interleaved) addTree(t *Tree, q *quantizer, columnOf map[columnKey]int) uint32 {
	type placed struct {
		child int32
		place uint32
	}
	root := w.addPlace()
	first := placed{0, root}
	if t.NumNodes() == 0 {
		first.child = ^0
	}
	for queue := []placed{first}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if at.child < 0 {
			w.setLeaf(at.place, t.LeafValue[^at.child])
			continue
		}
		column := columnOf[keyOf(t, int(at.child))]
		index := q.columns[column].index(t.Threshold[at.child])
		left, right := w.addPlace(), w.addPlace()
		w.nodes[at.place] = uint64(left)<<32 | uint64(column)<<16 | uint64(index)
		queue = append(queue, placed{t.Left[at.child], left}, placed{t.Right[at.child], right})
	}
	return root
}

// score returns the sum of all trees for a row of ranks.
func (w *interleaved) score(ranks []uint16) float64 {
	sum := 0.0
	for i := 0; i+lanes <= len(w.roots); i += lanes {
		p := *(*[lanes]uint32)(w.roots[i:])
		w.walk(&p, ranks)
		for _, leaf := range p {
			sum += w.values[leaf]
		}
	}
	return sum
}

// walk moves all lanes from roots to leaves.
func (w *interleaved) walk(p *[lanes]uint32, ranks []uint16) {
	nodes := w.nodes
	p0, p1, p2, p3, p4, p5, p6, p7 := p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]
	for {
		n0, n1, n2, n3 := nodes[p0], nodes[p1], nodes[p2], nodes[p3]
		n4, n5, n6, n7 := nodes[p4], nodes[p5], nodes[p6], nodes[p7]
		if n0&n1&n2&n3&n4&n5&n6&n7&leafBit != 0 {
			break
		}
		p0, p1, p2, p3 = step(n0, ranks), step(n1, ranks), step(n2, ranks), step(n3, ranks)
		p4, p5, p6, p7 = step(n4, ranks), step(n5, ranks), step(n6, ranks), step(n7, ranks)
	}
	*p = [lanes]uint32{p0, p1, p2, p3, p4, p5, p6, p7}
}

// step returns the place of the child that a row goes to.
func step(node uint64, ranks []uint16) uint32 {
	rank := ranks[node>>16&(maxColumns-1)]
	goesRight := uint32((int32(node&math.MaxUint16) - int32(rank)) >> 31 & 1)
	return uint32(node>>32) + goesRight
}
