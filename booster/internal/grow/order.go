package grow

import "slices"

// The open leaves of a growing tree are the leaves that may still be split, in the order in which they would
// be split if no leaf were added.
//
// If the tree can get R more splits, only the first R open leaves can be split: new leaves can only push
// later leaves further back. So these leaves are closed, and the memory of their sums is released. At most
// half of the leaves of a tree have sums, and the best split of a child that would be closed immediately need
// not be found.
//
//	order   [ 7 2 9 4 │ 3 8 ]    four more splits: leaves 3 and 8 are closed
//
// If the best split of a leaf can change while others are split, no leaf is closed.
type bestFirst struct {
	g       *Grower
	byDepth bool    // leaves of less depth are split first
	open    []int32 // numbers of leaves
}

// grow splits one leaf after the other.
func (o *bestFirst) grow() {
	g := o.g
	o.open = o.open[:0]
	g.fewRows = o.rowsWithoutSums()
	if root := &g.leaves[0]; g.Settings.NumLeaves > 1 && g.splittable(root) {
		g.sums.search(family{left: root}, nil)
	}
	o.openAll()
	for len(g.leaves) < g.Settings.NumLeaves {
		next := o.nextLeaf()
		g.Watch.Lap(g.Watch.Split)
		if next < 0 {
			break
		}
		g.least = o.leastGain()
		g.split(next, g.sums.ahead(&g.leaves[next], o.likely))
		o.openLeaf(int32(next))
		o.openLeaf(int32(len(g.leaves) - 1))
		o.closeLeaves()
	}
}

// divided searches the children and outdated leaves, unless no leaf will be split anymore.
func (o *bestFirst) divided(f family, outdated []*leaf) {
	if len(o.g.leaves)+1 < o.g.Settings.NumLeaves {
		o.g.sums.search(f, outdated)
	}
}

// leastGain returns the gain below which a child of the leaf to be split would be closed immediately. It is 0
// if there are categorical columns, because their sets may gain more after rows were counted.
func (o *bestFirst) leastGain() float64 {
	more := o.g.Settings.NumLeaves - len(o.g.leaves) - 1 // splits after this one
	if o.byDepth || o.g.categorical != nil || more < 1 || len(o.open) < more {
		return 0
	}
	return o.g.leaves[o.open[more-1]].best.gain
}

// comesBefore reports whether leaf a is split before leaf b, if both have a split: first by depth, if the
// tree grows by depth; then by the better split; and then by the smaller leaf number.
func (o *bestFirst) comesBefore(a, b int32) bool {
	one, other := &o.g.leaves[a], &o.g.leaves[b]
	return o.splitsBefore(one, other) || a < b && !o.splitsBefore(other, one)
}

// splitsBefore is like comesBefore, without leaf numbers, which leaves that are searched in advance do not
// have.
func (o *bestFirst) splitsBefore(one, other *leaf) bool {
	if o.byDepth && one.depth != other.depth {
		return one.depth < other.depth
	}
	return one.best.better(other.best)
}

// openAll opens all leaves of the tree that have a split.
func (o *bestFirst) openAll() {
	for number := range o.g.leaves {
		o.openLeaf(int32(number))
	}
}

// openLeaf opens a leaf if it has a split.
func (o *bestFirst) openLeaf(number int32) {
	if o.g.leaves[number].best.gain <= 0 || o.g.constraints.revises() {
		return
	}
	at, _ := slices.BinarySearchFunc(o.open, number, func(other, number int32) int {
		if o.comesBefore(other, number) {
			return -1
		}
		return 1
	})
	o.open = slices.Insert(o.open, at, number)
}

// nextLeaf returns the number of the leaf to split next, which is no longer open, or -1 if no split gains.
func (o *bestFirst) nextLeaf() int {
	if o.g.constraints.revises() {
		return o.bestLeaf()
	}
	if len(o.open) == 0 {
		return -1
	}
	number := o.open[0]
	o.open = slices.Delete(o.open, 0, 1)
	return int(number)
}

// bestLeaf is like nextLeaf, by comparing all leaves. It is also the oracle of nextLeaf in tests.
func (o *bestFirst) bestLeaf() int {
	best := -1
	for i := range o.g.leaves {
		if o.g.leaves[i].best.gain > 0 && (best < 0 || o.comesBefore(int32(i), int32(best))) {
			best = i
		}
	}
	return best
}

// closeLeaves closes the open leaves that can no longer be split.
func (o *bestFirst) closeLeaves() {
	most := min(len(o.open), o.g.Settings.NumLeaves-len(o.g.leaves))
	for _, number := range o.open[most:] {
		o.g.leaves[number].best = split{}
		o.g.memory.release(&o.g.leaves[number])
	}
	o.open = o.open[:most]
}

// likely returns the leaves, the best one first, whose children should be made in advance: those that would
// be split next if new leaves were never split. It leaves out the last split of the tree, unless it is the
// only one.
func (o *bestFirst) likely() []*leaf {
	g := o.g
	frontier := make([]*leaf, len(g.leaves))
	for i := range g.leaves {
		frontier[i] = &g.leaves[i]
	}
	var open []*leaf
	for range max(1, g.Settings.NumLeaves-len(g.leaves)-1) {
		at := -1
		for i, lf := range frontier {
			if lf != nil && lf.best.gain > 0 && (at < 0 || o.splitsBefore(lf, frontier[at])) {
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

// rowsWithoutSums returns the largest number of rows of a leaf that keeps no sums. If such a leaf is split,
// the sums of both children are built from rows. Adding a row to 1.5 sums takes about as long as reading a
// sum that is no longer in the cache.
func (o *bestFirst) rowsWithoutSums() int {
	if o.g.constraints.revises() {
		return 0
	}
	return o.g.bins.NumBins() * 3 / (2 * o.g.bins.SumsOfRow())
}
