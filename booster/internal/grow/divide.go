package grow

import (
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// split splits a leaf. The leaf keeps the rows that go left, and a new leaf gets the others. children are the
// two leaves if they are already made; otherwise nil.
func (g *Grower) split(number int, children *[2]leaf) {
	parent := &g.divided
	*parent = g.leaves[number]
	at := int32(len(g.Nodes))
	g.attach(parent.node, parent.right, at)
	g.Nodes = append(g.Nodes, node{split: parent.best, Left: ^int32(number), Right: ^int32(len(g.leaves))})
	g.constraints.parents = append(g.constraints.parents[:at], parent.node)
	made := children != nil
	if !made {
		children = &g.halves
		g.divide(parent, children)
		g.Watch.Lap(g.Watch.Partition)
	}
	left, right := &children[0], &children[1]
	left.node, right.node = at, at
	switch {
	case !made:
		outdated := g.constrainChildren(parent, left, right)
		g.order.divided(family{parent, left, right}, outdated)
	case g.constraints.revises():
		g.revise(parent, left, right)
	}
	g.memory.release(parent)
	g.leaves[number] = children[0]
	g.leaves = append(g.leaves, children[1])
}

// divide sets children to those of a leaf, with the rows of this peer.
func (g *Grower) divide(parent *leaf, children *[2]leaf) {
	n, depth := g.partition(parent.rows, g.spare, &parent.best), parent.depth+1
	*children = [2]leaf{
		{rows: parent.rows[:n], count: n, sum: parent.best.left, depth: depth},
		{rows: parent.rows[n:], count: parent.count - n, sum: parent.sum.Sub(parent.best.left), depth: depth,
			right: true},
	}
	g.memory.divideIdle(parent, children)
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
	if workers == 1 || len(lf.rows) < many*workers || !g.bins.HasBytes(g.parts[len(g.parts)-1]) {
		g.eachChunk(func(worker int, c chunk) { g.sum(worker, c, lf.sums, parent, lf.rows, live, rest, search) })
		return
	}
	g.pool.Each(workers, func(place int) {
		from, to := place*len(lf.rows)/workers, (place+1)*len(lf.rows)/workers
		g.builders[place].Add(g.bins, g.parts, lf.rows[from:to], g.active.Packed)
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

// constrainChildren gives the children of a leaf that is split their states, and returns the leaves that must
// be searched again because of it.
func (g *Grower) constrainChildren(parent, left, right *leaf) (outdated []*leaf) {
	c := g.constraints
	if c.children(parent, left, right); !c.revises() {
		return nil
	}
	at := int32(len(g.Nodes) - 1)
	g.narrowBeside(step{at, false}, left.value)
	g.narrowBeside(step{at, true}, right.value)
	for i := range g.leaves {
		if lf := &g.leaves[i]; lf.outdated {
			lf.outdated, outdated = false, append(outdated, lf)
		}
	}
	return outdated
}

// revise gives children that were searched in advance their states, and searches them again if these are
// other states than they were searched with.
func (g *Grower) revise(parent, left, right *leaf) {
	before := [2]leafState{left.leafState, right.leafState}
	outdated := g.constrainChildren(parent, left, right)
	for i, lf := range []*leaf{left, right} {
		if g.splittable(lf) && (lf.value != before[i].value || lf.bounds != before[i].bounds) {
			outdated = append(outdated, lf)
		}
	}
	g.order.divided(family{}, outdated)
	g.memory.drop(left)
	g.memory.drop(right)
}

// narrowBeside narrows the bounds of the leaves that are comparable with the leaf at s, by its value.
func (g *Grower) narrowBeside(s step, value float64) {
	g.eachComparable(g.constraints.monotone.Directions, s, s.node, g.constraints.parents,
		func(c comparableLeaf) {
			if c.parent == s.node {
				return // its sibling
			}
			lf := &g.leaves[^c.ref]
			was := lf.bounds
			if lf.bounds = was.Narrow(value, c.above); lf.bounds != was && lf.best.gain > 0 {
				lf.outdated = true
			}
		})
}

// nothing is the search function if no search is needed.
func nothing(int, *columnGroup) {}
