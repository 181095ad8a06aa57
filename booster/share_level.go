package booster

import (
	"math"

	"github.com/lambdamart/lambdamart/internal/bincut"
)

// Peers grow symmetric trees level by level: each adds up what the cuts of its own columns gain in all leaves
// of the level.
//
//	all ranks    add up the sums of the smaller children, as in share.go
//	each rank    finds its best cut of all leaves that may be split
//	all ranks    exchange the best cuts, of which the best is the level's (AllGather)
//	all ranks    count rows by the bins of its column, where min_data_in_leaf may forbid it in a leaf (Sum)
//	its rank     says what each leaf is split into (Sum)

// sumParents finds the sums of the children of the leaves of a level that were split.
func (g *grower) sumParents() {
	parents := g.symmetric.parents
	for len(parents) > 0 {
		n := min(len(parents), batchLeaves)
		var batch []expansion
		for i := range parents[:n] {
			p := &parents[i]
			if batch = g.appendExpansion(batch, &p.leaf, &g.leaves[p.left], &g.leaves[p.right]); len(batch) == 0 ||
				batch[len(batch)-1].parent != &p.leaf {
				g.release(&p.leaf)
			}
		}
		if len(batch) > 0 {
			g.sumTogether(batch)
		}
		parents = parents[n:]
	}
	g.symmetric.parents = g.symmetric.parents[:0]
}

// levelBest is the best split of a rank, its gain, and whether the rules certainly allow it in all leaves
// that it may split.
type levelBest struct {
	fixedCut
	gain    float64
	certain bool
}

// bestTogether is the end of bestOfLevel for ranks.
func (g *grower) bestTogether() fixedCut {
	s := g.symmetric
	for {
		mine := levelBest{fixedCut: fixedCut{column: -1}}
		if at := g.ranking.first(); at >= 0 {
			chosen := g.fixedCutAt(at)
			mine = levelBest{chosen, g.levelGain(at), chosen.cut.Counted || g.certain(&chosen)}
		}
		best := g.bestLevel(mine)
		if best.column == mine.column {
			best.sides = mine.sides
		}
		if best.column < 0 || best.certain {
			return best.fixedCut
		}
		counts := g.countLevel(best.column)
		if !g.share.isOwn(best.column) {
			continue
		}
		at := int(g.share.placeOf[best.column])
		s.cuts[at] = g.levelCut(0, at, func(c *bincut.Column, _ []int32, _ int32) {
			g.setCounts(c, counts[:len(c.Sums)])
			counts = counts[len(c.Sums):]
		})
		g.ranking.change(g.levelGain(at))
	}
}

// bestLevel returns the best of what the ranks have: of equal gains, that of the smaller column.
func (g *grower) bestLevel(mine levelBest) (best levelBest) {
	const size = 3
	words := []int64{int64(math.Float64bits(mine.gain)), int64(mine.column), int64(mine.cut.Bin) << 2}
	if mine.cut.MissingRight {
		words[2] |= 1
	}
	if mine.certain {
		words[2] |= 2
	}
	all := make([]int64, size*g.peers.Size())
	g.peers.AllGather(all, words)
	best.column = -1
	for ; len(all) > 0; all = all[size:] {
		b := levelBest{gain: math.Float64frombits(uint64(all[0])), certain: all[2]&2 != 0}
		b.column, b.cut = int32(all[1]), bincut.Cut{Bin: int32(all[2] >> 2), MissingRight: all[2]&1 != 0}
		if b.column >= 0 && (best.column < 0 || b.gain > best.gain || b.gain == best.gain &&
			b.column < best.column) {
			best = b
		}
	}
	return best
}

// countLevel returns the rows of all ranks by the bins of a column, of one leaf that may be split after the
// other.
func (g *grower) countLevel(column int32) []int64 {
	var counts []int64
	for _, number := range g.symmetric.open {
		counts = g.appendCounts(counts, g.leaves[number].rows, column)
	}
	g.peers.Sum(counts)
	return counts
}
