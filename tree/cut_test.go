package tree

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCut checks that the parts have all nodes and leaves of a tree once, and are neither too large
// nor too small.
func TestCut(t *testing.T) {
	for _, model := range []randomModel{
		{trees: 20, maxLeaves: 1, features: 1},
		{trees: 20, maxLeaves: 6, features: 2},
		{trees: 20, maxLeaves: 100, features: 2},
		{trees: 20, maxLeaves: 100, features: 2, chains: true},
		{trees: 20, maxLeaves: 1000, features: 2, exact: true},
	} {
		rng := rand.New(rand.NewPCG(7, 7))
		e := model.make(rng)
		for i := range e.Trees {
			for _, most := range []int{1, 2, 3, 10, 254} {
				requireCut(t, &e.Trees[i], cut(&e.Trees[i], most), most)
			}
		}
	}
}

func requireCut(t *testing.T, tree *Tree, parts []part, most int) {
	t.Helper()
	nodes, leaves := make([]int, tree.NumNodes()), make([]int, tree.NumLeaves())
	reached := make([]int, len(parts))
	reached[0] = 1
	for i, p := range parts {
		require.Equal(t, i, p.number)
		require.Len(t, p.ends, len(p.nodes)+1, "a slot for each end")
		limit := most
		if i == 0 {
			limit++
		} else {
			require.GreaterOrEqual(t, 2*len(p.nodes), most, "part %d of %d", i, len(parts))
		}
		require.LessOrEqual(t, len(p.nodes), limit)
		for j, n := range p.nodes {
			nodes[n.node]++
			require.LessOrEqual(t, n.slot, j, "a node splits a slot that is in use")
		}
		for _, end := range p.ends {
			if end.part == 0 {
				leaves[end.leaf]++
			} else {
				require.Greater(t, end.part, i, "parts come after those above them")
				reached[end.part]++
			}
		}
	}
	for _, counts := range [][]int{nodes, leaves, reached} {
		for i, n := range counts {
			require.Equal(t, 1, n, "entry %d", i)
		}
	}
}

// TestCutOnlyWhereNeeded checks that a tree of as many leaves as a byte has values is one part.
func TestCutOnlyWhereNeeded(t *testing.T) {
	for leaves, parts := range map[int]int{1: 1, maxSlots: 1, maxSlots + 1: 2} {
		e := randomModel{trees: 1, maxLeaves: leaves, features: 2, exact: true}.make(rand.New(rand.NewPCG(8, 8)))
		require.Equal(t, leaves, e.Trees[0].NumLeaves())
		assert.Len(t, cut(&e.Trees[0], maxSlots-2), parts, "%d leaves", leaves)
	}
}
