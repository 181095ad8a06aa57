package grow

import (
	"slices"

	"github.com/lambdamart/lambdamart/internal/bincut"
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// Peers grow a tree together: each one sums the gradients of its own rows, and all add up these sums, so that
// each of them has the histograms of all rows. As these are integers, all peers find the same best splits
// without exchanging them:
//
//	each peer     builds the sums of its rows of the child with the smaller Hessian
//	all peers     add up these sums, and the numbers of rows (Sum)
//	each peer     subtracts them from the parent's for the other child, and finds the best splits of both
//	all peers     count rows by bins, where min_data_in_leaf may forbid a best split (count)
//
// # Batches of leaves
//
// Leaf by leaf, waiting for the network would take most of the time. But the leaves that will be split next
// are nearly known: without new leaves, they are the best leaves that the tree has, and new leaves can only
// displace some of them. So the children of up to batchLeaves of these leaves are made and searched together,
// and kept until the leaf is split. A few leaves are searched in vain, because better children come before
// them. The tree is the same.
//
// If a split may change the bounds of other leaves, leaves made in advance may have other bounds when their
// parent is split. They are then searched again ([Grower.revise]), for which the rows that were counted are
// kept, and also the sums of children without a split. If the best split of a leaf becomes another one, its
// children are made again.
const batchLeaves = 8

// shared finds sums from the rows of all peers, for several leaves at a time.
type shared struct {
	g        *Grower
	spans    []bincut.Span // where the columns of the tree are in a histogram, ascending
	message  []int64
	weights  []int64 // by active row: how many rows it stands for, in the units of Active.units
	searches []search
	before   []split // best splits of the leaves that are searched again
}

// setColumns sets the columns of the next tree.
func (s *shared) setColumns(columns []int32) {
	s.spans = s.spans[:0]
	for _, c := range columns {
		from, to := s.g.bins.ColumnRange(c)
		if n := len(s.spans); n > 0 && s.spans[n-1].To == from {
			s.spans[n-1].To = to
		} else {
			s.spans = append(s.spans, bincut.Span{From: from, To: to})
		}
	}
}

func (s *shared) search(f family, outdated []*leaf) {
	if f.left != nil {
		s.build([]family{f})
		outdated = append(outdated, s.complete(f)...)
	}
	s.again(outdated)
	for _, lf := range append(outdated, f.left, f.right) {
		if lf != nil {
			s.g.memory.drop(lf)
		}
	}
}

func (s *shared) sum(families []family) {
	for batch := range slices.Chunk(families, batchLeaves) {
		s.build(batch)
		for _, f := range batch {
			s.complete(f)
			for _, lf := range []*leaf{f.parent, f.left, f.right} {
				if lf != nil && (lf == f.parent || !s.g.splittable(lf)) {
					s.g.memory.release(lf)
				}
			}
		}
	}
}

// ahead makes and searches the children of the leaves that will probably be split next, unless they are
// already made.
func (s *shared) ahead(lf *leaf, likely func() []*leaf) *[2]leaf {
	g := s.g
	if lf.children == nil && len(g.leaves)+1 < g.Settings.NumLeaves {
		var made []family
		for _, parent := range likely() {
			parent.children = new([2]leaf)
			g.divide(parent, parent.children)
			f := family{parent, &parent.children[0], &parent.children[1]}
			g.constraints.children(parent, f.left, f.right)
			made = append(made, f)
		}
		g.Watch.Lap(g.Watch.Partition)
		s.build(made)
		var searched []*leaf
		for _, f := range made {
			searched = append(searched, s.complete(f)...)
		}
		s.again(searched)
		for _, f := range made {
			if !g.constraints.revises() { // otherwise a leaf may have a split in the end, or be put together
				g.memory.drop(f.left)
				g.memory.drop(f.right)
			}
		}
	}
	children := lf.children
	lf.children = nil
	return children
}

// byHessian returns two children, first the one with the smaller Hessian, which is built from its rows: the
// numbers of rows of all peers are not known before. For the root, the other one is nil.
func byHessian(f family) (small, large *leaf) {
	if f.right != nil && f.right.sum.Hessian < f.left.sum.Hessian {
		return f.right, f.left
	}
	return f.left, f.right
}

// build finds the sums of the children with the smaller Hessian, and the numbers of rows of both children of
// some leaves. Where neither can be split, there are no sums.
func (s *shared) build(families []family) {
	g := s.g
	s.message = s.message[:0]
	var built []family
	for _, f := range families {
		small, large := byHessian(f)
		if large != nil && !g.promising(small) && !g.promising(large) {
			continue
		}
		small.sums = g.memory.acquire()
		g.sumAll(small, nil, nil, nil, nothing)
		s.appendSums(small.sums)
		s.appendRows(small, large)
		built = append(built, f)
	}
	if len(built) == 0 {
		return
	}
	g.Watch.Lap(g.Watch.Histogram)
	g.part.Group().Sum(s.message)
	rest := s.message
	for _, f := range built {
		rest = s.take(f, rest)
	}
	g.Watch.Lap(g.Watch.Split)
}

// appendRows appends to the message the number of rows of the smaller child, and those of both children in
// the units of Active.units, if they are needed.
func (s *shared) appendRows(small, large *leaf) {
	g := s.g
	ofSmall, ofLarge := int64(0), int64(0)
	if g.needsRows() {
		ofSmall = g.active.units(small.rows)
		if large != nil {
			ofLarge = g.active.units(large.rows)
		}
	}
	s.message = append(s.message, int64(len(small.rows)), ofSmall, ofLarge)
}

// take sets what the peers have added up of two children, and returns the rest of the message.
func (s *shared) take(f family, message []int64) (rest []int64) {
	small, large := byHessian(f)
	message = s.takeSums(small.sums, message)
	rows, rest := message[:3], message[3:]
	small.count, small.about = int(rows[0]), s.g.active.inRows(rows[1])
	if large != nil {
		large.count, large.about = f.parent.count-small.count, s.g.active.inRows(rows[2])
	}
	return rest
}

// complete subtracts the sums that were built from those of the parent for the other child, and returns the
// children that may be split.
func (s *shared) complete(f family) (splittable []*leaf) {
	small, large := byHessian(f)
	if small.sums != nil && large != nil {
		large.sums, f.parent.sums = f.parent.sums, nil
		for _, span := range s.spans {
			subtract(large.sums[span.From:span.To], small.sums[span.From:])
		}
	}
	for _, lf := range []*leaf{small, large} {
		if lf != nil && lf.sums != nil && s.g.splittable(lf) {
			splittable = append(splittable, lf)
		}
	}
	return splittable
}

// restored returns the sums of a leaf that have gone to children that were made in advance.
func (s *shared) restored(lf *leaf) binsum.Histogram {
	sums := s.g.memory.acquire()
	clear(sums)
	s.addTo(sums, lf)
	return sums
}

// addTo adds the sums of a leaf, or those of its children, to dst.
func (s *shared) addTo(dst binsum.Histogram, lf *leaf) {
	if lf.sums == nil {
		s.addTo(dst, &lf.children[0])
		s.addTo(dst, &lf.children[1])
		return
	}
	for _, span := range s.spans {
		for i := span.From; i < span.To; i++ {
			dst[i] += lf.sums[i]
		}
	}
}

// appendSums appends the sums in the columns of the tree to the message.
func (s *shared) appendSums(sums binsum.Histogram) {
	for _, span := range s.spans {
		s.message = append(s.message, sums[span.From:span.To]...)
	}
}

// takeSums sets the columns of the tree to the beginning of a message, and returns the rest.
func (s *shared) takeSums(sums binsum.Histogram, message []int64) (rest []int64) {
	for _, span := range s.spans {
		message = message[copy(sums[span.From:span.To], message):]
	}
	return message
}

func subtract(from, sums []int64) {
	sums = sums[:len(from)]
	for i, v := range sums {
		from[i] -= v
	}
}

// again finds the best splits of leaves that have sums, or whose children made in advance have them, and
// releases children that were made for another split.
func (s *shared) again(leaves []*leaf) {
	g := s.g
	if len(leaves) == 0 {
		return
	}
	s.searches, s.before = reuse.Slice(s.searches, len(leaves)), s.before[:0]
	for _, lf := range leaves {
		if s.before = append(s.before, lf.best); lf.sums == nil {
			lf.sums = s.restored(lf)
		}
	}
	g.begin(s.searches, leaves...)
	g.pool.Run(len(leaves)*len(g.groups), func(worker, task int) {
		i := task / len(g.groups)
		g.searchGroup(worker, &s.searches[i], leaves[i], &g.groups[task%len(g.groups)])
	})
	var unknown []int
	for i, lf := range leaves {
		if !s.choose(&s.searches[i], lf) {
			unknown = append(unknown, i)
		}
	}
	unknown = s.count(leaves, unknown, mostCountedFirst)
	s.count(leaves, unknown, len(g.columns))
	for i, lf := range leaves {
		if lf.children != nil && !lf.best.same(&s.before[i]) {
			g.memory.releaseChildren(lf)
		}
	}
	g.Watch.Lap(g.Watch.Split)
}

// choose determines the best split of a leaf, and reports whether it is known to leave min_data_in_leaf rows
// on both sides. Otherwise the rows in its column must be counted. Counts are kept until then, or as long as
// the leaf may be searched again.
func (s *shared) choose(of *search, lf *leaf) (known bool) {
	g := s.g
	known = true
	lf.best = g.choose(of, lf, func(c *bincut.Column, best *split) bool {
		counts := s.countsOf(lf, best.Column)
		if known = counts != nil; !known {
			return true
		}
		g.setCounts(c, counts)
		return g.limits.allows(best, c)
	})
	if known && !g.constraints.revises() {
		g.memory.forgetCounts(lf)
	}
	return known
}

// countsOf returns the numbers of rows of a leaf by the bins of a column; nil if they are not counted.
func (s *shared) countsOf(lf *leaf, column int32) []int64 {
	if lf.allCounts != nil {
		from, to := s.g.bins.ColumnRange(column)
		return lf.allCounts[from:to]
	}
	for _, c := range lf.counts {
		if c.column == column {
			return c.rows
		}
	}
	return nil
}

// mostCountedFirst is the number of columns in which the rows of a leaf are counted before they are counted
// in all. Mostly one of the best few columns has a cut that leaves enough rows on both sides; in all columns,
// the counts are as many as the sums.
const mostCountedFirst = 4

// count counts the rows of the leaves at some places in a number of columns, and chooses their best splits
// again. It returns the places of leaves for which that was not enough.
func (s *shared) count(leaves []*leaf, places []int, most int) (unknown []int) {
	if len(places) == 0 {
		return nil
	}
	s.message = s.message[:0]
	for _, i := range places {
		s.appendCounts(&s.searches[i], leaves[i], most)
	}
	s.g.part.Group().Sum(s.message)
	rest := s.message
	for _, i := range places {
		rest = s.takeCounts(&s.searches[i], leaves[i], rest)
		if !s.choose(&s.searches[i], leaves[i]) {
			unknown = append(unknown, i)
		}
	}
	return unknown
}

// appendCounts appends the numbers of this peer's rows of a leaf to the message, by the bins of the best
// columns or of all.
func (s *shared) appendCounts(of *search, lf *leaf, most int) {
	g := s.g
	if most < len(g.columns) {
		of.counting = s.bestUncounted(of.counting[:0], of, lf, most)
		for _, column := range of.counting {
			s.message = g.appendCounts(s.message, lf.rows, column)
		}
		return
	}
	of.counting = g.columns
	counts := g.memory.acquire()
	s.weights = reuse.Slice(s.weights, len(g.active.Packed))
	for n, row := range lf.rows {
		s.weights[row] = g.active.units(lf.rows[n : n+1])
	}
	g.eachChunk(func(worker int, c chunk) {
		g.builders[worker].Sum(g.bins, counts, nil, c.parts, lf.rows, s.weights, nil, nil, func(int) {})
	})
	s.appendSums(counts)
	g.memory.free = append(g.memory.free, counts)
}

// takeCounts sets the counts of a leaf to what all peers have appended, and returns the rest of the message.
func (s *shared) takeCounts(of *search, lf *leaf, message []int64) (rest []int64) {
	g := s.g
	if len(of.counting) == len(g.columns) {
		lf.allCounts, of.counting = g.memory.acquire(), nil
		return s.takeSums(lf.allCounts, message)
	}
	for _, column := range of.counting {
		n := g.matrix.Bins(column).NumBins()
		lf.counts = append(lf.counts, columnCounts{column, slices.Clone(message[:n])})
		message = message[n:]
	}
	return message
}

// bestUncounted appends to dst the columns, at most a number of them, in which rows must be counted to choose
// the best split of a leaf: those of the best cuts, up to the first one that certainly leaves enough rows.
func (s *shared) bestUncounted(dst []int32, of *search, lf *leaf, most int) []int32 {
	g := s.g
	g.ranking.fill(of.places, g.placed, func(place int) float64 {
		return g.gain(of, g.placed[place], &of.cuts[place])
	})
	for at := g.ranking.first(); at >= 0 && len(dst) < most; at = g.ranking.first() {
		g.ranking.change(0)
		cut := &of.cuts[at]
		next := g.splitAt(of, lf, at)
		if next.gain < of.least || !cut.Bound && (cut.Counted || g.limits.plentyOnBoth(lf.sum, &next)) {
			break
		}
		if s.countsOf(lf, next.Column) == nil {
			dst = append(dst, next.Column)
		}
	}
	return dst
}
