// Package grow grows one tree on the active rows of an iteration. It knows neither the parameters of a training
// run nor its rounds: a [Grower] gets [Settings] once, and for each tree the [Active] rows with their integer
// gradients, their bins, and the columns that the tree may split on.
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
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/histogram"
	"github.com/lambdamart/lambdamart/internal/bincut"
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// Grower grows trees on the active rows of an iteration. Its row numbers are places among these
// rows, not rows of the data. It keeps its memory between trees.
type Grower struct {
	Tree

	Settings    Settings
	rules       Rules
	limits      limits // the rules in the units of the active rows
	constraints *constraints
	order       sequence
	sums        sums

	active   *Active
	bins     *binsum.Rows   // of the active rows, with planes
	columns  []int32        // that the tree may split on, ascending
	orders   []bincut.Order // by worker
	gathered []gathered     // by worker
	groups   []columnGroup  // of those columns
	chunks   []chunk        // of the groups
	placed   []int32        // the columns, group after group
	places   []int32        // of these columns, ascending
	placeOf  []int32        // by column: its place in placed, -1 if it has none
	dense    int            // number of columns in placed before the sparse ones
	sets     []int          // places of the categorical ones, those with the most bins first

	rows, spare []int32 // places of the active rows; each leaf has a part of rows, spare is scratch space
	leaves      []leaf
	fewRows     int                // leaves with at most this many rows keep no sums
	least       float64            // smallest gain with which a new leaf could still be split
	builders    []*binsum.Builder  // by worker
	free        []binsum.Histogram // not in use by a leaf
	ranking     ranking            // of a leaf's cuts
	counts      []int64            // by bin, of one column at a time
	words       []int64            // counts of several columns, which peers add up
	liveliness  liveliness
	Watch       Watch
	part        *dataset.Part // of the data; nil: all of it
}

// New returns a grower of trees on the columns of a matrix. bins are its rows, and part says which rows
// of the data of all peers these are, who grow each tree together.
func New(s Settings, matrix *histogram.Matrix, bins *binsum.Rows, part *dataset.Part,
	pool *par.Pool) *Grower {
	g := &Grower{Settings: s, rules: rulesOf(&s), constraints: newConstraints(&s), part: part,
		Tree: NewTree(matrix, pool), orders: make([]bincut.Order, pool.Workers()),
		gathered: make([]gathered, pool.Workers())}
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

// columnGroup has the columns to split on whose sums are found together.
type columnGroup struct {
	// columns of the tree in this group: numeric ones, then those with a bin of missing values, then
	// categorical ones
	columns []int32
	plain   []bincut.Span // of the numeric columns that have no bin of missing values
	beside  []bincut.Span // of those that have one
	missing []int32       // these bins
	sets    int           // number of categorical columns
	first   int           // place of the first column in Grower.placed
	sparse  bool          // the columns are sparse
}

// search holds the best cuts of a leaf's columns.
type search struct {
	leaf  bincut.Valued
	least float64      // smallest gain with which the leaf could still be split
	cuts  []bincut.Cut // by place in Grower.placed
	// places of the columns that are searched, group after group; those of sparse columns by column in a
	// group
	places []int32
	live   []int32       // memory
	ends   []bincut.Ends // by column, of categorical ones; they hold until the leaf changes

	free      bool       // all cuts of all columns are allowed, and their gains depend on sums alone
	allowed   []bool     // by place in Grower.placed: the leaf may be split on the column; nil: on all
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

// Grow grows a tree on active rows, which have the given bins, by splits on some columns. draw is the number of
// the tree among random draws.
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
	g.setColumns(columns)
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
		g.release(&g.leaves[i])
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
	g.release(&parent)
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

// attach replaces the leaf, as a child of its parent, by internal node at.
func (g *Grower) attach(lf leaf, at int32) {
	switch {
	case lf.node < 0:
	case lf.right:
		g.Nodes[lf.node].Right = at
	default:
		g.Nodes[lf.node].Left = at
	}
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

// chunk is a share of the groups of the tree's columns, for one worker.
type chunk struct {
	groups []columnGroup
	parts  []binsum.Part // of these groups
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

// dropSums releases the sums of a leaf that was searched and has no split.
func (g *Grower) dropSums(lf *leaf) {
	if lf.best.gain <= 0 {
		g.release(lf)
	}
}

// columnOf returns a leaf's sums in one column.
func (g *Grower) columnOf(lf *leaf, number int32) bincut.Column {
	from, to := g.bins.ColumnRange(number)
	return bincut.Column{Sums: lf.sums[from:to], Missing: g.matrix.MissingBins[number]}
}

// setColumns sets the columns that the next tree may split on.
func (g *Grower) setColumns(columns []int32) {
	if slices.Equal(columns, g.columns) {
		return
	}
	g.columns = slices.Clone(columns)
	groups, placed, shares := g.groupsOf(columns)
	g.groups, g.placed, g.sets = groups, placed, g.setsAmong(placed)
	g.chunks = g.chunks[:0]
	for _, parts := range shares {
		g.chunks = append(g.chunks, chunk{groups[:len(parts)], parts})
		groups = groups[len(parts):]
	}
	g.places, g.dense = g.places[:0], 0
	g.placeOf = slices.Repeat([]int32{-1}, len(g.matrix.Columns))
	for place, column := range placed {
		g.places, g.placeOf[column] = append(g.places, int32(place)), int32(place)
		if !g.matrix.Fields[column].Sparse {
			g.dense++
		}
	}
	g.sums.setColumns(columns)
}

// groupsOf returns the groups of columns, the columns group after group, and the parts of a row in which they
// are: for each worker, those of its groups.
func (g *Grower) groupsOf(columns []int32) (groups []columnGroup, order []int32, shares [][]binsum.Part) {
	shares, groupOf := g.bins.Divide(columns, g.pool.Workers())
	for _, parts := range shares {
		groups = append(groups, make([]columnGroup, len(parts))...)
	}
	for i, number := range columns {
		if g.matrix.MissingBins[number] < 0 && !g.IsCategorical(number) {
			from, to := g.bins.ColumnRange(number)
			cg := &groups[groupOf[i]]
			cg.columns, cg.plain = append(cg.columns, number), append(cg.plain, bincut.Span{From: from, To: to})
		}
	}
	for i, number := range columns {
		if missing := g.matrix.MissingBins[number]; missing >= 0 {
			from, to := g.bins.ColumnRange(number)
			cg := &groups[groupOf[i]]
			cg.columns, cg.missing = append(cg.columns, number), append(cg.missing, missing)
			cg.beside = append(cg.beside, bincut.Span{From: from, To: to})
		}
	}
	for i, number := range columns {
		if cg := &groups[groupOf[i]]; g.IsCategorical(number) {
			cg.columns, cg.sets = append(cg.columns, number), cg.sets+1
		}
	}
	for i := range groups {
		groups[i].first, groups[i].sparse = len(order), g.matrix.Fields[groups[i].columns[0]].Sparse
		order = append(order, groups[i].columns...)
	}
	return groups, order, shares
}

// setsAmong returns the places of categorical columns, those with the most bins first.
func (g *Grower) setsAmong(placed []int32) (places []int) {
	for place, column := range placed {
		if g.IsCategorical(column) {
			places = append(places, place)
		}
	}
	bins := func(place int) int { return g.matrix.Bins(placed[place]).NumBins() }
	slices.SortStableFunc(places, func(a, b int) int { return bins(b) - bins(a) })
	return places
}

// acquire returns memory for the sums of a leaf. Its content is unspecified.
func (g *Grower) acquire() binsum.Histogram {
	n := len(g.free)
	if n == 0 {
		return make(binsum.Histogram, g.bins.NumBins())
	}
	sums := g.free[n-1]
	g.free = g.free[:n-1]
	return sums
}

// release frees the memory of a leaf's sums for other leaves.
func (g *Grower) release(lf *leaf) {
	g.recycle(lf)
	if lf.children != nil { // made in advance, but not used
		g.release(&lf.children[0])
		g.release(&lf.children[1])
		lf.children = nil
	}
}

// recycle frees the memory of a leaf's own sums.
func (g *Grower) recycle(lf *leaf) {
	if lf.sums != nil {
		g.free = append(g.free, lf.sums)
		lf.sums = nil
	}
}

// LeavesOf writes to dst the leaf of each row of the data whose active rows the tree was grown on. If these
// are all rows, each leaf has a list of its rows.
func (g *Grower) LeavesOf(dst []int32, data *histogram.Matrix) {
	if len(g.active.Rows) == len(dst) && g.leaves[0].idle == nil {
		g.markLeaves(dst)
	} else {
		g.FindLeaves(dst, data)
	}
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
	defer g.release(&root)
	if g.splittable(&root) {
		g.sums.search(family{left: &root})
	}
	return root.best.gain > 0
}
