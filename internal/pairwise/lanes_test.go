package pairwise

import (
	"math"
	mathbits "math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// byIndex returns the scores of a ranking by index.
func byIndex(r *Ranking) []float64 {
	scores := make([]float64, len(r.Order))
	for rank, index := range r.Order {
		scores[index] = r.Score[rank]
	}
	return scores
}

// TestNetworksSort sorts all zeros and ones, which shows that a network sorts all values.
func TestNetworksSort(t *testing.T) {
	for n := range networks {
		for values := range uint64(1) << n {
			sorted := values
			for _, e := range networks[n] {
				first, second := e.first/(lanes*number), e.second/(lanes*number)
				if sorted>>first&1 < sorted>>second&1 {
					sorted ^= 1<<first | 1<<second
				}
			}
			if want := uint64(1)<<mathbits.OnesCount64(values) - 1; sorted != want {
				t.Fatalf("%d values %b: %b", n, values, sorted)
			}
		}
	}
}

// TestRankEqualsOneByOne ranks queries of different lengths, of which some have equal scores, are far apart
// or not finite.
func TestRankEqualsOneByOne(t *testing.T) {
	if best == inGo {
		t.Skip("there are no vector instructions")
	}
	r := rand.New(rand.NewPCG(31, 2))
	var got, want Together
	sigma, discounts := 1.5, new(DCG).Discounts(Short)
	for trial := range 3000 {
		offset := []float64{0, 0.01}[trial%2]
		var queries [][]float64
		for range 1 + r.IntN(MostTogether) {
			scores, gains := randomScores(r, 1+r.IntN([]int{5, 12, mostInLanes}[trial%3])), []float64(nil)
			var ranking Ranking
			last := make([]uint16, len(scores))
			for i := range scores {
				last[i], gains = uint16(i), append(gains, float64(r.IntN(3)))
			}
			ranking.Rank(scores, last, nil)
			got.Add(scores, gains)
			want.SetRanking(want.Add(scores, gains), &ranking, nil, gains, discounts, sigma, offset)
			queries = append(queries, scores)
		}
		ranked := got.Rank(discounts, sigma, offset)
		for lane, scores := range queries {
			require.Equal(t, isPlain(scores, sigma), ranked>>lane&1 == 1, "trial %d: %v", trial, scores)
			if ranked>>lane&1 == 1 && len(scores) > 1 {
				require.Equal(t, want.ofLane(lane), got.ofLane(lane), "trial %d: %v", trial, scores)
			}
		}
		require.Zero(t, ranked>>len(queries))
		got.Forget()
		want.Forget()
	}
	got.Add(make([]float64, mostInLanes+1), make([]float64, mostInLanes+1))
	require.Zero(t, got.Rank(discounts, sigma, 0), "a query of many documents")
}

// randomScores draws the scores of a query.
func randomScores(r *rand.Rand, n int) []float64 {
	scores, kind := make([]float64, n), r.IntN(5)
	for i := range scores {
		scores[i] = r.NormFloat64()
		switch kind {
		case 0:
			scores[i] = math.Round(4 * scores[i])
		case 1:
			scores[i] *= 60 // the largest gap is about as large as is allowed
		}
	}
	if special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1)}; kind == 2 {
		for range 1 + r.IntN(3) {
			scores[r.IntN(n)] = special[r.IntN(len(special))]
		}
	}
	return scores
}

// isPlain reports whether scores are finite, all different, and not far apart.
func isPlain(scores []float64, sigma float64) bool {
	sorted := slices.Sorted(slices.Values(scores))
	spread := sorted[len(sorted)-1] - sorted[0]
	return !math.IsNaN(spread) && !Distant(sigma, spread) && len(slices.Compact(sorted)) == len(scores)
}

// ofLane returns the fields of a query that are set before its pairs are added, and its offset.
func (t *Together) ofLane(lane int) (fields []float64) {
	for at := lane; at < t.queries[lane].n*lanes; at += lanes {
		fields = append(fields, t.gain[at], t.odds[at], t.score[at], t.discount[at], float64(t.index[at]))
	}
	return append(fields, t.offsets[lane])
}
