package booster

import "github.com/lambdamart/lambdamart/internal/bincut"

// The advanced method bounds the two sides of a cut by what each of them is comparable with. A leaf that is
// comparable with the one that is to be split meets it in a part of its bins alone, and a side that has none
// of these bins is free of it (Auguste, Malory and Smirnov, A Better Method to Enforce Monotonic Constraints
// in Regression and Classification Trees, 2020; LightGBM's AdvancedLeafConstraints):
//
//	      age          the leaf M of smaller values of age, which scores rise with, has clicks ≤ 3
//	   M
//	   ├-----┤         the leaf to split has all clicks: cut at clicks ≤ 3 or above, its left side
//	├--------┴----┤    alone must not have a smaller value than M, and at clicks ≤ 1 both must not
//	 clicks
//
// Bounds come from the leaves that the tree has when a leaf is searched, not from those that were there
// before. All leaves that are comparable with one that was split are searched again, since its children's
// values may give them more room, too.
//
// The sides of a set of categories have the bounds of the leaf that is split. Their own ones are found when
// they are searched.

// bounding is a leaf that is comparable with one that is searched, and its value.
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

// boundCuts finds the bounds of the sides of the cuts of a column. It reports whether they are others than
// those of the leaf; otherwise cuts has no meaning.
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
