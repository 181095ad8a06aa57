package tree

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// known returns the expected score of a row if only the features in set are known. Nodes of other features
// average their children, weighted by numbers of training rows.
func (t *Tree) known(row []float64, set uint, child int32) float64 {
	if child < 0 {
		return t.LeafValue[^child]
	}
	feature := t.Feature[child]
	if set>>feature&1 != 0 {
		if t.goesLeft(child, row[feature]) {
			return t.known(row, set, t.Left[child])
		}
		return t.known(row, set, t.Right[child])
	}
	left, right := t.rowsAt(t.Left[child]), t.rowsAt(t.Right[child])
	return (left*t.known(row, set, t.Left[child]) + right*t.known(row, set, t.Right[child])) / (left + right)
}

// byDefinition computes Shapley values by their definition: the mean effect of each feature on the value of a
// set over all sets of the others, where the sets of each size together have the same weight.
func byDefinition(value func(set uint) float64, features int) []float64 {
	values := make([]float64, features+1)
	for set := uint(0); set < 1<<features; set++ {
		without := value(set)
		size := bits.OnesCount(set)
		weight := 1 / float64(features)
		for i := range size { // 1 / (features · C(features-1, size))
			weight *= float64(i+1) / float64(features-1-i)
		}
		for i := range features {
			if set>>i&1 == 0 {
				values[i] += weight * (value(set|1<<i) - without)
			}
		}
	}
	values[features] = value(0)
	return values
}

// expected returns the expected score of a row by the features that are known.
func (t *Tree) expected(row []float64) func(set uint) float64 {
	root := int32(0)
	if t.NumNodes() == 0 {
		root = ^0
	}
	return func(set uint) float64 { return t.known(row, set, root) }
}

func TestContributionsAreShapleyValues(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 8))
		model := randomModel{trees: 3, maxLeaves: 20, features: 1 + rng.IntN(6), missing: true, categorical: true,
			average: seed%5 == 0}
		if seed%10 == 0 {
			model.maxLeaves, model.features = 200, 10
		}
		e := model.make(rng)
		const n = 3
		rows, got := randomRows(rng, n, model.features), make([]float64, n*(model.features+1))
		require.NoError(t, e.Contributions(got, rows, n))
		for i := range n {
			row := rows[i*model.features : (i+1)*model.features]
			want := make([]float64, model.features+1)
			for j := range e.Trees {
				for k, v := range byDefinition(e.Trees[j].expected(row), model.features) {
					want[k] += e.average(v)
				}
			}
			assert.InDeltaSlice(t, want, got[i*(model.features+1):(i+1)*(model.features+1)], 1e-12)
		}
	}
}

// TestContributionsOfAChain: a tree with a different feature at each node is explained up to a limit. Above
// it, it is refused before memory is allocated.
func TestContributionsOfAChain(t *testing.T) {
	chain := func(leaves int) (*Ensemble, []float64) {
		m := randomModel{trees: 1, maxLeaves: leaves, features: leaves, chains: true, exact: true}
		e := m.make(rand.New(rand.NewPCG(2, 2)))
		for node := range e.Trees[0].Feature {
			e.Trees[0].Feature[node] = int32(node)
		}
		return e, make([]float64, leaves)
	}
	e, row := chain(400)
	values := make([]float64, 401)
	require.NoError(t, e.Contributions(values, row, 1))
	score, err := e.ScoreRow(row)
	require.NoError(t, err)
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	assert.InDelta(t, score, sum, 1e-12)
	e, row = chain(30_000)
	assert.ErrorIs(t, e.Contributions(make([]float64, 30_001), row, 1), ErrLarge)
}

func TestContributionsRefuse(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	e := randomModel{trees: 1, maxLeaves: 30, features: 2}.make(rng)
	dst, rows := make([]float64, 3), make([]float64, 2)
	assert.ErrorContains(t, e.Contributions(dst[:2], rows, 1), " has length ")
	assert.ErrorContains(t, e.Contributions(dst, rows[:1], 1), " has length ")
	require.Greater(t, e.Trees[0].NumLeaves(), 1)
	e.Trees[0].LeafCount[1] = 0
	assert.ErrorIs(t, e.Contributions(dst, rows, 1), ErrCounts)
	e.Trees[0].InternalCount[0] = 0
	assert.ErrorIs(t, e.Contributions(dst, rows, 1), ErrCounts)

	e = randomModel{trees: 1, maxLeaves: 30, features: 2, linear: true}.make(rng)
	assert.ErrorIs(t, e.Contributions(dst, rows, 1), ErrLinear)
}
