package objective

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// yetiRankByCatBoost is GenerateYetiRankPairsForQuery of CatBoost's yetirank_helpers.cpp, with random
// numbers from the caller, followed by the derivatives of CatBoost's PairLogit for those pairs.
func yetiRankByCatBoost(labels, scores []float64, draw func(permutation, document int) float64,
	permutations int, decaySpeed float64) (lambdas, hessians []float64) {
	n := len(labels)
	lambdas, hessians = make([]float64, n), make([]float64, n)
	weights := make([][]float64, n)
	for i := range weights {
		weights[i] = make([]float64, n)
	}
	for permutation := range permutations {
		indices, bootstrapped := make([]int, n), make([]float64, n)
		for i := range indices {
			u := draw(permutation, i)
			indices[i], bootstrapped[i] = i, math.Exp(scores[i])*(u/(1.000001-u))
		}
		slices.SortFunc(indices, func(i, j int) int {
			if bootstrapped[i] > bootstrapped[j] {
				return -1
			}
			return 1
		})
		decay := 1.0
		for document := 1; document < n; document++ {
			first, second := indices[document-1], indices[document]
			weight := 0.15 * decay * math.Abs(labels[first]-labels[second])
			if labels[first] > labels[second] {
				weights[first][second] += weight
			} else if labels[first] < labels[second] {
				weights[second][first] += weight
			}
			decay *= decaySpeed
		}
	}
	for winner := range n {
		for loser := range n {
			w := weights[winner][loser] / float64(permutations)
			p := 1 / (1 + math.Exp(scores[winner]-scores[loser]))
			lambdas[winner] -= w * p
			lambdas[loser] += w * p
			hessians[winner] += w * p * (1 - p)
			hessians[loser] += w * p * (1 - p)
		}
	}
	return lambdas, hessians
}

func TestYetiRankIsCatBoosts(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	p := DefaultAllParams()
	for range 50 {
		labels, scores := randomQuery(rng, 2+rng.IntN(60))
		labels[0], labels[1] = 3, 0
		o, err := New("YetiRank", &p)
		require.NoError(t, err)
		data := oneQuery(labels...)
		require.NoError(t, o.Prepare(data))
		q := queryOf(data, scores)
		q.Iteration, q.Seed = 4, 9
		lambdas, hessians := yetiRankByCatBoost(labels, scores, func(permutation, document int) float64 {
			return q.Draws(drawYetiRank + permutation).Uniform(document)
		}, 10, 0.85)
		g := gradientsAt(o, q)
		assert.InDeltaSlice(t, lambdas, g.Lambda, 1e-13)
		assert.InDeltaSlice(t, hessians, g.Hessian, 1e-13)
	}
}

// TestYetiRankWeightsAreChangesOfTheMetric: with one permutation, the weight of neighbors is the change of
// the metric.
func TestYetiRankWeightsAreChangesOfTheMetric(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 1))
	for _, mode := range []string{"ndcg", "mrr", "map", "err"} {
		for range 20 {
			labels, scores := randomQuery(rng, 2+rng.IntN(15))
			labels[0], labels[1] = 4, 0
			p := DefaultAllParams()
			p.YetirankMode, p.YetirankPermutations = mode, 1
			o, err := New("yetirank", &p)
			require.NoError(t, err)
			data := oneQuery(labels...)
			require.NoError(t, o.Prepare(data))
			q := queryOf(data, scores)
			g := gradientsAt(o, q)

			n := len(labels)
			order, noisy := make([]int, n), make([]float64, n)
			for i := range order {
				u := q.Draws(drawYetiRank).Uniform(i)
				order[i], noisy[i] = i, scores[i]+math.Log(u/(1.000001-u))
			}
			slices.SortFunc(order, func(a, b int) int {
				if noisy[a] > noisy[b] {
					return -1
				}
				return 1
			})
			byRank := make([]float64, n)
			for rank, index := range order {
				byRank[rank] = labels[index]
			}
			want := make([]float64, n)
			now := metricOf(mode, byRank, 4)
			for i := range n - 1 {
				swapped := slices.Clone(byRank)
				swapped[i], swapped[i+1] = swapped[i+1], swapped[i]
				w := math.Abs(metricOf(mode, swapped, 4) - now)
				high, low := order[i], order[i+1]
				if byRank[i] < byRank[i+1] {
					high, low = low, high
				}
				rho := 1 / (1 + math.Exp(scores[high]-scores[low]))
				want[high] -= w * rho
				want[low] += w * rho
			}
			require.InDeltaSlice(t, want, g.Lambda, 1e-12, mode)
		}
	}
}

// TestYetiRankOfDistantScores: if odds underflow, noisy ranking still sorts documents far below the best
// one by score.
func TestYetiRankOfDistantScores(t *testing.T) {
	p := DefaultAllParams()
	o, err := New("yetirank", &p)
	require.NoError(t, err)
	data := oneQuery(0, 2, 1)
	require.NoError(t, o.Prepare(data))
	g := gradientsAt(o, queryOf(data, []float64{3000, 0, 1000}))
	assert.Negative(t, g.Lambda[1])
	assert.Negative(t, g.Lambda[2]+g.Lambda[1])
	assert.InDelta(t, 0.15*1, g.Lambda[0], 1e-12,
		"above its neighbor, the document at 1000, in all permutations")
}
