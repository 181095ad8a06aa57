package booster

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/tree"
)

// monotoneSettings are settings under which monotone constraints must hold.
var monotoneSettings = map[string]func(*Params){
	"all rows":     func(p *Params) { p.ActiveFraction = 1 },
	"sparse":       func(p *Params) { p.ActiveFraction = 0.1 },
	"large leaves": func(p *Params) { p.ActiveFraction, p.MinDataInLeaf = 0.2, 60 }, // removes leaves
	"smooth":       func(p *Params) { p.PathSmooth, p.MaxDeltaStep, p.ActiveFraction = 20, 1, 0.3 },
	"random":       func(p *Params) { p.ExtraTrees, p.FeatureFractionByNode, p.ActiveFraction = true, 0.7, 0.5 },
	"zeros":        func(p *Params) { p.ZeroAsMissing = true },
	"penalty":      func(p *Params) { p.MonotonePenalty = 1.5 },
	"dart":         func(p *Params) { p.Boosting, p.SkipDrop, p.DropRate = DART, 0, 0.3 },
	"bags":         func(p *Params) { p.BaggingFraction, p.BaggingFreq, p.BaggingByQuery = 0.5, 1, false },
	"categories":   func(p *Params) { p.CategoricalFeature, p.ActiveFraction = "1", 0.5 },
	"sets": func(p *Params) {
		p.CategoricalFeature, p.MaxCatToOnehot, p.MinDataPerGroup, p.CatL2 = "1", 1, 5, 1
	},
	"symmetric": func(p *Params) {
		p.GrowPolicy, p.NumLeaves, p.ActiveFraction, p.PathSmooth = Symmetric, 32,
			0.3, 3
	},
	"regression": func(p *Params) { p.Objective = "regression" },
}

// directions are constraints, some of which contradict the labels of randomTable.
var directions = [][]int{{1, 0, 0, 0, 0}, {-1, 1, 0, 0, 0}, {1, 1, -1, 1, -1}, {0, -1, 1, 0, 1}}

// TestMonotone checks that no pair of rows that differ only in a monotone feature has scores in the wrong
// order. Half of the pairs are scored by single trees, whose values lie closer together.
func TestMonotone(t *testing.T) {
	pairs, rows, iterations := 100_000, 3000, 8
	if testing.Short() { // the race detector is slow
		pairs, rows, iterations = 4_000, 800, 5
	}
	for name, change := range monotoneSettings {
		for _, method := range []string{MonotoneBasic, MonotoneIntermediate} {
			t.Run(name+" "+method, func(t *testing.T) {
				for i, d := range directions {
					p := smallParams()
					p.NumLeaves, p.NumIterations, p.MonotoneConstraintsMethod = 31, iterations, method
					change(&p)
					if d = slices.Clone(d); p.CategoricalFeature != "" {
						d[1] = 0
					}
					p.MonotoneConstraints = fmt.Sprintf("%d,%d,%d,%d,%d", d[0], d[1], d[2], d[3], d[4])
					s := withNaN(randomTable(uint64(i), rows), 9, 0.1)
					m := fit(t, p, s).Model
					requireMonotone(t, m, s, d, pairs/len(directions), p.ZeroAsMissing)
				}
			})
		}
	}
}

func requireMonotone(t *testing.T, m *tree.Ensemble, s *table, directions []int, pairs int,
	zeroAsMissing bool) {
	rng := rand.New(rand.NewPCG(5, 5))
	low, high, moved := make([]float64, len(directions)), make([]float64, len(directions)), 0
	for n := range pairs {
		for f := range low { // mixtures of two rows reach cells without training rows
			low[f] = s.values[rng.IntN(len(s.values))][f]
		}
		copy(high, low)
		f := rng.IntN(len(directions))
		low[f], high[f] = rng.NormFloat64()*2, rng.NormFloat64()*2
		if low[f] > high[f] {
			low[f], high[f] = high[f], low[f]
		}
		if directions[f] == 0 || zeroAsMissing && (low[f] == 0 || high[f] == 0) {
			continue
		}
		part := m
		if n%2 == 0 {
			part = &tree.Ensemble{Trees: m.Trees[n/2%len(m.Trees):][:1], Features: m.Features}
		}
		a, err := part.ScoreRow(low)
		require.NoError(t, err)
		b, err := part.ScoreRow(high)
		require.NoError(t, err)
		require.GreaterOrEqual(t, float64(directions[f])*(b-a), 0.0, "feature %d from %v to %v of %v", f, low[f],
			high[f], low)
		if a != b {
			moved++
		}
	}
	assert.Greater(t, moved, pairs/1000, "constraints do not stop features from being used")
}

func TestMonotoneParameters(t *testing.T) {
	p := smallParams()
	p.MonotoneConstraints, p.MonotoneConstraintsMethod = "0:0.5", "exact"
	err := p.Validate(nil)
	assert.ErrorContains(t, err, `monotone_constraints=0:0.5: "0:0.5": want a whole number from -1 to 1`)
	assert.ErrorContains(t, err, "monotone_constraints_method=exact: must be one of basic, intermediate")
	p.MonotoneConstraintsMethod = "advanced"
	assert.ErrorContains(t, p.Validate(nil),
		"monotone_constraints_method=advanced: it bounded each side of a split by itself until ")
	p = smallParams()
	p.MonotoneConstraints, p.CategoricalFeature = "1:1", "1"
	_, err = Train(t.Context(), p, binned(t, &p, randomTable(1, 300))[0], nil, Options{})
	assert.ErrorContains(t, err, "monotone_constraints and categorical_feature: feature")
	p = smallParams()
	p.MonotonePenalty = 1
	assert.Contains(t, p.Cautions(), "monotone_penalty=1 has no effect without monotone_constraints")
}

// TestInteractionConstraints: the features of every path are together in one of the sets.
func TestInteractionConstraints(t *testing.T) {
	sets := []map[int32]bool{{0: true, 2: true}, {1: true, 4: true}, {4: true}}
	for _, byNode := range []float64{1, 0.6} {
		p := smallParams()
		p.InteractionConstraints, p.NumLeaves, p.FeatureFractionByNode = "[0, 2],[1,4] , [4]", 20, byNode
		used := map[int32]bool{}
		var walk func(fitted *tree.Tree, at int32, path []int32)
		walk = func(fitted *tree.Tree, at int32, path []int32) {
			if at >= 0 {
				used[fitted.Feature[at]] = true
				path = append(path[:len(path):len(path)], fitted.Feature[at])
				walk(fitted, fitted.Left[at], path)
				walk(fitted, fitted.Right[at], path)
				return
			}
			fits := false
			for _, set := range sets {
				all := true
				for _, f := range path {
					all = all && set[f]
				}
				fits = fits || all
			}
			require.True(t, fits, "%v", path)
		}
		m := fit(t, p, randomTable(2, 3000)).Model
		for i := range m.Trees {
			walk(&m.Trees[i], 0, nil)
		}
		assert.Greater(t, len(used), 2)
		assert.False(t, used[3], "a feature in no set")
	}
}

func TestInteractionSyntax(t *testing.T) {
	for text, want := range map[string][][]string{
		"":                        nil,
		"[0,1],[1,2]":             {{"0", "1"}, {"1", "2"}},
		"[[0, 1], [1]]":           {{"0", "1"}, {"1"}},
		`[["bm25", 'age'],["x"]]`: {{"bm25", "age"}, {"x"}},
	} {
		got, err := parseInteractions(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"0,1", "[0,1", "[0,1]]", "[0,,1]", "[]", "[0,1],", "[0][1]", "[[0,1],[2]",
		"]["} {
		_, err := parseInteractions(text)
		assert.Error(t, err, text)
	}
	p, s := smallParams(), randomTable(1, 300)
	p.InteractionConstraints = "[0,nosuch]"
	data := binned(t, &p, s)
	_, err := Train(t.Context(), p, data[0], nil, Options{})
	assert.ErrorContains(t, err, `interaction_constraints: there is no feature "nosuch"`)
}

// TestMonotonePenaltyBarsTheRoot: the first levels are not split by monotone features.
func TestMonotonePenaltyBarsTheRoot(t *testing.T) {
	p, s := smallParams(), randomTable(1, 2000)
	p.MonotoneConstraints, p.MonotonePenalty, p.NumIterations = "0:1", 2, 3
	for _, fitted := range fit(t, p, s).Model.Trees {
		assert.NotEqual(t, int32(0), fitted.Feature[0], "the root is not split by a monotone feature")
	}
}
