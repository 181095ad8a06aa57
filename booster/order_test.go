package booster

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// growNaively is grow, but it compares all leaves to find the next one to split, closes none of them, and
// keeps
// the sums of all.
func growNaively(g *grower) {
	g.fewRows, g.least = 0, 0
	for place := range g.rows {
		g.rows[place] = int32(place)
	}
	o := g.order.(*bestFirst)
	g.nodes, o.open = g.nodes[:0], o.open[:0]
	g.leaves = append(g.leaves[:0], g.root())
	if g.splittable(&g.leaves[0]) {
		g.sums.search(family{left: &g.leaves[0]})
	}
	for len(g.leaves) < g.numLeaves {
		next := o.bestLeaf()
		if next < 0 {
			break
		}
		g.split(next, nil)
	}
	for i := range g.leaves {
		g.release(&g.leaves[i])
	}
}

// TestClosedLeavesWouldNotBeSplit: closing leaves and dropping their sums changes no tree, and at most half
// of
// the leaves have sums.
func TestClosedLeavesWouldNotBeSplit(t *testing.T) {
	for name, change := range modes {
		p := smallParams()
		if change(&p); p.GrowPolicy == Symmetric {
			continue // symmetric trees split whole levels
		}
		t.Run(name, func(t *testing.T) {
			for _, p.NumLeaves = range []int{2, 3, 20, 400} {
				tr := trainerAfter(t, &p, 3, binned(t, &p, randomTable(1, 1200)))
				g := &tr.grower
				require.LessOrEqual(t, len(g.free), p.mostOpen())
				g.constraints.begin(7)
				g.grow()
				nodes := slices.Clone(g.nodes)
				g.constraints.begin(7)
				growNaively(g)
				require.Equal(t, g.nodes, nodes)
			}
		})
	}
}
