package tree

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTables: symmetric trees become tables, also if some leaves are not split. Trees with many conditions
// do not, such as a chain of ten leaves, whose table would have 512 values, nor do those with many for their
// leaves, such as a chain of nine leaves.
func TestTables(t *testing.T) {
	for _, c := range []struct {
		model randomModel
		want  bool
	}{
		{randomModel{levels: 1}, true},
		{randomModel{levels: 6, missing: true, categorical: true}, true},
		{randomModel{levels: 8, exact: true}, true},
		{randomModel{levels: 9, exact: true, dense: true}, false},
		{randomModel{maxLeaves: 64, exact: true, dense: true}, false},
		{randomModel{maxLeaves: 10, chains: true, exact: true, dense: true}, false},
		{randomModel{maxLeaves: 9, chains: true, exact: true, dense: true}, false},
		{randomModel{maxLeaves: 1, exact: true}, true},
		{randomModel{maxLeaves: 2, exact: true}, true},
	} {
		for seed := range uint64(20) {
			c.model.trees, c.model.features = 1, 30
			e := c.model.make(rand.New(rand.NewPCG(seed, 2)))
			tables := tablesOf(e.Trees, newQuantizer(e.Trees), maxTableConditions)
			require.Equal(t, c.want, tables[0] != nil, "%+v", c.model)
			if c.want && c.model.levels > 0 {
				assert.LessOrEqual(t, len(tables[0].conditions), c.model.levels)
			}
		}
	}
}

// TestTablesBesideOtherTrees: the scores of tables and of other trees are summed in the order of the trees.
func TestTablesBesideOtherTrees(t *testing.T) {
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 3))
		e := &Ensemble{Features: make([]Feature, 6)}
		for range 30 {
			model := randomModel{maxLeaves: 40, features: 6, missing: true}
			if rng.IntN(2) == 0 {
				model.levels = 1 + rng.IntN(8)
			}
			e.Trees = append(e.Trees, *model.tree(rng))
		}
		s, err := Compile(e)
		require.NoError(t, err)
		for _, n := range []int{1, 130} {
			requireScorer(t, s, e, randomRows(rng, n, 6), n)
		}
	}
}
