package tree

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRanks compares ranks with their definition. The thresholds crowd the cells of the search
// tables, lie far apart, and have both signs.
func TestRanks(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	neighbors := []float64{-3, 1e-35, 0.5}
	for x := 1.0; len(neighbors) < 400; x = math.Nextafter(x, 2) {
		neighbors = append(neighbors, x, -x)
	}
	var halves, scaled, mixed []float64
	for i := range 250 {
		halves = append(halves, float64(i)+0.5)
		scaled = append(scaled, math.Ldexp(rng.Float64(), rng.IntN(2000)-1000))
		mixed = append(mixed, rng.NormFloat64())
	}
	for name, thresholds := range map[string][]float64{
		"one": {0.5}, "zero": {0}, "negative zero": {math.Copysign(0, -1)}, "negative": {-2, -1},
		"infinite":  {math.Inf(-1), 0, math.Inf(1)},
		"neighbors": neighbors, "halves": halves, "scaled": scaled, "mixed": mixed,
		"notable": slices.Clone(notableValues),
	} {
		slices.Sort(thresholds)
		thresholds = slices.Compact(thresholds)
		c := newColumn(thresholds, MissingNone)
		values := append([]float64{math.NaN()}, notableValues...)
		for _, x := range thresholds {
			values = append(values, x, math.Nextafter(x, math.Inf(1)), math.Nextafter(x, math.Inf(-1)))
		}
		for range 1000 {
			values = append(values, rng.NormFloat64(), rng.NormFloat64()*1000,
				math.Ldexp(rng.NormFloat64(), rng.IntN(2000)-1000))
		}
		got := make([]uint16, len(values))
		ranks(&c, got, values, 1)
		for i, x := range values {
			if math.IsNaN(x) {
				x = 0
			}
			want := 0
			for want < len(thresholds) && x > thresholds[want] {
				want++
			}
			require.EqualValuesf(t, want, got[i], "%s: %v", name, values[i])
		}
	}
}
