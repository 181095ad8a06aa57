package booster

import "slices"

// The open leaves of a growing tree are those that may still be split. They are in the order in which they
// would be split if no leaf were added.
//
// A tree that gets R more splits takes them from the first R open leaves: of two leaves, the one that comes
// first is split first, and new leaves only compete with both. So the leaves after them are closed. They give
// back the memory of their sums, so that half of the leaves of a tree have sums at most, and children that
// would be closed at once need not be settled.
//
//	order   [ 7 2 9 4 │ 3 8 ]    four more splits: leaves 3 and 8 are closed
//
// Where the best split of a leaf changes while others are split, no leaf is closed.

// comesBefore reports whether leaf a is split before leaf b, if both have a split: the one of less depth, if
// the tree grows by depth; then that of the better split; and of equal ones the smaller leaf number.
func (g *grower) comesBefore(a, b int32) bool {
	one, other := &g.leaves[a], &g.leaves[b]
	return g.splitsBefore(one, other) || a < b && !g.splitsBefore(other, one)
}

// splitsBefore is comesBefore without regard to numbers, which leaves that are searched ahead do not have.
func (g *grower) splitsBefore(one, other *leaf) bool {
	if g.byDepth && one.depth != other.depth {
		return one.depth < other.depth
	}
	return one.best.better(other.best)
}

// openAll opens the leaves that the tree has.
func (g *grower) openAll() {
	for number := range g.leaves {
		g.openLeaf(int32(number))
	}
}

// openLeaf opens a leaf if it has a split.
func (g *grower) openLeaf(number int32) {
	if g.leaves[number].best.gain <= 0 || g.constraints.revises() {
		return
	}
	at, _ := slices.BinarySearchFunc(g.open, number, func(other, number int32) int {
		if g.comesBefore(other, number) {
			return -1
		}
		return 1
	})
	g.open = slices.Insert(g.open, at, number)
}

// nextLeaf returns the number of the leaf to split next, which is no longer open, or -1 if no split gains.
func (g *grower) nextLeaf() int {
	if g.constraints.revises() {
		return g.bestLeaf()
	}
	if len(g.open) == 0 {
		return -1
	}
	number := g.open[0]
	g.open = slices.Delete(g.open, 0, 1)
	return int(number)
}

// bestLeaf is nextLeaf by a look at all leaves, and its oracle.
func (g *grower) bestLeaf() int {
	best := -1
	for i := range g.leaves {
		if g.leaves[i].best.gain > 0 && (best < 0 || g.comesBefore(int32(i), int32(best))) {
			best = i
		}
	}
	return best
}

// closeLeaves closes the leaves that come after as many as can be split.
func (g *grower) closeLeaves() {
	most := min(len(g.open), g.numLeaves-len(g.leaves))
	for _, number := range g.open[most:] {
		g.leaves[number].best = split{}
		g.release(&g.leaves[number])
	}
	g.open = g.open[:most]
}

// leastGain returns a gain: a child of the leaf that is being split would be closed at once if its own is
// less.
func (g *grower) leastGain() float64 {
	more := g.numLeaves - len(g.leaves) - 1 // splits after this one
	if g.byDepth || more < 1 || len(g.open) < more {
		return 0
	}
	return g.leaves[g.open[more-1]].best.gain
}

// mostOpen returns the largest number of leaves that have sums at a time.
func (p *Params) mostOpen() int {
	revises := p.MonotoneConstraints != "" && p.MonotoneConstraintsMethod != MonotoneBasic ||
		p.CEGBPenaltyFeatureCoupled != ""
	if revises || p.GrowPolicy == Symmetric {
		return p.NumLeaves
	}
	return p.NumLeaves/2 + 2
}

// rowsWithoutSums returns the largest number of rows of a leaf that keeps no sums. If it is split, its
// children's are built from their rows. Adding a row to 1.5 sums takes about as long as reading one that has
// left the cache.
func (g *grower) rowsWithoutSums() int {
	if g.share != nil || g.symmetric != nil || g.constraints.revises() || g.constraints.forced != nil {
		return 0
	}
	return g.bins.NumBins() * 3 / (2 * g.bins.SumsOfRow())
}
