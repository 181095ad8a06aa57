package pairwise

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSigmoidAndSoftplus(t *testing.T) {
	for _, x := range []float64{-700, -30, -1, -1e-9, 0, 1e-9, 1, 30, 700} {
		e := math.Exp(x)
		assert.InEpsilon(t, e/(1+e), Sigmoid(x), 1e-14, "%v", x)
		assert.InEpsilon(t, math.Log1p(e), Softplus(x), 1e-14, "%v", x)
	}
	assert.Equal(t, 0.5, Sigmoid(0))
	assert.Equal(t, []float64{0, 1}, []float64{Sigmoid(-1e300), Sigmoid(1e300)})
	assert.Equal(t, []float64{0, 1e300}, []float64{Softplus(-1e300), Softplus(1e300)})
	assert.True(t, math.IsNaN(Sigmoid(math.NaN())) && math.IsNaN(Softplus(math.NaN())))
}

// At MaxRange the square of the smallest odds is a normal number, and beyond it other sums serve.
func TestDistant(t *testing.T) {
	smallest := oddsOf(1, -MaxRange, 0)
	assert.GreaterOrEqual(t, smallest*smallest, 0x1p-1022)
	assert.False(t, Distant(2, MaxRange/2))
	assert.True(t, Distant(2, math.Nextafter(MaxRange/2, 1e9)))
	assert.True(t, Distant(1, math.Inf(1)))
	assert.False(t, Distant(1, math.NaN()))
}
