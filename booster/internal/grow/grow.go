// Package grow grows one tree on the active rows of an iteration. It knows neither the parameters of a
// training run nor its rounds: a [Grower] gets [Settings] once, and for each tree the [Active] rows with
// their integer gradients, their bins, and the columns that the tree may split on.
//
//	Grower.Grow          nodes, and leaves with their rows (order.go, sums.go, search.go, count.go)
//	Grower.LeavesOf      the leaf of each row of the data, also of rows that were not active
//	Grower.KeepMinimum   takes out leaves that have too few of all rows (minimum.go)
//	Grower.Finish        a tree.Tree with the values of leaves from all rows (finish.go)
//
// Between these steps, the caller sums the gradients of all rows by leaf ([Totals]). Peers grow each tree
// together (share.go).
//
// A file uses only files of the lines below its own, or to the right of it:
//
//	grow                                  the grower is made, a tree is grown
//	symmetric order                       which leaves are split next
//	share sums                            sums of leaves, of all peers or of this process
//	divide count idle partition search    a leaf is divided, its rows are counted, its best split is found
//	minimum finish grower                 a grown tree becomes a tree.Tree; the state of all this
//	live constraints leaf columns         what a tree may split on, leaves
//	monotone comparable tree split sides  trees of splits by bins
//	totals active ranking settings stopwatch
package grow

import (
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/bincut"
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// New returns a grower of trees on the columns of a matrix. bins are its rows, and part says which rows
// of the data of all peers these are, who grow each tree together.
func New(s Settings, matrix *histogram.Matrix, bins *binsum.Rows, part *dataset.Part,
	pool *par.Pool) *Grower {
	g := &Grower{Settings: s, rules: rulesOf(&s), constraints: newConstraints(&s), part: part,
		Tree: NewTree(matrix, pool), orders: make([]bincut.Order, pool.Workers()),
		gathered:   make([]gathered, pool.Workers()),
		liveliness: liveliness{pool: pool, columns: len(matrix.Columns)}}
	g.memory.bins = bins.NumBins()
	for range pool.Workers() {
		g.builders = append(g.builders, bins.NewBuilder())
	}
	g.order = newOrder(g)
	if g.sums = (&alone{g: g}); part.Group().Size() > 1 {
		g.sums = &shared{g: g}
	}
	return g
}

// rulesOf returns the rules of single splits.
func rulesOf(s *Settings) Rules {
	r := s.Rules
	if s.Policy == ByLevel {
		r.MinGain = 0 // it is that of a level
	}
	return r
}

// newOrder returns the order of a grower's trees.
func newOrder(g *Grower) sequence {
	if g.Settings.Policy == ByLevel {
		return newSymmetric(g)
	}
	return &bestFirst{g: g, byDepth: g.Settings.Policy == ByDepth}
}

// Grow grows a tree on active rows, which have the given bins, by splits on some columns. draw is the number
// of the tree among random draws.
//
// By default it grows best leaf first: it splits the leaf whose best split gains most, until there are
// NumLeaves leaves or no split gains. Ties go to the smaller column, and then to the smaller leaf number.
//
// The result is in g.Nodes and g.leaves. The leaves' rows are the parts of g.rows:
//
//	g.rows   [ leaf 0 │ leaf 2 │ leaf 1          │ leaf 3 ]
func (g *Grower) Grow(a *Active, bins *binsum.Rows, columns []int32, draw int) {
	g.active, g.bins = a, bins
	if g.layout.set(&g.Tree, bins, columns) {
		g.sums.setColumns(columns)
	}
	g.constraints.begin(draw)
	g.regrow()
}

// regrow grows a tree on the same rows and columns as before.
func (g *Grower) regrow() {
	g.limits = g.rules.in(g.active)
	g.Nodes, g.fewRows, g.least = g.Nodes[:0], 0, 0
	g.bins.ForgetLeaves()
	g.liveliness.begin(g.active, g.bins, g.leastLive())
	g.leaves = append(g.leaves[:0], g.root())
	g.Watch.Lap(g.Watch.Root)
	g.order.grow()
	for i := range g.leaves {
		g.memory.release(&g.leaves[i])
	}
}

// leastLive returns the number of rows that a side of a split must have, for the choice of live columns; 0 if
// all columns are live: peers would have to agree, and symmetric trees add up the gains of several leaves.
func (g *Grower) leastLive() int {
	if g.Settings.Policy == ByLevel || g.part.Group().Size() > 1 {
		return 0
	}
	return max(1, g.limits.MinData)
}

// root returns the leaf of all active rows.
func (g *Grower) root() leaf {
	sum, count := g.active.Total(g.part, g.pool)
	root := leaf{count: count, sum: sum, node: -1, leafState: g.constraints.root(&g.limits, sum)}
	if root.rows, root.idle = g.setRows(); root.idle != nil {
		root.count = len(root.rows)
	}
	return root
}

// LeavesOf returns the leaf of each row of the data whose active rows the tree was grown on. If these are all
// rows, each leaf has lists of its rows. The result is valid until the next tree grows.
func (g *Grower) LeavesOf(data *histogram.Matrix) []int32 {
	g.spare = reuse.Slice(g.spare, data.NumRows())
	leafOf := g.spare
	if g.walksFaster(len(leafOf)) || g.leaves[0].idle != nil && g.pool.Workers() > mostDividing {
		g.FindLeaves(leafOf, data)
		return leafOf
	}
	for i := range g.leaves {
		if idle := g.leaves[i].idle; idle != nil {
			g.known(idle) // before the leaves are written to g.spare, which it uses
		}
	}
	if g.active.Spread {
		g.divideOthers(g.active.others(), 0)
	}
	g.pool.Run(len(g.leaves), func(_, leaf int) {
		lf := &g.leaves[leaf]
		mark(leafOf, lf.rows, leaf)
		mark(leafOf, lf.others, leaf)
		if lf.idle != nil {
			mark(leafOf, lf.idle.rows, leaf)
		}
	})
	return leafOf
}

// walksFaster reports whether it takes less time to send all rows of the data down the tree than to divide
// those that are not active: where most are not, unless rows are long, or have to be unpacked since columns
// are sparse.
func (g *Grower) walksFaster(all int) bool {
	const short = 64 // bytes: a cache line
	active := g.active.number()
	if active < all && !g.active.Spread {
		return true
	}
	return active < all/2 && !g.bins.HasSparse() && g.bins.SumsOfRow() <= short
}

// divideOthers divides rows that are not active among the leaves below a node.
func (g *Grower) divideOthers(rows []int32, at int32) {
	for at >= 0 {
		if len(rows) == 0 {
			return
		}
		node := &g.Nodes[at]
		left := g.partition(rows, g.spare, &node.split)
		g.divideOthers(rows[:left], node.Left)
		rows, at = rows[left:], node.Right
	}
	g.leaves[^at].others = rows
}

// mostDividing is the largest number of workers that divide idle rows along the tree faster than they send
// all rows down: they wait for each other at each split.
const mostDividing = 2

// mark writes the number of a leaf for its rows.
func mark(leafOf, rows []int32, leaf int) {
	for _, row := range rows {
		leafOf[row] = int32(leaf)
	}
}

// RootSplits reports whether the root of a tree on the same rows and columns as before could be split with
// other settings.
func (g *Grower) RootSplits(s Settings) bool {
	defer func(r Rules, c *constraints) { g.rules, g.constraints = r, c }(g.rules, g.constraints)
	c := newConstraints(&s)
	c.nodeKey, c.thresholdKey = g.constraints.nodeKey, g.constraints.thresholdKey
	g.rules, g.constraints = rulesOf(&s), c
	g.limits = g.rules.in(g.active)
	g.liveliness.begin(g.active, g.bins, g.leastLive()) // which columns can be split on depends on the rules
	root := g.root()
	defer g.memory.release(&root)
	if g.splittable(&root) {
		g.sums.search(family{left: &root}, nil)
	}
	return root.best.gain > 0
}
