package booster

import (
	"github.com/lambdamart/lambdamart/histogram"
	"github.com/lambdamart/lambdamart/internal/par"
)

// grower grows trees on one matrix, each time from the rows, gradients and
// columns that it is given. It keeps its memory between trees.
type grower struct {
	limits
	numLeaves, maxDepth int

	data      *histogram.Matrix
	pool      *par.Pool
	gradients []histogram.Sum // by row
	columns   []int32         // that the tree may split on, ascending
	groups    []columnGroup   // of those columns

	rows, spare []int32
	leaves      []leaf
	nodes       []node
	candidates  [2][]split            // of the two leaves that are being searched, by place in columns
	free        []histogram.Histogram // not in use by a leaf
}

// columnGroup is a group of the matrix that has columns to split on.
type columnGroup struct {
	group   int
	columns []int32 // of the tree, in this group
	first   int     // place of columns[0] among all columns of the tree
}

// leaf is a leaf of the growing tree.
type leaf struct {
	rows  []int32 // a part of grower.rows; the leaves' parts do not meet
	sum   histogram.Sum
	depth int
	sums  histogram.Histogram // nil where the leaf will not be split
	best  split               // its gain is 0 if the leaf cannot be split
	node  int32               // parent, -1 for the root
	right bool                // it is the parent's right child
}

// node is an internal node of the growing tree.
type node struct {
	split
	sum         histogram.Sum
	rows        int
	left, right int32 // an internal node, or ^leaf
}

// grow grows a tree on the given rows (g.rows, filled by the caller), best leaf
// first: of all leaves the one whose best split gains most is split, until there
// are numLeaves leaves or none gains. Of equal gains the smaller column, then
// the smaller leaf number, comes first.
//
// The tree is left in g.nodes and g.leaves.
func (g *grower) grow() {
	g.nodes = g.nodes[:0]
	g.leaves = append(g.leaves[:0], leaf{rows: g.rows, sum: g.sumOf(g.rows), node: -1})
	if g.numLeaves > 1 && g.splittable(&g.leaves[0]) {
		g.searchRoot(&g.leaves[0])
	}
	for len(g.leaves) < g.numLeaves {
		next := g.bestLeaf()
		if next < 0 {
			break
		}
		g.split(next)
	}
	for i := range g.leaves {
		g.release(&g.leaves[i])
	}
}

// bestLeaf returns the number of the leaf to split, or -1 if none gains.
func (g *grower) bestLeaf() int {
	at, best := -1, split{}
	for i := range g.leaves {
		if g.leaves[i].best.better(best) {
			at, best = i, g.leaves[i].best
		}
	}
	return at
}

// split splits a leaf: it keeps the left rows, and a new leaf gets the others.
func (g *grower) split(number int) {
	parent := g.leaves[number]
	at := int32(len(g.nodes))
	g.attach(parent, at)
	g.nodes = append(g.nodes, node{
		split: parent.best, sum: parent.sum, rows: len(parent.rows),
		left: ^int32(number), right: ^int32(len(g.leaves)),
	})
	n := g.partition(parent.rows, g.spare, parent.best.column, parent.best.bin)
	depth := parent.depth + 1
	left := leaf{rows: parent.rows[:n], sum: parent.best.left, depth: depth, node: at}
	right := leaf{rows: parent.rows[n:], sum: parent.sum.Sub(parent.best.left), depth: depth, node: at, right: true}
	if len(g.leaves)+1 < g.numLeaves {
		g.searchChildren(&parent, &left, &right)
	}
	g.release(&parent)
	g.leaves[number] = left
	g.leaves = append(g.leaves, right)
}

// attach makes internal node at what the leaf was to its parent.
func (g *grower) attach(lf leaf, at int32) {
	switch {
	case lf.node < 0:
	case lf.right:
		g.nodes[lf.node].right = at
	default:
		g.nodes[lf.node].left = at
	}
}

// splittable tells whether a leaf may have children at all.
func (g *grower) splittable(lf *leaf) bool {
	deep := g.maxDepth > 0 && lf.depth >= g.maxDepth
	return !deep && len(lf.rows) >= 2*max(1, g.minData) &&
		lf.sum.Hessian > 0 && g.hessian.Float(lf.sum.Hessian) >= 2*g.minSumHessian
}

// searchRoot finds the sums and the best split of the root.
func (g *grower) searchRoot(root *leaf) {
	root.sums = g.acquire()
	g.pool.Run(len(g.groups), func(_, i int) {
		cg := &g.groups[i]
		g.data.Build(&root.sums[cg.group], cg.group, root.rows, g.gradients)
		g.searchGroup(g.candidates[0], root, cg)
	})
	g.conclude(root, g.candidates[0])
}

// searchChildren finds the sums and the best splits of two new leaves: those of
// the smaller one from its rows, those of the larger one by subtraction from
// its parent's, whose memory it takes over.
func (g *grower) searchChildren(parent, left, right *leaf) {
	small, large := left, right
	if len(right.rows) < len(left.rows) {
		small, large = right, left
	}
	searchSmall, searchLarge := g.splittable(small), g.splittable(large)
	if !searchSmall && !searchLarge {
		return
	}
	small.sums = g.acquire()
	large.sums, parent.sums = parent.sums, nil
	g.pool.Run(len(g.groups), func(_, i int) {
		cg := &g.groups[i]
		sums := &small.sums[cg.group]
		g.data.Build(sums, cg.group, small.rows, g.gradients)
		if searchSmall {
			g.searchGroup(g.candidates[0], small, cg)
		}
		if searchLarge {
			large.sums[cg.group].Subtract(sums)
			g.searchGroup(g.candidates[1], large, cg)
		}
	})
	g.finishSearch(small, searchSmall, g.candidates[0])
	g.finishSearch(large, searchLarge, g.candidates[1])
}

func (g *grower) finishSearch(lf *leaf, searched bool, candidates []split) {
	if !searched {
		g.release(lf)
		return
	}
	g.conclude(lf, candidates)
}

// conclude settles a leaf's best split. A leaf without one gives its memory back.
func (g *grower) conclude(lf *leaf, candidates []split) {
	lf.best = g.choose(candidates, lf, func(column int32) []histogram.Sum { return g.sumsOf(lf, column) })
	if lf.best.gain <= 0 {
		g.release(lf)
	}
}

// searchGroup finds the best split of a leaf in each column of a group.
func (g *grower) searchGroup(candidates []split, lf *leaf, cg *columnGroup) {
	for i, column := range cg.columns {
		candidates[cg.first+i] = g.bestOfColumn(column, g.sumsOf(lf, column), lf.sum, nil)
	}
}

// sumsOf returns a leaf's histogram of one column.
func (g *grower) sumsOf(lf *leaf, column int32) []histogram.Sum {
	group := &lf.sums[column/histogram.GroupSize]
	return group[column%histogram.GroupSize][:g.data.Bins(column).NumBins()]
}

// sumOf adds up rows.
func (g *grower) sumOf(rows []int32) histogram.Sum {
	var sum histogram.Sum
	for _, r := range rows {
		sum = sum.Add(g.gradients[r])
	}
	return sum
}

// setColumns tells which columns the next tree may split on.
func (g *grower) setColumns(columns []int32) {
	g.columns = columns
	g.groups = g.groups[:0]
	for i, column := range columns {
		group := int(column / histogram.GroupSize)
		if n := len(g.groups); n > 0 && g.groups[n-1].group == group {
			g.groups[n-1].columns = columns[g.groups[n-1].first : i+1]
			continue
		}
		g.groups = append(g.groups, columnGroup{group: group, columns: columns[i : i+1], first: i})
	}
	for side := range g.candidates {
		g.candidates[side] = make([]split, len(columns))
	}
}

// acquire returns memory for the sums of a leaf, of unknown content.
func (g *grower) acquire() histogram.Histogram {
	if n := len(g.free); n > 0 {
		h := g.free[n-1]
		g.free = g.free[:n-1]
		return h
	}
	return make(histogram.Histogram, g.data.NumGroups())
}

// release takes back the memory of a leaf's sums.
func (g *grower) release(lf *leaf) {
	if lf.sums != nil {
		g.free = append(g.free, lf.sums)
		lf.sums = nil
	}
}
