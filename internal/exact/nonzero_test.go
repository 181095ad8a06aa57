package exact

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lambdamart/lambdamart/internal/random"
)

func TestNonzeroIsWhatDitherLeaves(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for n := range 60 {
		for _, up := range []float64{0, 0.1, 1, 1e-300} {
			x, y := make([]float64, n), make([]float64, n)
			for i := range x {
				x[i], y[i] = rng.NormFloat64(), rng.Float64()
			}
			if n > 0 && up == 1 {
				x[rng.IntN(n)], y[rng.IntN(n)] = 1e300, 0
			}
			ofX, ofY, key := Scale{up: up}, Scale{up: up / 2}, random.New(rng.Uint64(), 1, n)
			want := []int32{}
			for i := range x {
				if r := key.Float64(i); ofX.Dither(x[i], r) != 0 || ofY.Dither(y[i], r) != 0 {
					want = append(want, int32(i))
				}
			}
			assert.Equal(t, want, append([]int32{}, Nonzero(nil, x, y, ofX, ofY, key)...))
		}
	}
}

// TestNonzeroWithoutNumbers: NaN is not zero.
func TestNonzeroWithoutNumbers(t *testing.T) {
	x, y := make([]float64, 16), make([]float64, 16)
	x[3], y[9], x[12] = math.NaN(), math.NaN(), math.Inf(-1)
	assert.Equal(t, []int32{3, 9, 12}, Nonzero(nil, x, y, ScaleOf(1), ScaleOf(1), 7))
}

func BenchmarkNonzero(b *testing.B) {
	x, y := make([]float64, 1<<13), make([]float64, 1<<13)
	for i := range x {
		x[i], y[i] = float64(i&63)/1024, float64(i&31)/1024
	}
	var dst []int32
	for b.Loop() {
		dst = Nonzero(dst, x, y, ScaleOf(1), ScaleOf(1), 7)
	}
	if len(dst) == 0 || len(dst) == len(x) {
		b.Fatal(len(dst))
	}
}
