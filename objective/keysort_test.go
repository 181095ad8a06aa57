package objective

import (
	"fmt"
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

// BenchmarkKeySort sorts the keys of queries. It includes copying them, which takes little of the time.
func BenchmarkKeySort(b *testing.B) {
	for _, n := range []int{30, 60, 120, 200, 400} {
		b.Run(fmt.Sprintf("keys=%d", n), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(52, 1))
			var s keySorter
			queries, keys := make([][]uint64, 1000), make([]uint64, n)
			for i := range queries {
				for range n {
					queries[i] = append(queries[i], math.Float64bits(rng.ExpFloat64()))
				}
			}
			for b.Loop() {
				for _, q := range queries {
					copy(keys, q)
					s.sort(keys)
					require.True(b, keys[0] <= keys[n-1])
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(queries)*n), "ns/key")
		})
	}
}
