package grow

// step leads from an internal node of a tree to one of its children.
type step struct {
	node  int32 // -1: none, above the root
	right bool
}

// stepTo returns the step that leads to a node. parents has the parents of the nodes.
func (t *Tree) stepTo(node int32, parents []int32) step {
	up := parents[node]
	return step{up, up >= 0 && t.Nodes[up].Right == node}
}

// comparableLeaf is a leaf that is comparable with a given one (monotone.go).
type comparableLeaf struct {
	ref    int32 // the leaf, or a node that is not split yet
	parent int32 // a node
	above  bool  // its value must not be less than that of the given leaf; otherwise it must not be more
}

// comparison finds the leaves that are comparable with a given leaf, own, on the other side of a node that
// splits a monotone column.
type comparison struct {
	t       *Tree
	own     step
	between int32 // that node
	last    int32 // nodes after it are not split yet
	parents []int32
	visit   func(ref, parent int32)
}

// eachComparable calls visit for each leaf that is comparable with the leaf that the step own leads to. Nodes
// after last count as leaves. directions has the direction of each column, and parents the parent of each
// node.
func (t *Tree) eachComparable(directions []int8, own step, last int32, parents []int32,
	visit func(c comparableLeaf)) {
	for at := own; at.node >= 0; at = t.stepTo(at.node, parents) {
		d := directions[t.Nodes[at.node].Column]
		if d == 0 {
			continue
		}
		c := comparison{t: t, own: own, between: at.node, last: last, parents: parents}
		c.visit = func(ref, parent int32) { visit(comparableLeaf{ref, parent, (d > 0) != at.right}) }
		c.descend(step{at.node, !at.right})
	}
}

// descend visits those leaves at or below a step that can have a row which agrees with some row of the own
// leaf in all columns but the one that separates them.
func (c *comparison) descend(s step) {
	n := &c.t.Nodes[s.node]
	ref := n.Left
	if s.right {
		ref = n.Right
	}
	if ref < 0 || ref > c.last {
		c.visit(ref, s.node)
		return
	}
	free := c.t.Nodes[ref].Column == c.t.Nodes[c.between].Column
	for _, right := range []bool{false, true} {
		if next := (step{ref, right}); free || c.meets(next) {
			c.descend(next)
		}
	}
}

// meets reports whether a row of the own leaf and a row that takes step s can have the same bin in the column
// of the step.
func (c *comparison) meets(s step) bool {
	var memory [16]step
	column := c.t.Nodes[s.node].Column
	steps := c.t.appendStepsBy(memory[:0], column, s, c.between, c.parents)
	return c.t.possible(column, c.t.appendStepsBy(steps, column, c.own, -1, c.parents))
}

// appendStepsBy appends the steps by a column on the way up from s to a node, which is not included.
func (t *Tree) appendStepsBy(dst []step, column int32, s step, node int32, parents []int32) []step {
	for ; s.node != node; s = t.stepTo(s.node, parents) {
		if t.Nodes[s.node].Column == column {
			dst = append(dst, s)
		}
	}
	return dst
}

// possible reports whether a row can take all of some steps by a column.
func (t *Tree) possible(column int32, steps []step) bool {
	if !t.IsCategorical(column) {
		return t.someBin(column, steps)
	}
	for bin := range t.matrix.Bins(column).NumBins() {
		taken := true
		for _, s := range steps {
			taken = taken && t.Nodes[s.node].goesRight(uint16(bin), t.matrix.MissingBins[column]) == s.right
		}
		if taken {
			return true
		}
	}
	return false
}

// someBin reports whether a bin of a numeric column, which may be that of missing values, is left after some
// steps by the column.
func (t *Tree) someBin(column int32, steps []step) bool {
	missing := t.matrix.MissingBins[column]
	first, last, withMissing := int32(0), int32(t.matrix.Bins(column).NumBins())-1, missing >= 0
	for _, s := range steps {
		n := &t.Nodes[s.node]
		if s.right {
			first = max(first, int32(n.bin)+1)
		} else {
			last = min(last, int32(n.bin))
		}
		withMissing = withMissing && s.right == n.missingRight
	}
	if first == missing {
		first++
	}
	if last == missing {
		last--
	}
	return first <= last || withMissing
}
