package exact

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// specials are the limits of Exp's range, and numbers that Exp handles separately.
var specials = []float64{0, math.Copysign(0, -1), expUnderflow, expOverflow, math.Nextafter(expUnderflow, -1e3),
	math.Nextafter(expOverflow, 1e3), math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, -1e-300}

func TestExpsHaveTheBitsOfExp(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for n := range 60 {
		for _, special := range []int{0, 1, 5} {
			x := make([]float64, n)
			for i := range x {
				x[i] = (rng.Float64() - 0.5) * []float64{1, 60, 1400}[rng.IntN(3)]
			}
			for range min(special, n) {
				x[rng.IntN(n)] = specials[rng.IntN(len(specials))]
			}
			got := slices.Clone(x)
			Exps(got)
			for i := range x {
				require.Equal(t, math.Float64bits(Exp(x[i])), math.Float64bits(got[i]), "%v", x[i])
			}
		}
	}
}

func BenchmarkExps(b *testing.B) {
	x := make([]float64, 120)
	for b.Loop() {
		for i := range x {
			x[i] = float64(i) * -0.01
		}
		Exps(x)
	}
	if x[1] != Exp(-0.01) {
		b.Fatal(x[1])
	}
}
