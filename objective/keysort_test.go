package objective

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKeysAreSorted(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 1))
	shapes := []func() uint64{
		rng.Uint64,
		func() uint64 { return math.Float64bits(rng.ExpFloat64()) },
		func() uint64 { return math.Float64bits(math.Exp(100 * rng.NormFloat64())) },
		func() uint64 { return 7 },
		func() uint64 { return rng.Uint64() >> (rng.IntN(8) * 8) },          // mostly small
		func() uint64 { return math.MaxUint64 - uint64(rng.IntN(1000)) },    // nearly equal
		func() uint64 { return uint64(rng.IntN(2)) * (math.MaxUint64 / 2) }, // two values
		func() uint64 { return ^math.Float64bits(rng.ExpFloat64()) },
	}
	var s keySorter
	for n := range 600 {
		for _, shape := range shapes {
			keys := make([]uint64, n)
			for i := range keys {
				keys[i] = shape()
			}
			want := slices.Clone(keys)
			slices.Sort(want)
			s.sort(keys)
			require.Equal(t, want, keys)
		}
	}
	keys := make([]uint64, 20000)
	for i := range keys {
		keys[i] = uint64(20000 - i)
	}
	keys[0] = math.MaxUint64
	s.sort(keys)
	require.True(t, slices.IsSorted(keys))
}
