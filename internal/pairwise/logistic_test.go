package pairwise

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLogistic(t *testing.T) {
	for _, x := range []float64{-700, -30, -1, -1e-9, 0, 1e-9, 1, 30, 700} {
		e := math.Exp(x)
		sigmoid, softplus := Logistic(x)
		assert.InEpsilon(t, e/(1+e), sigmoid, 1e-14, "%v", x)
		assert.InEpsilon(t, math.Log1p(e), softplus, 1e-14, "%v", x)
	}
	for x, want := range map[float64][2]float64{0: {0.5, math.Ln2}, -1e300: {0, 0}, 1e300: {1, 1e300}} {
		sigmoid, softplus := Logistic(x)
		assert.Equal(t, want, [2]float64{sigmoid, softplus})
	}
	sigmoid, softplus := Logistic(math.NaN())
	assert.True(t, math.IsNaN(sigmoid) && math.IsNaN(softplus))
}

// TestDistant: at MaxRange the square of the smallest odds is still a normal number.
// Distant reports wider ranges.
func TestDistant(t *testing.T) {
	smallest := oddsOf(1, -MaxRange, 0)
	assert.GreaterOrEqual(t, smallest*smallest, 0x1p-1022)
	assert.False(t, Distant(2, MaxRange/2))
	assert.True(t, Distant(2, math.Nextafter(MaxRange/2, 1e9)))
	assert.True(t, Distant(1, math.Inf(1)))
	assert.False(t, Distant(1, math.NaN()))
}
