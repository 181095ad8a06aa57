package booster

import "github.com/lambdamart/lambdamart/internal/bincut"

// The advanced method bounds each side of a cut by the leaves that the side is comparable with. A leaf that
// is comparable with the leaf to be split may share only some bins with it, and then it does not bound a side
// that has none of these bins (Auguste, Malory and Smirnov, A Better Method to Enforce Monotonic Constraints
// in Regression and Classification Trees, 2020; LightGBM's AdvancedLeafConstraints):
//
//	      age          scores rise with age; the leaf M has smaller values of age, and clicks ≤ 3
//	   M
//	   ├-----┤         the leaf to split has all values of clicks: if it is cut at 3 clicks or more,
//	├--------┴----┤    only its left side is bounded by M; if it is cut at 1, both sides are
//	 clicks
//
// Bounds come from the leaves that the tree has when a leaf is searched, not from earlier leaves. When a leaf
// is split, all leaves that are comparable with it are searched again, since the values of its children may
// also loosen their bounds.
//
// The sides of a set of categories have the bounds of the leaf that is split. Their own bounds are found when
// they are searched.

// bounding is a leaf that is comparable with the searched leaf, and its value.
type bounding struct {
	comparableLeaf
	value float64
}

// columnBounds is memory for the search of a column.
type columnBounds struct {
	valued bincut.Valued
	cuts   bincut.CutBounds
}

// appendBounding appends the leaves of the growing tree that are comparable with a leaf.
func (g *grower) appendBounding(dst []bounding, own step) []bounding {
	g.eachComparable(g.constraints.monotone.directions, own, int32(len(g.nodes)-1), g.constraints.parents,
		func(c comparableLeaf) {
			value := g.nodes[c.node].values[0]
			if c.right {
				value = g.nodes[c.node].values[1]
			}
			dst = append(dst, bounding{c, value})
		})
	return dst
}

// boundsBy returns the bounds of a whole leaf.
func boundsBy(others []bounding) bincut.Bounds {
	b := bincut.Unbounded()
	for i := range others {
		b = b.Narrow(others[i].value, !others[i].above)
	}
	return b
}

// valuedIn returns the leaf of a search, with bounds of the sides of the cuts of a column.
func (g *grower) valuedIn(worker int, s *search, column int32) *bincut.Valued {
	if len(s.bounding) == 0 || g.isCategorical(column) {
		return &s.leaf
	}
	memory := &g.columnBounds[worker]
	if !g.boundCuts(&memory.cuts, s, column) {
		return &s.leaf
	}
	memory.valued = s.leaf
	memory.valued.ByCut = &memory.cuts
	return &memory.valued
}

// boundCuts finds the bounds of the sides of the cuts of a column. It reports whether they differ from the
// bounds of the leaf; otherwise the content of cuts is unspecified.
func (g *grower) boundCuts(cuts *bincut.CutBounds, s *search, column int32) (differ bool) {
	var memory [16]step
	parents := g.constraints.parents
	own := g.appendStepsBy(memory[:0], column, s.way, -1, parents)
	all := g.binsAfter(column, own)
	cuts.Begin(g.matrix.Bins(column).NumBins())
	for i := range s.bounding {
		other, bins := &s.bounding[i], all
		if g.nodes[other.between].column != column {
			if steps := g.appendStepsBy(own, column, other.step, other.between, parents); len(steps) > len(own) {
				bins, differ = g.binsAfter(column, steps), true
			}
		}
		cuts.Narrow(bins.first, bins.last, bins.missing, other.value, !other.above)
	}
	if differ {
		cuts.End()
	}
	return differ
}
