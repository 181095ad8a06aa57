package histogram

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestKeysDecide: values whose key is not the key of a bound have as many bounds below them as their key has.
func TestKeysDecide(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 300 {
		f := randomBins(t, rng)
		table := newKeyTable(&f)
		if table == nil {
			continue
		}
		undecided := 0
		const values = 500
		for range values {
			v := valueNear(rng, f.UpperBounds)
			if v != v {
				continue
			}
			bin, equal := uint16(0), false
			for b := range 256 {
				switch key := table.keys[b%4][b/4]; {
				case key < table.key(v):
					bin++
				case key == table.key(v):
					equal = true
				}
			}
			if equal {
				undecided++
			} else {
				require.Equal(t, f.searchBin(v), bin, "value %v of %+v", v, f)
			}
		}
	}
}

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

func randomBins(t *testing.T, rng *rand.Rand) FeatureBins {
	b := FeatureBins{Missing: []Missing{MissingNone, MissingZero, MissingNaN}[rng.IntN(3)], Max: 100}
	b.UpperBounds = []float64{math.Inf(1)}
	scale := math.Exp(rng.NormFloat64() * 5)
	at := -scale * float64(rng.IntN(2)) * rng.Float64()
	for range rng.IntN(254) {
		next := at + scale*rng.Float64()*math.Exp(rng.NormFloat64())/100
		b.UpperBounds = append(b.UpperBounds[:len(b.UpperBounds)-1], at, math.Inf(1))
		if at < -zeroBound && next > zeroBound {
			b.UpperBounds = append(b.UpperBounds[:len(b.UpperBounds)-1], -zeroBound, zeroBound, math.Inf(1))
		}
		at = next
	}
	if len(b.UpperBounds) < 3 && b.Missing == MissingZero {
		b.Missing = MissingNone
	}
	f, err := NewFeatureBins(b)
	require.NoError(t, err)
	return f
}

func valueNear(rng *rand.Rand, bounds []float64) float64 {
	bound := bounds[rng.IntN(len(bounds))]
	return []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), bound,
		math.Nextafter(bound, 0), math.Nextafter(bound, math.Inf(1)), bound + rng.NormFloat64()/100, -bound,
		rng.NormFloat64() * 1e-35, rng.NormFloat64() * 50, zeroBound, -zeroBound}[rng.IntN(14)]
}
