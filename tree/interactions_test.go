package tree

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// interactionOf computes the interaction of features i ≠ j by its definition: half of the mean of what both
// add beyond what each adds, over all sets of the others, where the sets of each size have the same weight.
func interactionOf(value func(set uint) float64, features, i, j int) float64 {
	sum := 0.0
	for set := uint(0); set < 1<<features; set++ {
		if set>>i&1 != 0 || set>>j&1 != 0 {
			continue
		}
		weight := 1 / float64(features-1)
		for k := range bits.OnesCount(set) { // 1 / ((features-1) · C(features-2, size))
			weight *= float64(k+1) / float64(features-2-k)
		}
		sum += weight * (value(set|1<<i|1<<j) - value(set|1<<i) - value(set|1<<j) + value(set))
	}
	return sum / 2
}

func TestInteractionsAreThoseOfTheDefinition(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 31))
		m := randomModel{trees: 3, maxLeaves: 20, features: 2 + rng.IntN(5), missing: true, categorical: true,
			average: seed%4 == 0}
		e := m.make(rng)
		const n = 3
		features := m.features
		rows, got, single := randomRows(rng, n, features), make([]float64,
			n*features*features), make([]float64, n*(features+1))
		require.NoError(t, e.Interactions(got, rows, n))
		require.NoError(t, e.Contributions(single, rows, n))
		for r := range n {
			row, matrix := rows[r*features:][:features], got[r*features*features:][:features*features]
			for i := range features {
				sum := 0.0
				for j := range features {
					sum += matrix[i*features+j]
					if i == j {
						continue
					}
					want := 0.0
					for k := range e.Trees {
						want += interactionOf(e.Trees[k].expected(row), features, i, j)
					}
					assert.InDelta(t, e.average(want), matrix[i*features+j], 1e-12)
				}
				assert.InDelta(t, single[r*(features+1)+i], sum, 1e-12, "a line sums to the contribution")
			}
		}
	}
}

// mixed scores a row that takes the features of a set from one row and the others from another.
func mixed(e *Ensemble, row, other []float64, set uint) float64 {
	both := append([]float64(nil), other...)
	for f := range both {
		if set>>f&1 != 0 {
			both[f] = row[f]
		}
	}
	return e.score(both)
}

func TestContributionsAgainstAreShapleyValues(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 32))
		m := randomModel{trees: 3, maxLeaves: 30, features: 1 + rng.IntN(6), missing: true, categorical: true,
			average: seed%4 == 0}
		e := m.make(rng)
		const n, others = 3, 4
		features := m.features
		rows, background, got := randomRows(rng, n, features), randomRows(rng, others,
			features), make([]float64, n*(features+1))
		require.NoError(t, e.ContributionsAgainst(got, rows, n, background, others))
		for r := range n {
			row, want := rows[r*features:][:features], make([]float64, features+1)
			for o := range others {
				other := background[o*features:][:features]
				value := func(set uint) float64 { return mixed(e, row, other, set) }
				for f, v := range byDefinition(value, features) {
					want[f] += v / others
				}
			}
			assert.InDeltaSlice(t, want, got[r*(features+1):][:features+1], 1e-12)
		}
	}
}

func TestExplanationsRefuse(t *testing.T) {
	e := randomModel{trees: 1, maxLeaves: 30, features: 2}.make(rand.New(rand.NewPCG(1, 9)))
	row := make([]float64, 2)
	assert.ErrorContains(t, e.Interactions(make([]float64, 3), row, 1), " has length ")
	assert.ErrorContains(t, e.ContributionsAgainst(make([]float64, 3), row, 1, row[:1], 1), " has length ")
	assert.ErrorIs(t, e.ContributionsAgainst(make([]float64, 3), row, 1, nil, 0), ErrNoBackground)
	e.Trees[0].LeafCount[0] = 0
	assert.ErrorIs(t, e.Interactions(make([]float64, 4), row, 1), ErrCounts)
	assert.NoError(t, e.ContributionsAgainst(make([]float64, 3), row, 1, row, 1), "counts are not needed")
	e = randomModel{trees: 1, maxLeaves: 30, features: 2, linear: true}.make(rand.New(rand.NewPCG(1, 9)))
	assert.ErrorIs(t, e.Interactions(make([]float64, 4), row, 1), ErrLinear)
	assert.ErrorIs(t, e.ContributionsAgainst(make([]float64, 3), row, 1, row, 1), ErrLinear)
}
