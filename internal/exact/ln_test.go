package exact

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLn(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range 20000 {
		x := math.Ldexp(1+rng.Float64(), rng.IntN(2000)-1000)
		if i%2 == 0 {
			x = 1 + (rng.Float64()-0.5)/16
		}
		require.LessOrEqualf(t, ulps(Ln(x), math.Log(x)), 5.0, "Ln(%v)", x)
	}
	assert.Equal(t, 0.0, Ln(1))
	assert.Equal(t, math.Inf(-1), Ln(0))
	assert.Equal(t, math.Inf(1), Ln(math.Inf(1)))
	assert.True(t, math.IsNaN(Ln(-1)))
}
