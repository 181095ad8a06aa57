package querycontext

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// naive computes the formula of the package documentation by comparing each document with all others.
func naive(k Kind, values []float64, i int) float64 {
	x := values[i]
	if k == Count {
		return float64(len(values))
	}
	if math.IsNaN(x) {
		return x
	}
	var n, below, equal, sum float64
	low, high, absolute := math.Inf(1), math.Inf(-1), 0.0
	for _, y := range values {
		if math.IsNaN(y) {
			continue
		}
		n, sum = n+1, sum+y
		low, high, absolute = min(low, y), max(high, y), max(absolute, math.Abs(y))
		if y < x {
			below++
		} else if y == x {
			equal++
		}
	}
	var squares float64
	for _, y := range values {
		if !math.IsNaN(y) {
			squares += (y - sum/n) * (y - sum/n)
		}
	}
	switch {
	case k == Rank:
		return (below + equal/2) / n
	case k == GapToBest:
		return high - x
	case k == MaxRatio && absolute > 0:
		return x / absolute
	case k == Linear && low < high:
		return (x - low) / (high - low)
	case k == ZScore && low < high:
		return (x - sum/n) / math.Sqrt(squares/n)
	}
	return 0
}

// randomQuery draws values with ties and missing values.
func randomQuery(r *rand.Rand) []float64 {
	values := make([]float64, 1+r.IntN(30))
	for i := range values {
		values[i] = float64(r.IntN(12)-4) / 3
		if r.IntN(6) == 0 {
			values[i] = math.NaN()
		}
	}
	return values
}

func appended(t *testing.T, k Kind, values []float64) (got []float64) {
	t.Helper()
	require.NoError(t, k.Check())
	var f Feature
	f.Set(values)
	place := f.Place(k)
	for _, x := range values {
		if !math.IsNaN(x) || k == Count {
			x = place(x)
		}
		got = append(got, x)
	}
	return got
}

func TestContextIsTheFormula(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		values := randomQuery(r)
		for _, k := range Kinds() {
			got := appended(t, k, values)
			for i := range values {
				want := naive(k, values, i)
				if math.IsNaN(want) {
					require.True(t, math.IsNaN(got[i]), "%s %v", k, values)
					continue
				}
				require.InDelta(t, want, got[i], 1e-12, "%s of %v, document %d", k, values, i)
			}
		}
	}
}

// TestAppendIgnoresOrder: permuting the documents permutes the results, in every bit.
func TestAppendIgnoresOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		values := randomQuery(r)
		order := r.Perm(len(values))
		shuffled := make([]float64, len(values))
		for i, from := range order {
			shuffled[i] = values[from]
		}
		for _, k := range Kinds() {
			straight, got := appended(t, k, values), appended(t, k, shuffled)
			for i, from := range order {
				require.Equal(t, math.Float64bits(straight[from]), math.Float64bits(got[i]), "%s of %v", k, values)
			}
		}
	}
}

func TestContextAtTheEdges(t *testing.T) {
	nan, huge := math.NaN(), math.MaxFloat64
	for _, c := range []struct {
		kind         Kind
		values, want []float64
	}{
		{Rank, []float64{5}, []float64{0.5}},
		{Rank, []float64{1, 1, 1}, []float64{0.5, 0.5, 0.5}},
		{Rank, []float64{3, 1, 3, 2}, []float64{0.75, 0.125, 0.75, 0.375}},
		{Rank, []float64{0, math.Copysign(0, -1)}, []float64{0.5, 0.5}},
		{ZScore, []float64{5}, []float64{0}},
		{ZScore, []float64{0.1, 0.1, 0.1}, []float64{0, 0, 0}},
		{ZScore, []float64{-huge, huge}, []float64{-1, 1}},
		{ZScore, []float64{5e-324, 0}, []float64{1, -1}},
		{Linear, []float64{5}, []float64{0}},
		{Linear, []float64{-huge, 0, huge}, []float64{0, 0.5, 1}},
		{Linear, []float64{0, 5e-324}, []float64{0, 1}},
		{MaxRatio, []float64{0, 0}, []float64{0, 0}},
		{MaxRatio, []float64{-4, 2}, []float64{-1, 0.5}},
		{GapToBest, []float64{5}, []float64{0}},
		{GapToBest, []float64{-huge, huge}, []float64{huge, 0}},
		{Count, []float64{nan, 1}, []float64{2, 2}},
		{Count, nil, nil},
		{ZScore, nil, nil},
	} {
		assert.Equal(t, c.want, appended(t, c.kind, c.values), "%s of %v", c.kind, c.values)
	}
}

func TestUnknownKinds(t *testing.T) {
	for _, k := range Kinds() {
		require.NoError(t, k.Check())
	}
	assert.ErrorContains(t, Kind("Rank").Check(), "rank, zscore, linear, max_ratio, gap_to_best, count")
	assert.ErrorContains(t, Kind("z").Check(), `"z"`)
}
