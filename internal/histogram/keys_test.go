package histogram

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestZeroMissingWithoutItsBounds: if zero is missing, bounds need not lie beside it, and values next to
// another bound below zero have their bin.
func TestZeroMissingWithoutItsBounds(t *testing.T) {
	f, err := NewFeatureBins(FeatureBins{Missing: MissingZero, Max: 9,
		UpperBounds: []float64{-1.7, -0.741, 0.1, 1, 2, 3, 4, 5, 6, math.Inf(1)}})
	require.NoError(t, err)
	require.NotNil(t, newKeyTable(&f))
	for _, v := range []float64{-2, -1.7, -0.742, -0.741, -0.7409999, -0.74, -1e-36, 0, 0.1, 0.2, 7} {
		require.Equal(t, f.searchBin(v), f.Bin(v), "%v", v)
	}
}

func valueNear(rng *rand.Rand, bounds []float64) float64 {
	bound := bounds[rng.IntN(len(bounds))]
	return []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), bound,
		math.Nextafter(bound, 0), math.Nextafter(bound, math.Inf(1)), bound + rng.NormFloat64()/100, -bound,
		rng.NormFloat64() * 1e-35, rng.NormFloat64() * 50, zeroBound, -zeroBound}[rng.IntN(14)]
}
