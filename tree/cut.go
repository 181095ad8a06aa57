package tree

import "slices"

// part is a connected piece of a tree: a node, and everything below it that does not belong to
// another part.
type part struct {
	number int // in its tree; 0 is the one with the tree's root
	root   int32
	nodes  []slottedNode // each after its parent
	ends   []partEnd     // by slot: where its rows end
}

// slottedNode is a node and the slot of the rows that it splits. Rows that go left stay in the
// slot, and rows that go right move to the next free one. All rows begin in slot 0.
type slottedNode struct{ node, slot int }

// partEnd is another part if part is not 0, else a leaf.
type partEnd struct{ leaf, part int }

// cut divides a tree into parts of at most most nodes; the first may have one node more. Each part
// comes after the one above it. All but the first have at least most/2 nodes.
func cut(t *Tree, most int) []part {
	if t.NumNodes() == 0 {
		return []part{{ends: make([]partEnd, 1)}}
	}
	isRoot := partRoots(t, most)
	parts := []part{{}}               // the tree's root is node 0
	for i := 0; i < len(parts); i++ { // parts grows
		below := parts[i].fill(t, isRoot, len(parts))
		parts = append(parts, below...)
	}
	return parts
}

// fill finds the nodes and ends of a part, and returns the parts that begin below it, whose numbers
// count from next. Nodes are ordered level by level, so that a node seldom waits for the result of
// the one before it.
func (p *part) fill(t *Tree, isRoot []bool, next int) (below []part) {
	p.nodes = []slottedNode{{int(p.root), 0}}
	p.ends = make([]partEnd, 1)
	place := func(child int32, slot int) {
		switch {
		case child < 0:
			p.ends[slot] = partEnd{leaf: int(^child)}
		case isRoot[child]:
			below = append(below, part{number: next + len(below), root: child})
			p.ends[slot] = partEnd{part: next + len(below) - 1}
		default:
			p.nodes = append(p.nodes, slottedNode{int(child), slot})
		}
	}
	for i := 0; i < len(p.nodes); i++ { // nodes grows
		n := p.nodes[i]
		p.ends = append(p.ends, partEnd{})
		place(t.Left[n.node], n.slot)
		place(t.Right[n.node], i+1)
	}
	return below
}

// partRoots reports for each node whether a part other than the first begins there. It goes from the leaves
// up. If a node and what remains of its subtrees have more than most nodes, it cuts off the larger subtree,
// and also the other one if that one and the node still have too many nodes.
func partRoots(t *Tree, most int) []bool {
	isRoot := make([]bool, t.NumNodes())
	nodes := make([]int, t.NumNodes()) // by node: the number of nodes of its part, from the node down
	for _, node := range bottomUp(t) {
		children := []int32{t.Left[node], t.Right[node]}
		children = slices.DeleteFunc(children, func(c int32) bool { return c < 0 })
		slices.SortFunc(children, func(a, b int32) int { return nodes[b] - nodes[a] })
		nodes[node] = 1
		for _, c := range children {
			nodes[node] += nodes[c]
		}
		for _, c := range children {
			if nodes[node] > most && !(node == 0 && nodes[node] == most+1) {
				isRoot[c] = true
				nodes[node] -= nodes[c]
			}
		}
	}
	return isRoot
}

// bottomUp returns the nodes of a tree, each after its children.
func bottomUp(t *Tree) []int32 {
	order := []int32{0}
	for i := 0; i < len(order); i++ { // order grows
		for _, child := range []int32{t.Left[order[i]], t.Right[order[i]]} {
			if child >= 0 {
				order = append(order, child)
			}
		}
	}
	slices.Reverse(order)
	return order
}
