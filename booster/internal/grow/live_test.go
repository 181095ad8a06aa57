package grow

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMostRows: no rounding by bins makes an active row count for more rows.
func TestMostRows(t *testing.T) {
	for _, n := range []float32{1, 1.25, 1.49, 1.5, 1.75, 2.5, 3.49, 3.5, 19, 1e30} {
		require.GreaterOrEqual(t, float64(mostRows(n, 1<<20)), min(float64(toCount(float64(n))), 1<<20), "%g", n)
	}
	require.EqualValues(t, 20, mostRows(1e30, 20))
}
