package booster

import (
	"github.com/lambdamart/lambdamart/internal/bincut"
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// Peers grow a tree together: each peer sums the gradients of its own rows, and searches its own columns for
// cuts of the rows of all peers. For a leaf,
//
//	each peer     builds the sums of its rows, of all columns
//	all peers     add them up, and each peer gets the sums of its columns (ReduceScatter)
//	each peer     subtracts them from the parent's for the other child, and finds its best cuts of both
//	all peers     exchange their best splits; the leaf gets the best one (AllGather)
//	all peers     count rows by bins, if min_data_in_leaf may forbid that split (Sum, ReduceScatter)
//
// # Batches of leaves
//
// Leaf by leaf, each split would take two exchanges, and waiting for the network would take most of the time.
// But the leaves that will be split next are nearly known: without new leaves, they are the best leaves that
// the tree has, and new leaves can only displace some of them. So the children of up to batchLeaves of these
// leaves are made and searched in the same exchanges, and kept until the leaf is split. A few leaves are
// searched in vain, because better children come before them. The tree is the same.
const batchLeaves = 24

// shared finds sums from the rows of all peers, for several leaves at a time.
type shared struct {
	g *grower

	local    binsum.Histogram // of this peer's rows
	send     []int64
	received []int64
	searches []search
}

// expansion is a family whose smaller child, which is built from its rows, is known. For the root, small is
// the root itself, and large is nil.
type expansion struct {
	parent, small, large *leaf
}

func (s *shared) search(f family) { s.searchAll(s.appendExpansion(nil, f)) }

func (s *shared) sum(families []family) {
	for len(families) > 0 {
		n := min(len(families), batchLeaves)
		var batch []expansion
		for _, f := range families[:n] {
			before := len(batch)
			if batch = s.appendExpansion(batch, f); len(batch) == before && f.parent != nil {
				s.g.release(f.parent)
			}
		}
		if len(batch) > 0 {
			s.sumAll(batch)
		}
		families = families[n:]
	}
}

// ahead makes and searches the children of the leaves that will probably be split next, unless they are
// already made, or the split of a leaf may change the rules of others.
func (s *shared) ahead(lf *leaf, likely func() []*leaf) *[2]leaf {
	g := s.g
	if g.constraints.revises() {
		return nil
	}
	if lf.children == nil && len(g.leaves)+1 < g.numLeaves {
		s.expand(likely())
	}
	children := lf.children
	lf.children = nil
	return children
}

// expand makes and searches the children of leaves.
func (s *shared) expand(parents []*leaf) {
	g := s.g
	var batch []expansion
	for _, parent := range parents {
		parent.children = g.divide(parent)
		left, right := &parent.children[0], &parent.children[1]
		g.constraints.children(parent, left, right)
		batch = s.appendExpansion(batch, family{parent, left, right})
	}
	g.watch.lap(PhasePartition)
	s.searchAll(batch)
}

// appendExpansion appends a leaf and its children to a batch, unless neither of them can have children.
func (s *shared) appendExpansion(batch []expansion, f family) []expansion {
	e := expansion{f.parent, f.left, f.right}
	if f.parent == nil {
		return append(batch, e)
	}
	if f.right.sum.Hessian < f.left.sum.Hessian { // peers know the sums, but not yet the numbers of rows
		e.small, e.large = f.right, f.left
	}
	if s.g.promising(e.small) || s.g.promising(e.large) {
		batch = append(batch, e)
	}
	return batch
}

// searchAll finds the sums and the best splits of the children of a batch.
func (s *shared) searchAll(batch []expansion) {
	if len(batch) > 0 {
		s.again(s.sumAll(batch))
	}
}

// sumAll finds the sums of the children of a batch, and returns the leaves that may have children.
func (s *shared) sumAll(batch []expansion) []*leaf {
	s.build(batch)
	s.g.watch.lap(PhaseHistogram)
	return s.receive(batch)
}

func (s *shared) again(leaves []*leaf) {
	g := s.g
	if len(leaves) == 0 {
		return
	}
	s.searches = reuse.Slice(s.searches, len(leaves))
	g.begin(s.searches, leaves...)
	own := g.parts.own
	g.pool.Run(len(leaves)*len(own), func(worker, task int) {
		i := task / len(own)
		g.searchGroup(worker, &s.searches[i], leaves[i], &own[task%len(own)])
	})
	s.choose(leaves)
	for _, lf := range leaves {
		g.dropSums(lf)
	}
	g.watch.lap(PhaseSplit)
}

// build builds the sums of the small leaves, and gives each peer the sums of its columns over the rows of all
// peers. The message has a part for each peer:
//
//	[ leaf 0: columns of peer 0, rows | leaf 1: … | … ‖ leaf 0: columns of peer 1, rows | … ]
//
// "rows" stands for the numbers that rowsOf returns.
func (s *shared) build(batch []expansion) {
	g := s.g
	counts, begins, size := make([]int, len(g.parts.widths)), make([]int, len(g.parts.widths)), 0
	for peer, width := range g.parts.widths {
		counts[peer], begins[peer] = len(batch)*(width+rowWords), size
		size += counts[peer]
	}
	s.send, s.received = reuse.Slice(s.send, size), reuse.Slice(s.received, counts[g.parts.peer])
	for i := range batch {
		own := leaf{rows: batch[i].small.rows, sums: s.local}
		g.sumAll(&own, nil, nil, nil, nothing)
		for _, p := range g.parts.places {
			begins[p.peer] += copy(s.send[begins[p.peer]:], s.local[p.from:p.to])
		}
		counted := s.rowsOf(&batch[i])
		for peer := range begins {
			begins[peer] += copy(s.send[begins[peer]:], counted[:])
		}
	}
	g.part.Group().ReduceScatter(s.received, s.send, counts)
}

// rowWords is the number of integers for the rows of the leaves of an expansion.
const rowWords = 3

// rowsOf returns this peer's number of rows in the small leaf of an expansion, followed by, in the units of
// grower.units, the rows of the small and the large leaf, or 0 if they are not needed.
func (s *shared) rowsOf(e *expansion) (words [rowWords]int64) {
	g := s.g
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
func (s *shared) receive(batch []expansion) (searched []*leaf) {
	g := s.g
	rest := s.received
	for _, e := range batch {
		e.small.sums = g.acquire()
		for _, p := range g.parts.places {
			if p.peer == g.parts.peer {
				rest = rest[copy(e.small.sums[p.from-g.parts.from:p.to-g.parts.from], rest):]
			}
		}
		counted := rest[:rowWords]
		rest = rest[rowWords:]
		e.small.count, e.small.about = int(counted[0]), g.inRows(counted[1])
		if e.large != nil {
			e.large.about = g.inRows(counted[2])
			e.large.sums, e.parent.sums = e.parent.sums, nil
			for _, p := range g.parts.places {
				if p.peer == g.parts.peer {
					subtract(e.large.sums[p.from-g.parts.from:p.to-g.parts.from], e.small.sums[p.from-g.parts.from:])
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

// candidate is a leaf whose best split is being chosen.
type candidate struct {
	leaf    *leaf
	search  *search
	counted bool                 // its rows are counted by the bins of all columns
	instead map[int32]bincut.Cut // by place: replaces the cut of a categorical column that leaves too few rows
}

// choose is [grower.choose] for several leaves whose columns the peers share. If a leaf's best split leaves
// too few rows on a side, the rows of all of its columns are counted, and all cuts that leave too few rows
// are replaced together, because replacing a single cut takes two exchanges.
//
// A set of categories may gain more after rows were counted. As in a single process, the column is searched
// again only when its cut is the best one.
func (s *shared) choose(leaves []*leaf) {
	g := s.g
	open := make([]candidate, len(leaves))
	for i, lf := range leaves {
		open[i] = candidate{leaf: lf, search: &s.searches[i]}
	}
	for open = g.lacking(s.exchange(open)); len(open) > 0; open = g.lacking(s.exchange(open)) {
		s.countColumns(open)
		s.replaceSets(open)
	}
}

// exchange gives all leaves the best split of any peer, and returns those in which rows must be counted
// before it is known that the split is allowed.
func (s *shared) exchange(open []candidate) (uncertain []candidate) {
	g, mine := s.g, make([]split, len(open))
	for i := range open {
		c := &open[i]
		if at := s.bestCut(c); at >= 0 {
			mine[i] = g.withSides(c.search, c.leaf, g.splitAt(c.search, c.leaf, at), &c.search.cuts[at])
		}
	}
	for i, best := range g.bestOfPeers(mine) {
		c := open[i]
		c.leaf.best = best
		replaceable := !best.counted && (!c.counted || best.sides != nil)
		if best.gain > 0 && replaceable && !g.plentyOnBoth(c.leaf, &best) {
			uncertain = append(uncertain, c)
		}
	}
	return uncertain
}

// replaceSets replaces the best splits of leaves that are cuts of this peer's categorical columns, because
// they leave too few rows on a side.
func (s *shared) replaceSets(open []candidate) {
	g := s.g
	for _, c := range open {
		if column := c.leaf.best.column; c.leaf.best.sides != nil && g.parts.isOwn(column) {
			place := g.parts.placeOf[column]
			c.search.cuts[place] = c.instead[place]
		}
	}
}

// countColumns counts the rows of leaves by the bins of all columns, once for each leaf, and replaces all
// cuts that leave too few rows on a side. Each peer gets the counts of its columns.
func (s *shared) countColumns(candidates []candidate) {
	g := s.g
	var open []*candidate
	for i := range candidates {
		if !candidates[i].counted {
			open = append(open, &candidates[i])
		}
	}
	if len(open) == 0 {
		return
	}
	counts, words := make([]int, len(g.parts.widths)), s.send[:0]
	for peer, columns := range g.parts.columns {
		for i := range open {
			for _, column := range columns {
				words = g.appendCounts(words, open[i].leaf.rows, column)
			}
		}
		counts[peer] = len(open) * g.parts.widths[peer]
	}
	s.send, s.received = words, reuse.Slice(s.received, counts[g.parts.peer])
	own := s.received
	g.part.Group().ReduceScatter(own, words, counts)
	for _, c := range open {
		c.counted, c.instead = true, map[int32]bincut.Cut{}
		for _, number := range g.parts.columns[g.parts.peer] {
			bins := g.matrix.Bins(number).NumBins()
			s.recut(c, number, own[:bins])
			own = own[bins:]
		}
	}
}

// recut replaces the cut of a leaf's column if it leaves too few rows on a side. The cut of a categorical
// column is replaced later, by replaceSets.
func (s *shared) recut(c *candidate, number int32, counts []int64) {
	g := s.g
	place := g.parts.placeOf[number]
	if c.search.cuts[place].Bin < 0 {
		return
	}
	column := g.columnOf(c.leaf, number)
	g.setCounts(&column, counts)
	if !c.search.cuts[place].Bound {
		if before := g.splitAt(c.search, c.leaf, int(place)); g.allows(&before, &column) {
			return
		}
	}
	if found := g.cut(0, c.search, &column, number); g.isCategorical(number) {
		c.instead[place] = found
	} else {
		c.search.cuts[place] = found
	}
}

// bestCut is [grower.bestCut], but replaces bounds by cuts.
func (s *shared) bestCut(c *candidate) int {
	g, cuts := s.g, c.search.cuts
	at := g.bestCut(c.search)
	for ; at >= 0 && cuts[at].Bound; at = g.bestCut(c.search) {
		column := g.columnOf(c.leaf, g.placed[at])
		cuts[at] = g.cut(0, c.search, &column, g.placed[at])
	}
	return at
}
