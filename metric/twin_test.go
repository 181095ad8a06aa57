package metric

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// randomQuery draws a query of n documents with few different labels and, if ties, few different scores.
func randomQuery(rng *rand.Rand, n int, ties bool) (labels, scores []float64) {
	labels, scores = make([]float64, n), make([]float64, n)
	for i := range labels {
		labels[i] = float64(rng.IntN(4) * rng.IntN(2))
		scores[i] = rng.NormFloat64()
		if ties {
			scores[i] = float64(rng.IntN(3))
		}
	}
	return labels, scores
}

// TestDefinitionOfLongLists: lengths around fewCutoff, shortList, and the sizes of the table of discounts.
func TestDefinitionOfLongLists(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{11, 12, 13, 24, 25, 47, 48, 49, 50, 100, 1023, 1024, 1025, 1500} {
		for _, ties := range []Ties{FileOrder, Pessimistic} {
			c := LightGBM().withTies(ties)
			for _, k := range []int{0, 1, 10, 47, 48, 49, 1024, 1025} {
				labels, scores := randomQuery(rng, n, k%2 == 0)
				want, _ := twins["ndcg"].query(c, k, 0, labels, scores)
				require.InDelta(t, want, value(t, NDCG(c, k), labels, scores), 1e-13, "%d documents @%d", n, k)
			}
		}
	}
}

func TestOrderIsStableAndComplete(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	var memory sorter
	var got []document
	for range 1000 {
		n, k := 1+rng.IntN(200), rng.IntN(60)
		scores, want := make([]float64, n), make([]int, n)
		for i := range scores {
			scores[i], want[i] = someScore(rng), i
		}
		slices.SortStableFunc(want, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
		got = memory.order(got, scores, k)
		for rank, d := range got {
			require.Equal(t, want[rank], d.index, "%v", scores)
		}
		if len(got) < n {
			require.GreaterOrEqual(t, len(got), k)
			require.Greater(t, scores[got[k-1].index], scores[want[len(got)]], "ends inside a tie")
		}
	}
}

// someScore draws a special value, a small integer, so that some scores are equal, or any number.
func someScore(rng *rand.Rand) float64 {
	few := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64,
		5e-324, -5e-324, 1, -1}
	switch rng.IntN(3) {
	case 0:
		return few[rng.IntN(len(few))]
	case 1:
		return float64(rng.IntN(20) - 10)
	}
	return rng.NormFloat64()
}

func TestFileOrderNeverMattersWhenTiesAreAveraged(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	for range 50 {
		n := 1 + rng.IntN(70)
		labels, scores := randomQuery(rng, n, true)
		for i := range labels {
			labels[i] *= rng.Float64() // the sum of such gains depends on their order
		}
		for _, k := range []int{0, 10} {
			for _, create := range everyMetric {
				m := create(Default(), k)
				want, _ := m.Query(labels, scores)
				shuffledLabels, shuffledScores := slices.Clone(labels), slices.Clone(scores)
				for to, from := range rng.Perm(n) {
					shuffledLabels[to], shuffledScores[to] = labels[from], scores[from]
				}
				got, _ := m.Query(shuffledLabels, shuffledScores)
				require.Equal(t, want, got, m.Name())
			}
		}
	}
}

func TestFractionalLabelsOfExp2(t *testing.T) {
	for x := 0.0; x <= MaxExp2Label; x += 0.37 {
		assert.InEpsilon(t, 1+math.Exp2(x)-1, 1+Exp2().Of(x), 1e-15)
	}
	assert.Equal(t, 1023.0, Exp2().Of(10))
	assert.Equal(t, math.Exp2(31)-1, Exp2().Of(31))
}
