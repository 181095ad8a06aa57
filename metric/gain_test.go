package metric

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGainsThatOverflowAreRefused: sums of gains over a query would be infinite, and nDCG no number.
func TestGainsThatOverflowAreRefused(t *testing.T) {
	for _, gains := range [][]float64{{0, 1e308}, {0, 1e291, 1.7e308}, {1e300}} {
		_, err := Table(gains)
		assert.ErrorContains(t, err, "overflow", gains)
	}
	_, err := Table([]float64{0, 1, 1e290})
	require.NoError(t, err)
	assert.ErrorContains(t, Linear().Check(1e308), "overflow")
	assert.NoError(t, Linear().Check(1e290))
}
