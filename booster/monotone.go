package booster

import (
	"math"

	"github.com/lambdamart/lambdamart/internal/bincut"
)

// Monotone features: with all else equal, a row of a larger value never has a smaller score (or, with -1,
// a larger one). That holds for each tree, and so for every sum of trees.
//
// Two leaves are comparable if there are two rows, one in each, that differ in a monotone feature alone.
// They lie on the two sides of a split by that feature, and meet in all other features:
//
//	     age, +1
//	    /       \           the leaf bm25 ≤ 2 on the left is comparable with the right one of bm25 ≤ 3,
//	 bm25       bm25        which must not have a smaller value
//	≤2   >2    ≤3   >3
//
// While a tree grows, each leaf has bounds, which its children's values keep. Splits by a monotone
// feature whose sides have values in the wrong order are not made (LightGBM's monotone_constraints.hpp):
//
//	basic         the mean of the two sides' values bounds everything below both sides
//	intermediate  the value of a leaf bounds its comparable leaves; best splits of leaves whose bounds
//	              become narrower are searched again
//
// The values of the finished tree come from the sums over all rows (fit). They follow the splits
// from the root down, in the order in which they were made, by the same rules; where sparse gradients
// decided for a split that has the wrong order by all rows, both sides get the mean. So they are
// monotone whatever the tree, also after leaves were taken out (minimum.go).
//
// LightGBM takes features in which rows have missing values for separated by their thresholds. Here,
// leaves that missing values reach on both sides of a split are comparable, too.
type monotone struct {
	directions   []int8 // by column: 1 rising, -1 falling, 0 any
	intermediate bool
	penalty      float64 // monotone_penalty
}

// Ways of bounding the values of leaves, the values of Params.MonotoneConstraintsMethod.
const (
	MonotoneBasic        = "basic"
	MonotoneIntermediate = "intermediate"
)

// direction returns that of a column.
func (m *monotone) direction(column int32) int8 {
	if m == nil {
		return 0
	}
	return m.directions[column]
}

// factor returns what gains of splits by monotone features are multiplied by in a leaf of the given
// depth, 0 for the root.
func (m *monotone) factor(depth int) float64 {
	const least = 1e-15
	switch d := float64(depth); {
	case m == nil || m.penalty == 0:
		return 1
	case m.penalty >= d+1:
		return least
	case m.penalty <= 1:
		return 1 - m.penalty/math.Ldexp(1, depth) + least
	default:
		return 1 - math.Exp2(m.penalty-1-d) + least
	}
}

// bounds are the least and the largest value of the children of a leaf.
type bounds struct{ low, high float64 }

func unbounded() bounds {
	low, high := bincut.Unbounded()
	return bounds{low, high}
}

// keep returns a value, moved into the bounds.
func (b bounds) keep(value float64) float64 { return min(max(value, b.low), b.high) }

// divide returns the bounds of both children of a leaf with these bounds, which is split by a column of the
// given direction and whose children have values.
func (m *monotone) divide(b bounds, direction int8, left, right float64) (ofLeft, ofRight bounds) {
	ofLeft, ofRight = b, b
	if direction == 0 {
		return ofLeft, ofRight
	}
	below, above := right, left // bounds of the left and of the right child
	if !m.intermediate {
		middle := float64(left/2) + float64(right/2)
		below, above = middle, middle
	}
	if direction > 0 {
		ofLeft.high, ofRight.low = min(b.high, below), max(b.low, above)
	} else {
		ofLeft.low, ofRight.high = max(b.low, below), min(b.high, above)
	}
	return ofLeft, ofRight
}

// step is a step from a node to a child.
type step struct {
	node  *node
	right bool
}

// reaches reports whether a row that took the given steps can take another one by the same column.
func (g *grower) reaches(steps []step, next step) bool {
	if next.node.sides != nil {
		return g.reachesCategory(steps, next)
	}
	const most = math.MaxInt32
	first, last, missing := int32(0), int32(most), true
	for _, s := range append(steps[:len(steps):len(steps)], next) {
		if s.node.column != next.node.column {
			continue
		}
		if s.right {
			first = max(first, int32(s.node.bin)+1)
		} else {
			last = min(last, int32(s.node.bin))
		}
		missing = missing && s.right == s.node.missingRight
	}
	return first <= last || missing && g.matrix.MissingBin(next.node.column) >= 0
}

// reachesCategory is reaches for a column of categories.
func (g *grower) reachesCategory(steps []step, next step) bool {
	column := next.node.column
	missing := g.matrix.MissingBin(column)
	for bin := range g.matrix.Bins(column).NumBins() {
		taken := next.node.goesRight(uint16(bin), missing) == next.right
		for _, s := range steps {
			taken = taken && (s.node.column != column || s.node.goesRight(uint16(bin), missing) == s.right)
		}
		if taken {
			return true
		}
	}
	return false
}

// eachComparable calls visit for each leaf that is comparable with one side of a node, except the other
// side, and says whether its value must not be less or not be more than that of the side. Nodes after the
// given one are leaves still. parents has the parents of the nodes.
func (g *grower) eachComparable(at int32, right bool, parents []int32, visit func(ref int32, above bool)) {
	m, last := g.steering.monotone, at
	steps := []step{{&g.nodes[at], right}}
	for ; parents[at] >= 0; at = parents[at] {
		n := &g.nodes[parents[at]]
		fromRight, opposite := n.right == at, n.right
		if fromRight {
			opposite = n.left
		}
		if d := m.directions[n.column]; d != 0 {
			g.descendComparable(opposite, last, n.column, steps, func(ref int32) { visit(ref, (d > 0) != fromRight) })
		}
		steps = append(steps, step{n, fromRight})
	}
}

// descendComparable calls visit for each leaf below ref that rows can reach which took the given steps, but
// for those by a column. Nodes after last are leaves still.
func (g *grower) descendComparable(ref, last, column int32, steps []step, visit func(ref int32)) {
	if ref < 0 || ref > last {
		visit(ref)
		return
	}
	n := &g.nodes[ref]
	for _, right := range []bool{false, true} {
		if n.column != column && !g.reaches(steps, step{n, right}) {
			continue
		}
		child := n.left
		if right {
			child = n.right
		}
		g.descendComparable(child, last, column, steps, visit)
	}
}

// narrowOthers narrows the bounds of the leaves that are comparable with two children, which are those of the
// latest node.
func (g *grower) narrowOthers(left, right *leaf) {
	at := int32(len(g.nodes) - 1)
	g.narrowBeside(at, false, left.value)
	g.narrowBeside(at, true, right.value)
	g.searchAgain(func(i int) bool {
		was := g.leaves[i].narrowed
		g.leaves[i].narrowed = false
		return was
	})
}

// narrowBeside narrows the bounds of the leaves that are comparable with a side of a node, by its value.
func (g *grower) narrowBeside(at int32, right bool, value float64) {
	g.eachComparable(at, right, g.steering.parents, func(ref int32, above bool) {
		lf := &g.leaves[^ref]
		was := lf.bounds
		if lf.bounds = was.narrow(value, above); lf.bounds != was && lf.best.gain > 0 {
			lf.narrowed = true
		}
	})
}

// narrow returns bounds of a leaf whose value must not be less, or not be more, than the given one.
func (b bounds) narrow(value float64, above bool) bounds {
	if above {
		b.low = max(b.low, value)
	} else {
		b.high = min(b.high, value)
	}
	return b
}

// searchAgain finds the best splits of the leaves that are chosen by number, whose sums are there.
func (g *grower) searchAgain(chosen func(number int) bool) {
	var leaves []*leaf
	for i := range g.leaves {
		if chosen(i) {
			leaves = append(leaves, &g.leaves[i])
		}
	}
	if g.share != nil {
		g.searchSums(leaves)
		return
	}
	for _, lf := range leaves {
		g.searchSumsOf(lf)
	}
}

// searchSumsOf finds the best split of a leaf whose sums are there.
func (g *grower) searchSumsOf(lf *leaf) {
	s := g.begin(0, lf)
	g.eachChunk(func(worker int, chunk []columnGroup) {
		for i := range chunk {
			g.searchGroup(worker, s, lf, &chunk[i])
		}
		g.watch.workerLap(worker, PhaseSplit)
	})
	g.conclude(lf, s)
}

// fit makes the values of a finished tree monotone. parents has the parents of the nodes. value returns that
// of an internal node, or of ^leaf, whose parent has the given value, before bounds.
func (m *monotone) fit(g *grower, parents []int32, leaves, nodes []float64, value func(ref int32, parent float64) float64) {
	ofNode, ofLeaf := make([]bounds, len(nodes)), make([]bounds, len(leaves))
	at := func(ref int32) (*float64, *bounds) {
		if ref < 0 {
			return &leaves[^ref], &ofLeaf[^ref]
		}
		return &nodes[ref], &ofNode[ref]
	}
	ofNode[0] = unbounded()
	for i := range g.nodes {
		n, own := &g.nodes[i], ofNode[i]
		left, leftBounds := at(n.left)
		right, rightBounds := at(n.right)
		*left, *right = own.keep(value(n.left, nodes[i])), own.keep(value(n.right, nodes[i]))
		d := m.directions[n.column]
		if d > 0 && *left > *right || d < 0 && *left < *right {
			middle := own.keep(float64(*left/2) + float64(*right/2))
			*left, *right = middle, middle
		}
		*leftBounds, *rightBounds = m.divide(own, d, *left, *right)
		if !m.intermediate {
			continue
		}
		for _, side := range []bool{false, true} {
			v := *left
			if side {
				v = *right
			}
			g.eachComparable(int32(i), side, parents, func(ref int32, above bool) {
				_, b := at(ref)
				*b = b.narrow(v, above)
			})
		}
	}
}
