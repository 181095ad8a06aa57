package grow

import (
	"slices"

	"github.com/lambdamart/lambdamart/internal/bincut"
)

// alone finds sums from the rows of this process, leaf by leaf. The sums of the child with fewer rows are
// built from its rows, and subtracted from the parent's sums for the other child.
type alone struct {
	g        *Grower
	searched [2]search // of the two leaves that are being searched
}

func (a *alone) setColumns([]int32) {}

func (a *alone) ahead(*leaf, func() []*leaf) *[2]leaf { return nil }

func (a *alone) search(f family, outdated []*leaf) {
	g := a.g
	a.again(outdated)
	a.countRows(f)
	g.liveliness.find(f)
	if f.parent == nil {
		a.root(f.left)
		return
	}
	small, large := bySize(f)
	searchSmall, searchLarge := g.splittable(small), g.splittable(large)
	switch {
	case !searchSmall && !searchLarge:
		return
	case f.parent.sums == nil:
		unsplittable := func(lf *leaf) bool { return !g.splittable(lf) }
		a.anew(slices.DeleteFunc([]*leaf{small, large}, unsplittable)...)
		return
	}
	for _, lf := range []*leaf{small, large} {
		if lf.live != nil && !g.splittable(lf) {
			lf.live = noColumns
		}
	}
	ofSmall, ofLarge := a.begin(0, small), a.begin(1, large)
	a.divide(f.parent, small, large, func(worker int, cg *columnGroup) {
		if searchSmall {
			a.searchGroup(worker, ofSmall, small, cg)
		}
		if searchLarge {
			a.searchGroup(worker, ofLarge, large, cg)
		}
	})
	a.searchSets(only(small, searchSmall), only(large, searchLarge))
	a.finish(small, searchSmall, ofSmall)
	a.finish(large, searchLarge, ofLarge)
}

func (a *alone) sum(families []family) {
	g := a.g
	for _, f := range families {
		if a.countRows(f); f.parent == nil {
			f.left.sums = g.memory.acquire()
			g.sumAll(f.left, nil, nil, nil, nothing)
			continue
		}
		small, large := bySize(f)
		splitSmall, splitLarge := g.splittable(small), g.splittable(large)
		if !splitSmall && !splitLarge {
			g.memory.release(f.parent)
			continue
		}
		a.divide(f.parent, small, large, nothing)
		if !splitSmall {
			g.memory.release(small)
		}
		if !splitLarge {
			g.memory.release(large)
		}
	}
}

func (a *alone) again(leaves []*leaf) {
	for _, lf := range leaves {
		s := a.begin(0, lf)
		a.g.eachChunk(func(worker int, c chunk) {
			for i := range c.groups {
				a.searchGroup(worker, s, lf, &c.groups[i])
			}
			a.g.Watch.workerLap(worker, a.g.Watch.Split)
		})
		a.searchSets(lf)
		a.conclude(lf, s)
	}
}

// countRows finds the numbers of rows of new leaves if they are needed.
func (a *alone) countRows(f family) {
	if !a.g.needsRows() {
		return
	}
	for _, lf := range []*leaf{f.left, f.right} {
		if lf != nil {
			lf.about = a.g.active.inRows(a.g.active.units(lf.rows))
		}
	}
}

// root finds the sums of the root and its best split.
func (a *alone) root(lf *leaf) {
	lf.sums = a.g.memory.acquire()
	s := a.begin(0, lf)
	a.g.sumAll(lf, nil, lf.live, nil, func(worker int, cg *columnGroup) { a.searchGroup(worker, s, lf, cg) })
	a.searchSets(lf)
	a.conclude(lf, s)
}

// anew finds the sums of one or two leaves of few rows from these alone, and their best splits.
func (a *alone) anew(leaves ...*leaf) {
	g := a.g
	for i, lf := range leaves {
		lf.sums = g.memory.acquire()
		a.begin(i, lf)
	}
	g.eachChunk(func(worker int, c chunk) {
		for i, lf := range leaves {
			search := func(worker int, cg *columnGroup) { a.searchGroup(worker, &a.searched[i], lf, cg) }
			g.sum(worker, c, lf.sums, nil, lf.rows, lf.live, nil, search)
		}
	})
	a.searchSets(leaves...)
	for i, lf := range leaves {
		a.conclude(lf, &a.searched[i])
	}
}

// searchGroup is [Grower.searchGroup], without categorical columns if there are workers to share them
// (searchSets).
func (a *alone) searchGroup(worker int, s *search, lf *leaf, cg *columnGroup) {
	first := len(cg.columns)
	if a.g.pool.Workers() > 1 {
		first -= cg.sets
	}
	a.g.searchColumns(worker, s, lf, cg, first)
}

// only returns a leaf if it is searched, and otherwise nil.
func only(lf *leaf, searched bool) *leaf {
	if !searched {
		return nil
	}
	return lf
}

// searchSets finds the best cuts of one or two leaves, unless they are nil, in categorical columns if
// searchGroup does not. These columns often lie in the same group, and their search takes longer than that of
// all others together, so that a single worker would have most of the work.
func (a *alone) searchSets(leaves ...*leaf) {
	g := a.g
	if g.pool.Workers() == 1 {
		return
	}
	g.pool.Run(len(g.sets)*len(leaves), func(worker, task int) {
		g.Watch.begin(worker)
		i, place := task%len(leaves), g.sets[task/len(leaves)]
		if s := &a.searched[i]; leaves[i] != nil {
			s.cuts[place] = g.firstCut(worker, s, leaves[i], place)
		}
		g.Watch.workerLap(worker, g.Watch.Split)
	})
	if len(g.sets) > 0 {
		g.Watch.lapShared(g.Watch.Split)
	}
}

// begin begins the search of a leaf. There are two at a time.
func (a *alone) begin(number int, lf *leaf) *search {
	s := &a.searched[number]
	a.g.begin(a.searched[number:], lf)
	return s
}

// divide finds the sums of two new leaves, and calls search for each group of columns once its sums are
// known. The larger leaf takes over the parent's memory.
func (a *alone) divide(parent, small, large *leaf, search func(worker int, cg *columnGroup)) {
	g := a.g
	small.sums = g.memory.acquire()
	large.sums, parent.sums = parent.sums, nil
	g.sumAll(small, large.sums, small.live, large.live, search)
}

// finish determines the best split of a leaf that was searched, and releases the sums of one that was not.
func (a *alone) finish(lf *leaf, searched bool, s *search) {
	if !searched {
		a.g.memory.release(lf)
		return
	}
	a.conclude(lf, s)
}

// conclude determines a leaf's best split, and releases the sums of a leaf that has none.
func (a *alone) conclude(lf *leaf, s *search) {
	enough := func(c *bincut.Column, best *split) bool { return a.g.count(c, lf, best) }
	lf.best = a.g.choose(s, lf, enough)
	if a.g.memory.drop(lf); len(lf.rows) <= a.g.fewRows {
		a.g.memory.release(lf)
	}
}
