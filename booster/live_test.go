package booster

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/bincut"
	"github.com/lambdamart/lambdamart/internal/binsum"
)

// TestMostRows: no rounding by bins makes an active row count for more rows.
func TestMostRows(t *testing.T) {
	for _, n := range []float32{1, 1.25, 1.49, 1.5, 1.75, 2.5, 3.49, 3.5, 19, 1e30} {
		require.GreaterOrEqual(t, float64(mostRows(n, 1<<20)), min(float64(toCount(float64(n))), 1<<20), "%g", n)
	}
	require.EqualValues(t, 20, mostRows(1e30, 20))
}

// TestEachLive visits each column of a group once.
func TestEachLive(t *testing.T) {
	cg := &columnGroup{columns: []int32{4, 0, 2, 3, 1, 5}, plain: make([]bincut.Span, 5)}
	for mask := range 32 {
		live := &binsum.Live{Rows: make([]uint32, 6), Least: 1}
		for i, c := range cg.columns[:5] {
			live.Rows[c] = uint32(mask >> i & 1)
		}
		seen, others := 0, 0
		eachLive(cg, live, func(from, to int) {
			for i := from; i < to; i++ {
				seen |= 1 << i
			}
		}, func(i int) { others |= 1 << i })
		require.Equal(t, mask, seen)
		require.Equal(t, 31^mask, others)
	}
}
