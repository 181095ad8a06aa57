// Package grow grows one tree on the active rows of an iteration. It knows neither the parameters of a
// training run nor its rounds: a [Grower] gets [Settings] once, and for each tree the [Active] rows with
// their integer gradients, their bins, and the columns that the tree may split on.
//
//	Grower.Grow          nodes, and leaves with their rows (order.go, sums.go, constraints.go, count.go)
//	Grower.LeavesOf      the leaf of each row of the data, also of rows that were not active
//	Grower.KeepMinimum   takes out leaves that have too few of all rows (minimum.go)
//	Grower.Finish        a tree.Tree with the values of leaves from all rows (finish.go)
//
// Between these steps, the caller sums the gradients of all rows by leaf ([Totals]). Peers grow each tree
// together (share.go).
package grow

import (
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/bincut"
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// Grower grows trees on the active rows of an iteration. Its row numbers are places among these
// rows, not rows of the data. It keeps its memory between trees.
type Grower struct {
	Tree
	layout

	Settings    Settings
	rules       Rules
	limits      limits // the rules in the units of the active rows
	constraints *constraints
	order       sequence
	sums        sums

	active   *Active
	bins     *binsum.Rows   // of the active rows, with planes
	orders   []bincut.Order // by worker
	gathered []gathered     // by worker

	// rows are places of the active rows, of which each leaf has a part. spare is scratch space, and has the
	// leaf of each row of the data once the tree is grown.
	rows, spare []int32

	leaves     []leaf
	fewRows    int               // leaves with at most this many rows keep no sums
	least      float64           // smallest gain with which a new leaf could still be split
	builders   []*binsum.Builder // by worker
	memory     memory
	ranking    ranking // of a leaf's cuts
	counts     []int64 // by bin, of one column at a time
	words      []int64 // counts of several columns, which peers add up
	liveliness liveliness
	Watch      Watch
	part       *dataset.Part // of the data; nil: all of it
}

// New returns a grower of trees on the columns of a matrix. bins are its rows, and part says which rows
// of the data of all peers these are, who grow each tree together.
func New(s Settings, matrix *histogram.Matrix, bins *binsum.Rows, part *dataset.Part,
	pool *par.Pool) *Grower {
	g := &Grower{Settings: s, rules: rulesOf(&s), constraints: newConstraints(&s), part: part,
		Tree: NewTree(matrix, pool), orders: make([]bincut.Order, pool.Workers()),
		gathered: make([]gathered, pool.Workers())}
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

// search holds the best cuts of a leaf's columns.
type search struct {
	leaf  bincut.Valued
	least float64      // smallest gain with which the leaf could still be split
	cuts  []bincut.Cut // by place in layout.placed
	// places of the columns that are searched, group after group; those of sparse columns by column in a
	// group
	places []int32
	live   []int32       // memory
	ends   []bincut.Ends // by column, of categorical ones; they hold until the leaf changes

	free      bool       // all cuts of all columns are allowed, and their gains depend on sums alone
	allowed   []bool     // by place in layout.placed: the leaf may be split on the column; nil: on all
	threshold random.Key // of random thresholds
	depth     int        // of the split
}

// leaf is a leaf of the growing tree.
type leaf struct {
	rows  []int32   // a part of Grower.rows; the parts of different leaves do not overlap
	count int       // number of rows of all peers, without idle ones that are set apart
	idle  *idleRows // nil if they are among rows
	about float64   // number of rows, an estimate if gradients are sparse; set only if Grower.needsRows
	sum   binsum.Sum
	depth int
	sums  binsum.Histogram // packed; nil if the leaf will not be split
	live  *binsum.Live     // columns that it may be split on; sums of others are unspecified
	best  split            // its gain is 0 if the leaf cannot be split
	node  int32            // parent, -1 for the root
	right bool             // it is the parent's right child

	children *[2]leaf // its children, if they are made before it is split (sums.go)
	leafState
}

// node is an internal node of the growing tree.
type node struct {
	split
	Left, Right int32 // an internal node, or ^leaf
}

// Grow grows a tree on active rows, which have the given bins, by splits on some columns. draw is the number
// of the tree among random draws.
//
// By default it grows best leaf first: it splits the leaf whose best split gains
// most, until there are numLeaves leaves or no split gains. Ties go to the smaller column, and then to the
// smaller leaf number.
//
// The result is in g.nodes and g.leaves. The leaves' rows are the parts of g.rows:
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
	g.liveliness.begin(g)
	g.leaves = append(g.leaves[:0], g.root())
	g.Watch.Lap(g.Watch.Root)
	g.order.grow()
	for i := range g.leaves {
		g.memory.release(&g.leaves[i])
	}
}

// NumLeaves returns the number of leaves of the tree.
func (g *Grower) NumLeaves() int { return len(g.leaves) }

// root returns the leaf of all active rows.
func (g *Grower) root() leaf {
	sum, count := g.active.Total(g.part, g.pool)
	root := leaf{count: count, sum: sum, node: -1, leafState: g.constraints.root(&g.limits, sum)}
	if root.rows, root.idle = g.setRows(); root.idle != nil {
		root.count = len(root.rows)
	}
	return root
}

// split splits a leaf. The leaf keeps the rows that go left, and a new leaf gets the others. children are the
// two leaves if they are already made; otherwise nil.
func (g *Grower) split(number int, children *[2]leaf) {
	parent := g.leaves[number]
	at := int32(len(g.Nodes))
	g.attach(parent, at)
	g.Nodes = append(g.Nodes, node{split: parent.best, Left: ^int32(number), Right: ^int32(len(g.leaves))})
	g.constraints.parents = append(g.constraints.parents[:at], parent.node)
	if children == nil {
		children = g.divide(&parent)
		left, right := &children[0], &children[1]
		left.node, right.node = at, at
		g.Watch.Lap(g.Watch.Partition)
		g.constrainChildren(&parent, left, right)
		g.order.divided(family{&parent, left, right})
	}
	children[0].node, children[1].node = at, at
	g.memory.release(&parent)
	g.leaves[number] = children[0]
	g.leaves = append(g.leaves, children[1])
}

// divide returns the children of a leaf, with the rows of this peer.
func (g *Grower) divide(parent *leaf) *[2]leaf {
	n, depth := g.partition(parent.rows, g.spare, &parent.best), parent.depth+1
	children := &[2]leaf{
		{rows: parent.rows[:n], count: n, sum: parent.best.left, depth: depth},
		{rows: parent.rows[n:], count: parent.count - n, sum: parent.sum.Sub(parent.best.left), depth: depth,
			right: true},
	}
	divideIdle(parent, children)
	return children
}

// splittable reports whether the rules allow a leaf to have children at all.
func (g *Grower) splittable(lf *leaf) bool {
	least := 2
	if !g.active.Sparse {
		least = max(least, 2*g.limits.MinData)
	}
	return g.promising(lf) && g.hasRows(lf, least)
}

// promising is like splittable, without the check of the number of rows.
func (g *Grower) promising(lf *leaf) bool {
	deep := g.Settings.MaxDepth > 0 && lf.depth >= g.Settings.MaxDepth
	return !deep && float64(lf.sum.Hessian) >= 2*g.limits.MinHessian
}

// sumAll finds the sums of a leaf in all groups, as sum does in a chunk of them.
//
// Each worker reads a part of every row. If there are many rows, it reads some rows as a whole instead,
// because copies of rows, and pages of memory that several workers read, cost each of them time. The sums of
// all workers must then be added up, which takes longer the more bins there are.
func (g *Grower) sumAll(lf *leaf, parent binsum.Histogram, live, rest *binsum.Live,
	search func(worker int, cg *columnGroup)) {
	workers := g.pool.Workers()
	many := max(1<<10, g.bins.NumBins()/4)
	var all []binsum.Part
	for _, c := range g.chunks {
		all = append(all, c.parts...)
	}
	if workers == 1 || len(lf.rows) < many*workers || !g.bins.HasBytes(all[len(all)-1]) {
		g.eachChunk(func(worker int, c chunk) { g.sum(worker, c, lf.sums, parent, lf.rows, live, rest, search) })
		return
	}
	g.pool.Each(workers, func(place int) {
		from, to := place*len(lf.rows)/workers, (place+1)*len(lf.rows)/workers
		g.builders[place].Add(g.bins, all, lf.rows[from:to], g.active.Packed)
	})
	g.Watch.Lap(g.Watch.Histogram)
	g.eachChunk(func(worker int, c chunk) {
		g.builders[worker].Collect(g.bins, g.builders, c.parts)
		g.sum(worker, c, lf.sums, parent, nil, live, rest, search)
	})
}

// sum writes the sums of rows in a chunk of groups to dst, and calls search for each group once its sums are
// known. Unless parent is nil, the sums are subtracted from it. live and rest are the columns whose sums are
// needed in dst and in parent.
func (g *Grower) sum(worker int, c chunk, dst, parent binsum.Histogram, rows []int32, live, rest *binsum.Live,
	search func(worker int, cg *columnGroup)) {
	g.builders[worker].Sum(g.bins, dst, parent, c.parts, rows, g.active.Packed, live, rest, func(i int) {
		g.Watch.workerLap(worker, g.Watch.Histogram)
		search(worker, &c.groups[i])
		g.Watch.workerLap(worker, g.Watch.Split)
	})
}

// begin begins the searches of leaves.
func (g *Grower) begin(searches []search, leaves ...*leaf) {
	for i, lf := range leaves {
		s := &searches[i]
		s.least, s.cuts, s.places = g.least, reuse.Slice(s.cuts, len(g.placed)), g.places
		if lf.live != nil {
			s.live = g.livePlaces(s.live, lf.live)
			s.places = s.live
		}
		g.constrain(s, lf)
	}
}

// eachChunk divides the groups of columns among the workers, in chunks of consecutive groups. So a worker
// reads only a part of each row, and the sums of a column stay in the cache of one worker from leaf to leaf.
func (g *Grower) eachChunk(task func(worker int, c chunk)) {
	g.pool.Each(len(g.chunks), func(worker int) {
		g.Watch.begin(worker)
		task(worker, g.chunks[worker])
	})
	g.Watch.lapShared(g.Watch.Split)
}

// eachColumn calls a task for each column that the tree may split on, by place.
func (g *Grower) eachColumn(task func(worker, place int)) {
	g.eachChunk(func(worker int, c chunk) {
		for _, cg := range c.groups {
			for i := range cg.columns {
				task(worker, cg.first+i)
			}
		}
		g.Watch.workerLap(worker, g.Watch.Split)
	})
}

// columnOf returns a leaf's sums in one column.
func (g *Grower) columnOf(lf *leaf, number int32) bincut.Column {
	from, to := g.bins.ColumnRange(number)
	return bincut.Column{Sums: lf.sums[from:to], Missing: g.matrix.MissingBins[number]}
}

// LeavesOf returns the leaf of each row of the data whose active rows the tree was grown on. If these are all
// rows, each leaf has a list of its rows. The result is valid until the next tree grows.
func (g *Grower) LeavesOf(data *histogram.Matrix) []int32 {
	g.spare = reuse.Slice(g.spare, data.NumRows())
	if leafOf := g.spare; len(g.active.Packed) == len(leafOf) && g.leaves[0].idle == nil {
		g.markLeaves(leafOf)
	} else {
		g.FindLeaves(leafOf, data)
	}
	return g.spare
}

// markLeaves writes to dst the leaf of each row, if the tree was grown on all rows.
func (g *Grower) markLeaves(dst []int32) {
	g.pool.Run(len(g.leaves), func(_, leaf int) {
		for _, row := range g.leaves[leaf].rows {
			dst[row] = int32(leaf)
		}
	})
}

// RootSplits reports whether the root of a tree on the same rows and columns as before could be split with
// other settings.
func (g *Grower) RootSplits(s Settings) bool {
	defer func(r Rules, c *constraints) { g.rules, g.constraints = r, c }(g.rules, g.constraints)
	c := newConstraints(&s)
	c.nodeKey, c.thresholdKey = g.constraints.nodeKey, g.constraints.thresholdKey
	g.rules, g.constraints = rulesOf(&s), c
	g.limits = g.rules.in(g.active)
	g.liveliness.begin(g) // which columns can be split on depends on the rules
	root := g.root()
	defer g.memory.release(&root)
	if g.splittable(&root) {
		g.sums.search(family{left: &root})
	}
	return root.best.gain > 0
}
