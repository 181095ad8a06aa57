package evaluate

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/metric"
)

// twinRBO adds (1-p) p^(d-1) A_d rank by rank, far beyond the last one. Below the shorter ranking, each of
// its ranks agrees as the s ranks above do in the mean (Webber, Moffat and Zobel 2010, section 4.4).
func twinRBO(a, b []string, p float64) (sum float64) {
	if len(a) > len(b) {
		a, b = b, a
	}
	shared := func(depth int) (n float64) {
		for _, doc := range b[:min(depth, len(b))] {
			if slices.Contains(a[:min(depth, len(a))], doc) {
				n++
			}
		}
		return n
	}
	agreement := 0.0
	for d := 1; d < 1500; d++ {
		if d <= len(b) {
			agreement = shared(d)
			if d > len(a) && len(a) > 0 {
				agreement += shared(len(a)) * float64(d-len(a)) / float64(len(a))
			}
			agreement /= float64(d)
		}
		sum += (1 - p) * math.Pow(p, float64(d-1)) * agreement
	}
	return sum
}

func TestRankBiasedOverlapIsItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	draw := func() (list []string) {
		for _, doc := range rng.Perm(12)[:rng.IntN(9)] {
			list = append(list, strconv.Itoa(doc))
		}
		return list
	}
	for range 300 {
		a, b, p := draw(), draw(), []float64{.5, .9, .98}[rng.IntN(3)]
		if len(a)+len(b) > 0 {
			got := rankBiasedOverlap(commonDocuments(a, b), min(len(a), len(b)), p)
			require.InDelta(t, twinRBO(a, b, p), got, 1e-12, "%v %v %v", a, b, p)
			require.InDelta(t, twinRBO(b, a, p), got, 1e-12)
		}
	}
}

// kept judges rows of the queries x, x, x, y, y, whose documents are a, b, c and a, b.
func keptOf(t *testing.T, o Options, docs []string, scores ...float64) *Judgment {
	rows := Rows{Query: []string{"x", "x", "x", "y", "y"}, Labels: make([]float64, 5), Scores: scores,
		Docs: docs}
	j, err := Judge(context.Background(), FromRows("", rows), []metric.Metric{metric.NDCG(metric.Default(), 0)},
		o)
	require.NoError(t, err)
	return j
}

func TestChurn(t *testing.T) {
	keep, ids := Options{Keep: true}, []string{"a", "b", "c", "a", "b"}
	for name, c := range map[string]struct {
		docs []string
		a, b []float64
		want Churned
	}{
		"equal":           {nil, []float64{3, 2, 1, 1, 2}, []float64{9, 8, 7, 0, 1}, Churned{2, 1, 1, 0}},
		"equal scores":    {nil, []float64{1, 1, 1, 2, 1}, []float64{3, 2, 1, 1, 1}, Churned{2, 1, 1, 0}},
		"ids, last first": {ids, []float64{1, 1, 1, 1, 1}, []float64{1, 2, 3, 1, 2}, Churned{2, 1, 1, 0}},
		// A_1 = 0 and then 1: .1·(.9+.9²) + .9²·.9, or of y .1·.9 + .9·.9
		"turned":   {nil, []float64{2, 1, 0, 2, 1}, []float64{1, 2, 0, 1, 2}, Churned{2, 1, .9, 1}},
		"one less": {ids, []float64{2, 1, nan, 1, 2}, []float64{2, 1, 0, 1, 2}, Churned{2, 1, 1, 0}},
		"none":     {ids, []float64{nan, nan, nan, 1, 2}, []float64{2, 1, 0, 1, 2}, Churned{2, .5, .5, .5}},
	} {
		got, err := Churn(keptOf(t, keep, c.docs, c.a...), keptOf(t, keep, c.docs, c.b...), 2, .9)
		require.NoError(t, err, name)
		assert.Equal(t, c.want.Queries, got.Queries, name)
		assert.InDeltaSlice(t, []float64{c.want.Overlap, c.want.RBO, c.want.Moved},
			[]float64{got.Overlap, got.RBO, got.Moved}, 1e-12, name)
	}

	some := keptOf(t, keep, nil, 3, 2, 1, 1, 2)
	for want, c := range map[error][2]*Judgment{
		ErrNotKept:  {some, keptOf(t, Options{}, nil, 3, 2, 1, 1, 2)},
		ErrNameless: {some, keptOf(t, keep, nil, 3, nan, 1, 1, 2)},
		ErrNoCommon: {some, {kept: &kept{}}},
	} {
		_, err := Churn(c[0], c[1], 2, .9)
		assert.ErrorIs(t, err, want)
	}
	for _, p := range []float64{0, 1, nan} {
		_, err := Churn(some, some, 2, p)
		assert.ErrorIs(t, err, errRBONumber)
	}
	_, err := Churn(some, some, 0, .9)
	assert.ErrorContains(t, err, "want at least 1")
}
