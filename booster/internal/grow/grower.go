package grow

import (
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/bincut"
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/random"
)

// Grower grows trees on the active rows of an iteration. Its row numbers are places among these
// rows, not rows of the data unless they are spread over it. It keeps its memory between trees.
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
	halves     [2]leaf           // the children of the leaf that is being split
	divided    leaf              // that leaf
	fewRows    int               // leaves with at most this many rows keep no sums
	least      float64           // smallest gain with which a new leaf could still be split
	builders   []*binsum.Builder // by worker
	memory     memory
	ranking    ranking   // of a leaf's cuts
	counts     []int64   // by bin, of one column at a time
	estimates  []float64 // of counts
	liveliness liveliness
	Watch      Watch
	part       *dataset.Part // of the data; nil: all of it
}

// search holds the best cuts of a leaf's columns.
type search struct {
	leaf  bincut.Valued
	least float64      // smallest gain with which the leaf could still be split
	cuts  []bincut.Cut // by place in layout.placed
	// places of the columns that are searched, group after group; those of sparse columns by column in a group
	places   []int32
	live     []int32       // memory
	counting []int32       // columns in which the rows of the leaf are being counted (share.go)
	tried    split         // memory of choose
	column   bincut.Column // of tried
	ends     []bincut.Ends // by column, of categorical ones; they hold until the leaf changes

	free      bool       // all cuts of all columns are allowed, and their gains depend on sums alone
	allowed   []bool     // by place in layout.placed: the leaf may be split on the column; nil: on all
	threshold random.Key // of random thresholds
	depth     int        // of the split
}

// gathered are columns that are searched together.
type gathered struct {
	spans  []bincut.Span
	cuts   []bincut.Cut
	places []int32 // of them
	others []int32 // places of columns that are searched one by one

	missing bincut.Missing
}

// sequence decides in which order the leaves of a tree are split: the best leaf first or the leaves of least
// depth first ([bestFirst]), or all leaves of a level at once ([symmetric]).
type sequence interface {
	// grow splits leaves, from the root on.
	grow()
	// divided is called after a leaf was split, and finds sums and best splits of its children if they are
	// needed; f is empty if these are known. outdated are the leaves that must be searched again.
	divided(f family, outdated []*leaf)
}

// sums finds the histograms of leaves from the rows of this process ([alone]), or of all peers ([shared]). It
// also finds the numbers of rows of the leaves.
type sums interface {
	// setColumns sets the columns that the next tree may split on.
	setColumns(columns []int32)
	// search finds the sums and the best splits of two new leaves, or of the root, and again the best splits
	// of outdated leaves, which have sums.
	search(f family, outdated []*leaf)
	// sum finds only the sums, for leaves that will all be split by the same cut.
	sum(families []family)
	// ahead returns the children of the next leaf to be split if they were made and searched in advance, or
	// nil. likely returns the leaves without children that will probably be split next, beginning with lf.
	ahead(lf *leaf, likely func() []*leaf) *[2]leaf
}

// NumLeaves returns the number of leaves of the tree.
func (g *Grower) NumLeaves() int { return len(g.leaves) }

// needsRows reports whether the search for splits needs the number of rows of a leaf.
func (g *Grower) needsRows() bool {
	return g.categorical != nil || g.constraints.needsRows()
}

// columnOf returns a leaf's sums in one column.
func (g *Grower) columnOf(lf *leaf, number int32) bincut.Column {
	from, to := g.bins.ColumnRange(number)
	return bincut.Column{Sums: lf.sums[from:to], Missing: g.matrix.MissingBins[number]}
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
