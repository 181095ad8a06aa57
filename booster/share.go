package booster

import (
	"github.com/lambdamart/lambdamart/internal/bincut"
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/reuse"
	"github.com/lambdamart/lambdamart/peers"
)

// Peers grow a tree together: each sums the gradients of its own rows, and searches columns of its own for
// cuts of the rows of all. Of a leaf,
//
//	each rank     builds the sums of its rows, of all columns
//	all ranks     add them up, and each gets those of its columns (ReduceScatter)
//	each rank     subtracts them from the parent's for the other child, and finds its best cuts of both
//	all ranks     exchange their best splits, of which the best is the leaf's (AllGather)
//	all ranks     count rows by bins, where min_data_in_leaf may forbid that split (Sum, ReduceScatter)
//
// # Batches of leaves
//
// Leaf by leaf, that is two exchanges for each split, and waiting for the network takes most of the time.
// But which leaves will be split is nearly known: if the children of no leaf were ever split, the next
// splits would be those of the best leaves there are. A leaf that is not among these will not be among the
// next splits either, since children only compete with it. So the children of all leaves among them, up
// to batchLeaves, are made and searched in the same exchanges, and wait until the leaf is split. A few
// leaves are searched in vain, because better children have come before them. The tree is the same.
const batchLeaves = 24

// share is what a grower has where ranks grow trees together.
type share struct {
	peers peers.Group
	first []int32 // by rank: its first column; one more entry for the end
	from  int32   // where this rank's columns begin in a histogram of all columns
	bins  int     // of this rank's columns

	own    []columnGroup // groups with columns of this rank that the tree may split on
	widths []int         // by rank: bins of its columns that the tree may split on
	places []place       // of these columns, rank by rank, in a histogram

	sideWords int // integers that stand for the sides of a split of categories

	columns [][]int32 // by rank: these columns
	placeOf []int32   // by column: its place among the cuts of a search, if it is this rank's

	local    binsum.Histogram // of this rank's rows
	send     []int64
	received []int64
	searches []search
}

// place is where consecutive columns of a rank are in a histogram of all columns.
type place struct {
	rank     int
	from, to int32
}

// expansion is a leaf with the children that it gets if it is split, of which the one with fewer rows is
// built from its rows. Of the root, small is the root itself, and there is no large.
type expansion struct {
	parent, small, large *leaf
}

// join makes the grower one of a rank. The columns are divided among the ranks by their bins.
func (g *grower) join(group peers.Group, bins *binsum.Rows) {
	g.peers, g.active.peers = group, group
	if group.Size() == 1 {
		return
	}
	s := &share{peers: group, first: make([]int32, group.Size()+1), widths: make([]int, group.Size()),
		local: make(binsum.Histogram, bins.NumBins())}
	columns := int32(len(g.matrix.Columns))
	for rank, c := 1, int32(0); rank <= group.Size(); rank++ {
		for ; c < columns; c++ {
			if from, _ := bins.ColumnRange(c); rank < group.Size() && int(from)*group.Size() >= bins.NumBins()*rank {
				break
			}
		}
		s.first[rank] = c
	}
	begin := func(rank int) int32 {
		if c := s.first[rank]; c < columns {
			from, _ := bins.ColumnRange(c)
			return from
		}
		return int32(bins.NumBins())
	}
	s.sideWords = g.wordsOfSides()
	s.from = begin(group.Rank())
	s.bins = int(begin(group.Rank()+1) - s.from)
	g.share = s
}

// setColumns sets the columns that the next tree may split on, which are columns of the grower's. groups
// are those of this rank's columns.
func (s *share) setColumns(columns []int32, groups []columnGroup, bins *binsum.Rows) {
	s.own, s.places = groups, s.places[:0]
	for i := range s.own {
		for j := range s.own[i].plain {
			s.own[i].plain[j].From -= s.from
			s.own[i].plain[j].To -= s.from
		}
	}
	clear(s.widths)
	s.columns, s.placeOf = make([][]int32, len(s.widths)), make([]int32, s.first[len(s.widths)])
	for _, cg := range groups {
		for i, c := range cg.columns {
			s.placeOf[c] = int32(cg.first + i)
		}
	}
	rank := 0
	for _, c := range columns {
		for c >= s.first[rank+1] {
			rank++
		}
		from, to := bins.ColumnRange(c)
		s.widths[rank] += int(to - from)
		s.columns[rank] = append(s.columns[rank], c)
		if n := len(s.places); n > 0 && s.places[n-1].rank == rank && s.places[n-1].to == from {
			s.places[n-1].to = to
		} else {
			s.places = append(s.places, place{rank, from, to})
		}
	}
}

// isOwn reports whether a column is one of this rank's.
func (s *share) isOwn(column int32) bool {
	rank := s.peers.Rank()
	return column >= s.first[rank] && column < s.first[rank+1]
}

// expand makes and searches the children of the leaves that will probably be split next, among them
// those of the best one.
func (g *grower) expand() {
	var batch []expansion
	for _, parent := range g.likely() {
		n := g.partition(parent.rows, g.spare, &parent.best)
		parent.children = &[2]leaf{
			{rows: parent.rows[:n], sum: parent.best.left, depth: parent.depth + 1},
			{rows: parent.rows[n:], sum: parent.sum.Sub(parent.best.left), depth: parent.depth + 1, right: true},
		}
		g.constraints.children(parent, &parent.children[0], &parent.children[1])
		batch = g.appendExpansion(batch, parent, &parent.children[0], &parent.children[1])
	}
	g.watch.lap(PhasePartition)
	g.searchTogether(batch)
}

// appendExpansion appends a leaf and its children to a batch, unless neither of them can have children.
func (g *grower) appendExpansion(batch []expansion, parent, left, right *leaf) []expansion {
	e := expansion{parent, left, right}
	if right.sum.Hessian < left.sum.Hessian { // all ranks know Hessians, and none the numbers of rows
		e.small, e.large = right, left
	}
	if g.promising(e.small) || g.promising(e.large) {
		batch = append(batch, e)
	}
	return batch
}

// likely returns the leaves without children that would be split next if new leaves were never split,
// the best one first. None of them makes the last leaf of the tree, unless it is the only one.
func (g *grower) likely() []*leaf {
	frontier := make([]*leaf, len(g.leaves))
	for i := range g.leaves {
		frontier[i] = &g.leaves[i]
	}
	var open []*leaf
	for range max(1, g.numLeaves-len(g.leaves)-1) {
		at := -1
		for i, lf := range frontier {
			if lf != nil && lf.best.gain > 0 && (at < 0 || g.splitsBefore(lf, frontier[at])) {
				at = i
			}
		}
		if at < 0 || len(open) == batchLeaves {
			break
		}
		lf := frontier[at]
		if frontier[at] = nil; lf.children != nil {
			frontier[at] = &lf.children[0]
			frontier = append(frontier, &lf.children[1])
		} else {
			open = append(open, lf)
		}
	}
	return open
}

// childrenOf returns the children of a leaf that is being split. They are searched, unless they are the
// last leaves of the tree.
func (g *grower) childrenOf(number int) (left, right leaf) {
	lf := &g.leaves[number]
	switch {
	case lf.children != nil:
	case len(g.leaves)+1 < g.numLeaves:
		g.expand()
	default:
		n := g.partition(lf.rows, g.spare, &lf.best)
		g.watch.lap(PhasePartition)
		return leaf{rows: lf.rows[:n]}, leaf{rows: lf.rows[n:], right: true}
	}
	left, right, lf.children = lf.children[0], lf.children[1], nil
	return left, right
}

// searchTogether finds the sums and the best splits of the children of a batch.
func (g *grower) searchTogether(batch []expansion) {
	if len(batch) > 0 {
		g.searchSums(g.sumTogether(batch))
	}
}

// sumTogether finds the sums of the children of a batch, and returns the leaves that may have children.
func (g *grower) sumTogether(batch []expansion) []*leaf {
	g.buildTogether(batch)
	g.watch.lap(PhaseHistogram)
	return g.receive(batch)
}

// searchSums finds the best splits of leaves whose sums are there.
func (g *grower) searchSums(leaves []*leaf) {
	if len(leaves) == 0 {
		return
	}
	searches := g.beginTogether(leaves)
	own := g.share.own
	g.pool.Run(len(leaves)*len(own), func(worker, task int) {
		i := task / len(own)
		g.searchGroup(worker, searches[i], leaves[i], &own[task%len(own)])
	})
	g.chooseTogether(searches, leaves)
	for _, lf := range leaves {
		g.dropSums(lf)
	}
	g.watch.lap(PhaseSplit)
}

// beginTogether begins the searches of leaves.
func (g *grower) beginTogether(leaves []*leaf) []*search {
	g.share.searches = reuse.Slice(g.share.searches, len(leaves))
	searches := make([]*search, len(leaves))
	for i, lf := range leaves {
		s := &g.share.searches[i]
		s.cuts = reuse.Slice(s.cuts, len(g.order))
		g.constrain(s, lf)
		searches[i] = s
	}
	g.countUnpaid(searches, leaves...)
	return searches
}

// buildTogether builds the sums of the small leaves, and gives each rank those of its columns, of the rows
// of all ranks. The message has a part for each rank:
//
//	[ columns of rank 0 of leaf 0, its rows │ of leaf 1 │ … ‖ columns of rank 1 of leaf 0, its rows │ … ]
//
// "its rows" are the numbers that rowsOf returns.
func (g *grower) buildTogether(batch []expansion) {
	s := g.share
	counts, begins, size := make([]int, len(s.widths)), make([]int, len(s.widths)), 0
	for rank, width := range s.widths {
		counts[rank], begins[rank] = len(batch)*(width+rowWords), size
		size += counts[rank]
	}
	s.send, s.received = reuse.Slice(s.send, size), reuse.Slice(s.received, counts[s.peers.Rank()])
	for i := range batch {
		rows := batch[i].small.rows
		g.eachChunk(func(worker int, chunk []columnGroup) {
			g.build(worker, chunk, rows, s.local)
			for i := range chunk {
				g.bins.Store(s.local, chunk[i].group, g.tile(worker, chunk[i].group))
			}
			g.watch.workerLap(worker, PhaseHistogram)
		})
		for _, p := range s.places {
			begins[p.rank] += copy(s.send[begins[p.rank]:], s.local[p.from:p.to])
		}
		counted := g.rowsOf(&batch[i])
		for rank := range begins {
			begins[rank] += copy(s.send[begins[rank]:], counted[:])
		}
	}
	s.peers.ReduceScatter(s.received, s.send, counts)
}

// rowWords is the number of integers for the rows of the leaves of an expansion.
const rowWords = 3

// rowsOf returns how many rows of the small leaf of an expansion this rank has, and those of the small and
// the large leaf in the units of grower.units, or 0 if they are not needed.
func (g *grower) rowsOf(e *expansion) (words [rowWords]int64) {
	words[0] = int64(len(e.small.rows))
	if g.needsRows() {
		words[1] = g.units(e.small.rows)
		if e.large != nil {
			words[2] = g.units(e.large.rows)
		}
	}
	return words
}

// receive sets the sums and the numbers of rows of a batch, and returns the leaves that may have children.
func (g *grower) receive(batch []expansion) (searched []*leaf) {
	s, rest := g.share, g.share.received
	for _, e := range batch {
		e.small.sums = g.acquire()
		for _, p := range s.places {
			if p.rank == s.peers.Rank() {
				rest = rest[copy(e.small.sums[p.from-s.from:p.to-s.from], rest):]
			}
		}
		counted := rest[:rowWords]
		rest = rest[rowWords:]
		e.small.count, e.small.about = int(counted[0]), g.inRows(counted[1])
		if e.large != nil {
			e.large.about = g.inRows(counted[2])
			e.large.sums, e.parent.sums = e.parent.sums, nil
			for _, p := range s.places {
				if p.rank == s.peers.Rank() {
					subtract(e.large.sums[p.from-s.from:p.to-s.from], e.small.sums[p.from-s.from:])
				}
			}
			e.large.count = e.parent.count - e.small.count
		}
		for _, lf := range []*leaf{e.small, e.large} {
			switch {
			case lf == nil:
			case g.splittable(lf):
				searched = append(searched, lf)
			default:
				g.release(lf)
			}
		}
	}
	return searched
}

func subtract(from, sums []int64) {
	sums = sums[:len(from)]
	for i, v := range sums {
		from[i] -= v
	}
}

// candidate is a leaf of which the best split is being chosen.
type candidate struct {
	leaf    *leaf
	search  *search
	counted bool                 // its rows, by the bins of all columns
	instead map[int32]bincut.Cut // of cuts of categories that leave too few rows, by place
}

// chooseTogether is [grower.choose] for several leaves whose columns the ranks share. Where a leaf's best
// split leaves too few rows on a side, the rows of all of its columns are counted, so that all cuts that
// leave too few are replaced at once: one after the other, each would take two exchanges.
//
// A set of categories may gain more after rows were counted, by which categories are grouped. In one process
// its column is not searched again before its cut is the best one, and so here.
func (g *grower) chooseTogether(searches []*search, leaves []*leaf) {
	open := make([]candidate, len(leaves))
	for i, lf := range leaves {
		open[i] = candidate{leaf: lf, search: searches[i]}
	}
	for open = g.lacking(g.exchange(open)); len(open) > 0; open = g.lacking(g.exchange(open)) {
		g.countColumns(open)
		g.replaceSets(open)
	}
}

// exchange gives all leaves the best split of any rank, and returns those in which rows must be counted
// before it is known that the split is allowed.
func (g *grower) exchange(open []candidate) (uncertain []candidate) {
	group, size := g.share.peers, g.splitSize()
	words := make([]int64, 0, size*len(open))
	for i := range open {
		c, mine := &open[i], split{}
		if at := g.bestCut(c.search); at >= 0 {
			mine = g.withSides(c.search, c.leaf, g.splitAt(c.search, c.leaf, at), &c.search.cuts[at])
		}
		words = g.appendSplit(words, &mine)
	}
	all := make([]int64, len(words)*group.Size())
	group.AllGather(all, words)
	for i, c := range open {
		best := split{}
		for rank := range group.Size() {
			if s := g.splitOf(all[rank*len(words)+i*size:][:size]); s.better(best) {
				best = s
			}
		}
		c.leaf.best = best
		replaceable := !best.counted && (!c.counted || best.sides != nil)
		if best.gain > 0 && replaceable && !g.plentyOnBoth(c.leaf, &best) {
			uncertain = append(uncertain, c)
		}
	}
	return uncertain
}

// replaceSets replaces the cuts of this rank that make the best splits of leaves, if they are of categories:
// they leave too few rows on a side.
func (g *grower) replaceSets(open []candidate) {
	for _, c := range open {
		if column := c.leaf.best.column; c.leaf.best.sides != nil && g.share.isOwn(column) {
			place := g.share.placeOf[column]
			c.search.cuts[place] = c.instead[place]
		}
	}
}

// fromOwner returns n splits by a column that find returns, which is called on the rank of the column.
func (g *grower) fromOwner(column int32, n int, find func(i int) split) []split {
	splits := make([]split, n)
	if g.share == nil {
		for i := range splits {
			splits[i] = find(i)
		}
		return splits
	}
	size := g.splitSize()
	words := make([]int64, n*size)
	if g.share.isOwn(column) {
		for i := range splits {
			found := find(i)
			g.appendSplit(words[i*size:i*size], &found)
		}
	}
	g.peers.Sum(words)
	for i := range splits {
		splits[i] = g.splitOf(words[i*size:])
	}
	return splits
}

// keepEnoughTogether is keepEnough for leaves whose rows the ranks share.
func (g *grower) keepEnoughTogether(leaves []*leaf) {
	var uncertain []candidate
	for _, lf := range leaves {
		if !g.plentyOnBoth(lf, &lf.best) {
			uncertain = append(uncertain, candidate{leaf: lf})
		}
	}
	for _, c := range g.lacking(uncertain) {
		c.leaf.best = split{}
	}
}

// lacking counts the rows of all ranks by the bins of the columns of the leaves' splits, and returns the
// leaves whose splits leave too few on a side.
func (g *grower) lacking(uncertain []candidate) (open []candidate) {
	if len(uncertain) == 0 {
		return nil
	}
	var counts []int64
	for _, c := range uncertain {
		counts = g.appendCounts(counts, c.leaf.rows, c.leaf.best.column)
	}
	g.share.peers.Sum(counts)
	for _, c := range uncertain {
		best := &c.leaf.best
		column := bincut.Column{Missing: g.matrix.MissingBin(best.column)}
		bins := g.matrix.Bins(best.column).NumBins()
		g.setCounts(&column, counts[:bins])
		if counts = counts[bins:]; !g.allows(best, &column) {
			open = append(open, c)
		}
	}
	return open
}

// countColumns counts the rows of leaves by the bins of all columns, and replaces all cuts that leave too
// few on a side. Each rank gets the counts of its columns.
//
// It is done once for each leaf.
func (g *grower) countColumns(candidates []candidate) {
	var open []*candidate
	for i := range candidates {
		if !candidates[i].counted {
			open = append(open, &candidates[i])
		}
	}
	if len(open) == 0 {
		return
	}
	s := g.share
	counts, words := make([]int, len(s.widths)), s.send[:0]
	for rank, columns := range s.columns {
		for i := range open {
			for _, column := range columns {
				words = g.appendCounts(words, open[i].leaf.rows, column)
			}
		}
		counts[rank] = len(open) * s.widths[rank]
	}
	s.send, s.received = words, reuse.Slice(s.received, counts[s.peers.Rank()])
	own := s.received
	s.peers.ReduceScatter(own, words, counts)
	for _, c := range open {
		c.counted, c.instead = true, map[int32]bincut.Cut{}
		for _, number := range s.columns[s.peers.Rank()] {
			bins := g.matrix.Bins(number).NumBins()
			g.recut(c, number, own[:bins])
			own = own[bins:]
		}
	}
}

// recut replaces the cut of a leaf's column if it leaves too few rows on a side. That of categories is
// replaced later.
func (g *grower) recut(c *candidate, number int32, counts []int64) {
	place := g.share.placeOf[number]
	if c.search.cuts[place].Bin < 0 {
		return
	}
	before := g.splitAt(c.search, c.leaf, int(place))
	column := g.columnOf(c.leaf, number)
	if g.setCounts(&column, counts); g.allows(&before, &column) {
		return
	}
	if found := g.cut(0, c.search, &column, number); g.isCategorical(number) {
		c.instead[place] = found
	} else {
		c.search.cuts[place] = found
	}
}

// appendCounts appends the numbers of this rank's rows of a leaf in the bins of a column, in rows or, where
// they are estimated, in units.
func (g *grower) appendCounts(counts []int64, rows []int32, column int32) []int64 {
	bins := g.matrix.Bins(column).NumBins()
	if g.active.sparse {
		for _, n := range g.estimates(rows, column, bins) {
			counts = append(counts, inUnits(n))
		}
		return counts
	}
	n := len(counts)
	counts = append(counts, make([]int64, bins)...)
	addCounts(g, counts[n:], rows, column)
	return counts
}

// setCounts sets the counts of a column from the sums of all ranks.
func (g *grower) setCounts(c *bincut.Column, sums []int64) {
	g.counts = reuse.Slice(g.counts, len(sums))
	c.Counts, c.Rows = g.counts, 0
	for bin, n := range sums {
		c.Counts[bin] = int32(min(n, mostCounted))
		if g.active.sparse {
			c.Counts[bin] = toCount(float64(n) / countUnit)
		}
		c.Rows += int(c.Counts[bin])
	}
}
