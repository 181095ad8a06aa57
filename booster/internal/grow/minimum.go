package grow

import (
	"math"
	"runtime"

	"github.com/lambdamart/lambdamart/internal/binsum"
)

// While a tree grows on sparse gradients, min_data_in_leaf and min_sum_hessian_in_leaf are checked with
// unbiased estimates, and some leaves end up with less. The sums over all rows (Totals) show which. Such a
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
func (r *Rules) lacks(totals *Totals, leaf int) bool {
	_, hessian := totals.Float(totals.Sums[leaf])
	return totals.Rows[leaf] < int64(r.MinData) || hessian < r.MinSumHessian || hessian == 0
}

// contraction takes leaves out of a grown tree.
type contraction struct {
	g      *Grower
	totals *Totals
	FittedRows

	parents []int32 // of the internal nodes; -1 for the root
	root    int32   // an internal node, or ^leaf
	without []bool  // by internal node: it was taken out
	gone    []bool  // by leaf: it was taken out
	// by leaf: the leaf that has the rows to which leafOf gives this leaf, which is another one if all rows of
	// this leaf have gone there; NoLeaf if there are no such rows anymore
	heir []int32
}

// FittedRows are the rows of the data to which a tree is fitted.
type FittedRows struct {
	LeafOf          []int32   // by row: its leaf
	Lambda, Hessian []float64 // by row: its derivatives
	InBag           func(row int32) bool
}

// NoLeaf is the heir of a leaf whose rows were sent down the tree: leafOf has their new leaves.
const NoLeaf = -1

// KeepMinimum takes the leaves that lack rows or Hessian out of the grown tree, corrects the totals, and
// renumbers the nodes and leaves that remain. If all leaves but one are taken out, no node remains. leafOf
// keeps the leaves' old numbers: a row's leaf is then number[leafOf[row]]. The number of a leaf that leafOf
// gives to no row is negative.
func (g *Grower) KeepMinimum(totals *Totals, rows FittedRows) (number []int32) {
	c := contraction{
		g: g, totals: totals, FittedRows: rows,
		parents: g.parents(), without: make([]bool, len(g.Nodes)), gone: make([]bool, len(g.leaves)),
		heir: make([]int32, len(g.leaves)),
	}
	for leaf := range c.heir {
		c.heir[leaf] = int32(leaf)
	}
	for leaf := range c.heir {
		if c.root >= 0 && g.rules.lacks(totals, leaf) {
			c.takeOut(int32(leaf))
		}
	}
	return c.renumber()
}

// takeOut replaces a leaf's parent with the leaf's sibling, and sends the leaf's rows down from there.
func (c *contraction) takeOut(leaf int32) {
	parent := c.g.leaves[leaf].node
	sibling := c.g.Nodes[parent].Right
	if c.g.leaves[leaf].right {
		sibling = c.g.Nodes[parent].Left
	}
	c.replace(parent, sibling)
	c.without[parent], c.gone[leaf] = true, true
	if sibling < 0 {
		c.merge(leaf, ^sibling)
	} else {
		c.totals.add(c.sendDown(leaf, sibling))
	}
	c.totals.Sums[leaf], c.totals.Rows[leaf] = binsum.Sum{}, 0
}

// merge gives all rows of a leaf to another leaf.
func (c *contraction) merge(from, to int32) {
	for leaf, heir := range c.heir {
		if heir == from {
			c.heir[leaf] = to
		}
	}
	c.totals.Sums[to] = c.totals.Sums[to].Add(c.totals.Sums[from])
	c.totals.Rows[to] += c.totals.Rows[from]
}

// sendDown sends the rows of a leaf down from an internal node, and returns what each leaf has got. The leaf,
// and the leaves whose rows it had inherited, are left without rows and without an heir.
func (c *contraction) sendDown(leaf, node int32) Totals {
	workers := TotalsOfWorkers(len(c.gone), c.g.pool)
	c.g.pool.Blocks(len(c.LeafOf), walkBlock, func(worker, from, to int) {
		rows := make([]int32, 0, walkBlock)
		for i, old := range c.LeafOf[from:to] {
			if c.heir[old] == leaf {
				rows = append(rows, int32(from+i))
			}
		}
		c.touch(rows)
		for _, row := range rows {
			c.move(&workers[worker], row, c.g.descend(node, c.g.matrix, int(row)))
		}
	})
	for old, heir := range c.heir {
		if heir == leaf {
			c.heir[old] = NoLeaf
		}
	}
	got := SumTotals(workers)
	got.AddUp(c.g.part)
	return got
}

// touch loads a byte of each cache line that holds data of these rows, so that the cache misses overlap.
func (c *contraction) touch(rows []int32) {
	sum := uint8(0)
	for _, row := range rows {
		bins := c.g.matrix.Row(int(row))
		for i := 0; i < len(bins); i += 64 {
			sum += bins[i]
		}
		sum += uint8(math.Float64bits(c.Lambda[row]) + math.Float64bits(c.Hessian[row]))
	}
	runtime.KeepAlive(sum)
}

// replace puts a child in the place of its parent.
func (c *contraction) replace(parent, child int32) {
	above := c.parents[parent]
	right := above >= 0 && c.g.Nodes[above].Right == parent
	switch {
	case above < 0:
		c.root = child
	case right:
		c.g.Nodes[above].Right = child
	default:
		c.g.Nodes[above].Left = child
	}
	if child >= 0 {
		c.parents[child] = above
	} else {
		c.g.leaves[^child].node, c.g.leaves[^child].right = above, right
	}
}

// move assigns a row to the given leaf, and adds it to what the leaf has got.
func (c *contraction) move(got *Totals, row, leaf int32) {
	c.LeafOf[row] = leaf
	if !c.InBag(row) {
		return
	}
	got.Sums[leaf] = got.Sums[leaf].Add(binsum.Sum{
		Gradient: c.totals.Gradient.Round(c.Lambda[row]),
		Hessian:  c.totals.Hessian.Round(c.Hessian[row]),
	})
	got.Rows[leaf]++
}

// renumber closes the gaps in the numbers of nodes and leaves, and returns what KeepMinimum does. The order
// remains, so that a node still comes before its children, and the root is the first.
func (c *contraction) renumber() (number []int32) {
	nodeNumber, leafNumber := numbers(c.without), numbers(c.gone)
	renumbered := func(child int32) int32 {
		if child < 0 {
			return ^leafNumber[^child]
		}
		return nodeNumber[child]
	}
	for i := range c.g.Nodes {
		c.g.Nodes[i].Left, c.g.Nodes[i].Right = renumbered(c.g.Nodes[i].Left), renumbered(c.g.Nodes[i].Right)
	}
	for i := range c.g.leaves {
		if c.g.leaves[i].node >= 0 {
			c.g.leaves[i].node = nodeNumber[c.g.leaves[i].node]
		}
	}
	c.g.Nodes, c.g.leaves = without(c.g.Nodes, c.without), without(c.g.leaves, c.gone)
	c.totals.Sums, c.totals.Rows = without(c.totals.Sums, c.gone), without(c.totals.Rows, c.gone)
	for leaf, heir := range c.heir {
		if heir != NoLeaf {
			c.heir[leaf] = leafNumber[heir]
		}
	}
	return c.heir
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
