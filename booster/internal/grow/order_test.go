package grow

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// marks returns sets of columns, each given by a digit for each column.
func marks(sets ...string) (all [][]bool) {
	for _, set := range sets {
		var marked []bool
		for _, digit := range set {
			marked = append(marked, digit == '1')
		}
		all = append(all, marked)
	}
	return all
}

// growNaively is grow, but it compares all leaves to find the next one to split, closes none of them, and
// keeps the sums of all.
func growNaively(g *Grower) {
	g.fewRows, g.least = 0, 0
	for place := range g.rows {
		g.rows[place] = int32(place)
	}
	o := g.order.(*bestFirst)
	g.Nodes, o.open = g.Nodes[:0], o.open[:0]
	g.leaves = append(g.leaves[:0], g.root())
	if g.splittable(&g.leaves[0]) {
		g.sums.search(family{left: &g.leaves[0]}, nil)
	}
	for len(g.leaves) < g.Settings.NumLeaves {
		next := o.bestLeaf()
		if next < 0 {
			break
		}
		g.split(next, nil)
	}
	for i := range g.leaves {
		g.memory.release(&g.leaves[i])
	}
}

// TestClosedLeavesWouldNotBeSplit: closing leaves and dropping their sums changes no tree, and at most half
// of the leaves have sums.
func TestClosedLeavesWouldNotBeSplit(t *testing.T) {
	for name, change := range map[string]func(*trial){
		"all rows":         func(*trial) {},
		"sparse":           func(tr *trial) { tr.share = 0.3 },
		"smooth":           func(tr *trial) { tr.Smooth, tr.MaxStep, tr.share = 10, 2, 0.3 },
		"random":           func(tr *trial) { tr.Random, tr.share, tr.ByNode = true, 0.3, 0.7 },
		"features by node": func(tr *trial) { tr.ByNode = 0.5 },
		"monotone":         func(tr *trial) { tr.Monotone = Monotone{Directions: []int8{-1, 1, 0, 0, 0}} },
		"intermediate": func(tr *trial) {
			tr.Monotone = Monotone{Directions: []int8{1, -1, 0, 1, 1}, Intermediate: true}
		},
		"categories":   func(tr *trial) { tr.bins.Categorical, tr.share = "1", 0.5 },
		"depthwise":    func(tr *trial) { tr.Policy = ByDepth },
		"interactions": func(tr *trial) { tr.Interactions = marks("11000", "01110") },
		"factors":      func(tr *trial) { tr.Factors = []float64{1, 0.5, 0.1, 1, 1} },
	} {
		t.Run(name, func(t *testing.T) {
			for _, leaves := range []int{2, 3, 20, 400} {
				tr := usualTrial()
				change(&tr)
				tr.NumLeaves = leaves
				g := tr.grow(t, 1, randomValues(1, 1200, 0))
				require.LessOrEqual(t, len(g.memory.free), tr.MostOpen())
				nodes := slices.Clone(g.Nodes)
				growNaively(g)
				require.Equal(t, g.Nodes, nodes)
			}
		})
	}
}
