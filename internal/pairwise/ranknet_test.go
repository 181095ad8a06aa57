package pairwise

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// labeledQuery draws labels, at least two of them different, and scores that differ by about spread.
func labeledQuery(r *rand.Rand, n int, spread float64) (labels, scores []float64) {
	for i := range n {
		labels = append(labels, float64(r.IntN(5)))
		scores = append(scores, spread*(r.Float64()-0.5))
		if i < 2 {
			labels[i] = float64(2 * i)
		}
	}
	return labels, scores
}

// slopes returns the derivatives in the order of documents.
func (r *RankNet) slopes() []float64 {
	dst := make([]float64, len(r.order))
	r.Slopes(dst)
	return dst
}

func TestRankNetByOddsEqualsOneByOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 10))
	var r RankNet // reused
	for trial := range 300 {
		r.Sigma = []float64{0.5, 1, 2}[trial%3]
		labels, scores := labeledQuery(rng, 2+rng.IntN(80), []float64{0, 4, 0.99 * MaxRange / r.Sigma}[rng.IntN(3)])
		r.Arrange(labels)
		want := r.oneByOne(scores)
		wantSlopes := r.slopes()
		r.Arrange(labels)
		got := r.byOdds(scores)
		require.InEpsilon(t, want, got, 1e-11)
		require.InDeltaSlice(t, wantSlopes, r.slopes(), 1e-12)
		r.Arrange(labels)
		require.Equal(t, got, r.All(scores), "within range")
	}
}

func TestRankNetOfDistantScoresIsOneByOne(t *testing.T) {
	r := RankNet{Sigma: 2}
	labels, scores := []float64{0, 1, 2}, []float64{1e5, 0, -1e5}
	r.Arrange(labels)
	loss := r.All(scores)
	assert.InEpsilon(t, 2*(1e5+1e5+2e5)/3, loss, 1e-12, "the mean of the gaps, all of them in the wrong order")
	assert.InDeltaSlice(t, []float64{4.0 / 3, 0, -4.0 / 3}, r.slopes(), 1e-12)
}

// TestRankNetPairsAreNumbered: every pair of documents with different labels has one number.
func TestRankNetPairsAreNumbered(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 11))
	r := RankNet{Sigma: 1}
	for range 30 {
		labels, scores := labeledQuery(rng, 2+rng.IntN(20), 6)
		pairs, want := 0, 0.0
		for i, high := range labels {
			for j, low := range labels {
				if high > low {
					pairs++
					want += math.Log1p(math.Exp(scores[j] - scores[i]))
				}
			}
		}
		r.Arrange(labels)
		require.Equal(t, pairs, r.NumPairs())
		r.All(scores)
		mean := r.slopes()
		r.Arrange(labels)
		got := 0.0
		for pair := range pairs {
			got += r.Add(pair, scores, 1/float64(pairs))
		}
		assert.InEpsilon(t, want, got, 1e-12)
		assert.InDeltaSlice(t, mean, r.slopes(), 1e-13)
	}
}

// TestRankNetOfOnePair, computed by hand: two documents with equal scores have the
// loss ln 2 and slopes of σ/2.
func TestRankNetOfOnePair(t *testing.T) {
	r := RankNet{Sigma: 3}
	r.Arrange([]float64{0, 1})
	assert.InDelta(t, math.Ln2, r.All([]float64{5, 5}), 1e-15)
	assert.Equal(t, []float64{1.5, -1.5}, r.slopes())
}
