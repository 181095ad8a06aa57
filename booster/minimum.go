package booster

import (
	"slices"
	"sync"

	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/objective"
)

// While a tree grows on sparse gradients, min_data_in_leaf and min_sum_hessian_in_leaf are checked with
// unbiased estimates, and some leaves end up with less. The sums over all rows (refit.go) show which. Such a
// leaf is taken out of the tree: its sibling takes the place of their parent, and the rows of the leaf go
// down from there:
//
//	    p                 p
//	   / \               / \
//	  x   n      →      x   s         l: the leaf, s: its sibling, a leaf or an internal node
//	     / \
//	    l   s
//
// No other leaf loses rows, so the rules hold for every leaf in the end.

// lacks reports whether a leaf with these totals has fewer rows or a smaller Hessian than the rules demand.
func (r *rules) lacks(totals *leafTotals, leaf int) bool {
	_, hessian := totals.float(totals.sums[leaf])
	return totals.rows[leaf] < int64(r.minData) || hessian < r.minSumHessian || hessian == 0
}

// contraction takes leaves out of a grown tree.
type contraction struct {
	g         *grower
	totals    *leafTotals
	leafOf    []int32 // by row of the data
	gradients objective.Gradients
	inBag     func(row int32) bool

	parents []int32 // of the internal nodes; -1 for the root
	root    int32   // an internal node, or ^leaf
	without []bool  // by internal node: it was taken out
	gone    []bool  // by leaf: it was taken out
	rows    [][]int32
	moved   leafTotals // rows and sums that each leaf got from the leaf that is taken out
}

// keepMinimum takes the leaves that lack rows or Hessian out of the grown tree, corrects the totals and
// leafOf, and renumbers the nodes and leaves that remain. If all leaves but one are taken out, no node
// remains.
func (g *grower) keepMinimum(totals *leafTotals, leafOf []int32, gradients objective.Gradients,
	inBag func(row int32) bool) {
	lacking := make([]bool, len(totals.rows))
	for leaf := range lacking {
		lacking[leaf] = g.rules.lacks(totals, leaf)
	}
	if !slices.Contains(lacking, true) {
		return
	}
	c := contraction{
		g: g, totals: totals, leafOf: leafOf, gradients: gradients, inBag: inBag,
		parents: g.parents(), without: make([]bool, len(g.nodes)), gone: make([]bool, len(lacking)),
	}
	c.moved = newLeafTotals(len(lacking))
	c.collect(lacking)
	for leaf := range lacking {
		// it may have received the rows of a leaf that was taken out earlier
		if c.root >= 0 && lacking[leaf] && g.rules.lacks(totals, leaf) {
			c.takeOut(int32(leaf))
		}
	}
	c.renumber()
}

// parents returns the parents of the internal nodes, -1 for the root.
func (t *binTree) parents() []int32 {
	parents := make([]int32, len(t.nodes))
	parents[0] = -1
	for i, n := range t.nodes {
		for _, child := range []int32{n.left, n.right} {
			if child >= 0 {
				parents[child] = int32(i)
			}
		}
	}
	return parents
}

// collect lists the rows of each lacking leaf, in ascending order.
func (c *contraction) collect(lacking []bool) {
	c.rows = make([][]int32, len(lacking))
	var mutex sync.Mutex
	c.g.pool.Blocks(len(c.leafOf), scoreBlock, func(_, from, to int) {
		var found []int32
		for row := from; row < to; row++ {
			if lacking[c.leafOf[row]] {
				found = append(found, int32(row))
			}
		}
		mutex.Lock()
		defer mutex.Unlock()
		for _, row := range found {
			leaf := c.leafOf[row]
			c.rows[leaf] = append(c.rows[leaf], row)
		}
	})
	for _, rows := range c.rows {
		slices.Sort(rows)
	}
}

// takeOut replaces a leaf's parent with the leaf's sibling, and sends the leaf's rows down from there.
func (c *contraction) takeOut(leaf int32) {
	parent := c.g.leaves[leaf].node
	sibling := c.g.nodes[parent].right
	if c.g.leaves[leaf].right {
		sibling = c.g.nodes[parent].left
	}
	c.replace(parent, sibling)
	c.without[parent], c.gone[leaf] = true, true
	c.totals.sums[leaf], c.totals.rows[leaf] = binsum.Sum{}, 0
	clear(c.moved.sums)
	clear(c.moved.rows)
	for _, row := range c.rows[leaf] {
		c.move(row, c.leafBelow(sibling, row))
	}
	c.moved.addUp(c.g.part)
	for to, rows := range c.moved.rows {
		c.totals.sums[to] = c.totals.sums[to].Add(c.moved.sums[to])
		c.totals.rows[to] += rows
	}
}

// replace puts a child in the place of its parent.
func (c *contraction) replace(parent, child int32) {
	above := c.parents[parent]
	right := above >= 0 && c.g.nodes[above].right == parent
	switch {
	case above < 0:
		c.root = child
	case right:
		c.g.nodes[above].right = child
	default:
		c.g.nodes[above].left = child
	}
	if child >= 0 {
		c.parents[child] = above
	} else {
		c.g.leaves[^child].node, c.g.leaves[^child].right = above, right
	}
}

// leafBelow returns the leaf in which a row ends that is sent down from a node, or ^leaf.
func (c *contraction) leafBelow(node, row int32) int32 {
	return c.g.descend(node, c.g.matrix, int(row))
}

// move assigns a row to the given leaf.
func (c *contraction) move(row, leaf int32) {
	c.leafOf[row] = leaf
	c.rows[leaf] = append(c.rows[leaf], row)
	if !c.inBag(row) {
		return
	}
	t := c.totals
	c.moved.sums[leaf] = c.moved.sums[leaf].Add(binsum.Sum{
		Gradient: t.gradient.Round(c.gradients.Lambda[row]), Hessian: t.hessian.Round(c.gradients.Hessian[row]),
	})
	c.moved.rows[leaf]++
}

// renumber closes the gaps in the numbers of nodes and leaves. The order remains, so that a node still
// comes before its children, and the root is the first.
func (c *contraction) renumber() {
	nodeNumber, leafNumber := numbers(c.without), numbers(c.gone)
	renumbered := func(child int32) int32 {
		if child < 0 {
			return ^leafNumber[^child]
		}
		return nodeNumber[child]
	}
	for i := range c.g.nodes {
		c.g.nodes[i].left, c.g.nodes[i].right = renumbered(c.g.nodes[i].left), renumbered(c.g.nodes[i].right)
	}
	for i := range c.g.leaves {
		if c.g.leaves[i].node >= 0 {
			c.g.leaves[i].node = nodeNumber[c.g.leaves[i].node]
		}
	}
	c.g.nodes, c.g.leaves = without(c.g.nodes, c.without), without(c.g.leaves, c.gone)
	c.totals.sums, c.totals.rows = without(c.totals.sums, c.gone), without(c.totals.rows, c.gone)
	c.g.pool.Blocks(len(c.leafOf), scoreBlock, func(_, from, to int) {
		for row := from; row < to; row++ {
			c.leafOf[row] = leafNumber[c.leafOf[row]]
		}
	})
}

// numbers returns the new number of each element that is not left out, counting only these.
func numbers(leftOut []bool) []int32 {
	all := make([]int32, len(leftOut))
	next := int32(0)
	for i, out := range leftOut {
		all[i] = next
		if !out {
			next++
		}
	}
	return all
}

// without removes the elements that are left out, in place.
func without[T any](all []T, leftOut []bool) []T {
	kept := all[:0]
	for i, out := range leftOut {
		if !out {
			kept = append(kept, all[i])
		}
	}
	return kept
}
