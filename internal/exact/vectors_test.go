package exact

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/lambdamart/lambdamart/test/aid"
)

// specials are the limits of Exp's range, and numbers that Exp handles separately.
var specials = []float64{0, math.Copysign(0, -1), expUnderflow, expOverflow,
	math.Nextafter(expUnderflow, -1e3),
	math.Nextafter(expOverflow, 1e3), math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, -1e-300}

func TestExpsHaveTheBitsOfExp(t *testing.T) {
	rng, fence := rand.New(rand.NewPCG(5, 5)), aid.NewFence[float64](t, 60)
	for n := range 60 {
		for _, special := range []int{0, 1, 5} {
			x := make([]float64, n)
			for i := range x {
				x[i] = (rng.Float64() - 0.5) * []float64{1, 60, 1400}[rng.IntN(3)]
			}
			for range min(special, n) {
				x[rng.IntN(n)] = specials[rng.IntN(len(specials))]
			}
			for _, k := range kernels() {
				got := fence.Hold(x, special > 0)
				k.exps(got)
				for i := range x {
					require.Equal(t, math.Float64bits(Exp(x[i])), math.Float64bits(got[i]), "%v: %v", k, x[i])
				}
			}
		}
	}
}

func TestNonzeroIsWhatDitherLeaves(t *testing.T) {
	rng, found := rand.New(rand.NewPCG(6, 6)), aid.NewFence[int32](t, 60+lanes)
	ofX, ofY := aid.NewFence[float64](t, 60), aid.NewFence[float64](t, 60)
	for n := range 60 {
		for _, up := range []float64{0, 0.1, 1, 1e-300} {
			x, y := make([]float64, n), make([]float64, n)
			for i := range x {
				x[i], y[i] = rng.NormFloat64(), rng.Float64()
			}
			if n > 0 && up == 1 {
				x[rng.IntN(n)], y[rng.IntN(n)] = 1e300, 0
			}
			x, y = ofX.Hold(x, up > 0), ofY.Hold(y, up > 0)
			byX, byY, key := Scale{up: up}, Scale{up: up / 2}, random.New(rng.Uint64(), 1, n)
			want := []int32{}
			for i := range x {
				if r := key.Float64(i); byX.Dither(x[i], r) != 0 || byY.Dither(y[i], r) != 0 {
					want = append(want, int32(i))
				}
			}
			dst := found.Slice(n+lanes, true)
			assert.Equal(t, want, append([]int32{}, Nonzero(dst, x, y, byX, byY, key)...))
			assert.Equal(t, want, nonzeroInGo([]int32{}, 0, x, y, byX, byY, key))
		}
	}
}

// TestNonzeroWithoutNumbers: both the Go code and the assembly treat NaN as nonzero.
func TestNonzeroWithoutNumbers(t *testing.T) {
	x, y := make([]float64, 16), make([]float64, 16)
	x[3], y[9], x[12] = math.NaN(), math.NaN(), math.Inf(-1)
	assert.Equal(t, []int32{3, 9, 12}, Nonzero(nil, x, y, ScaleOf(1), ScaleOf(1), 7))
}

func TestPackRoundsBoth(t *testing.T) {
	rng, pairs := rand.New(rand.NewPCG(8, 8)), aid.NewFence[int64](t, 60)
	ofX, ofY := aid.NewFence[float64](t, 60), aid.NewFence[float64](t, 60)
	for n := range 60 {
		x, y, want := make([]float64, n), make([]float64, n), make([]int64, n)
		byX, byY := ScaleFor(4, 30-n%20), ScaleFor(4, 30)
		for i := range x {
			x[i], y[i] = max(-4, min(4, rng.NormFloat64())), 4*rng.Float64()
			want[i] = byX.Round(x[i])<<32 + byY.Round(y[i])
		}
		for _, k := range kernels() {
			for _, atEnd := range []bool{false, true} {
				got := pairs.Slice(n, atEnd)
				k.pack(got, ofX.Hold(x, atEnd), ofY.Hold(y, atEnd), byX, byY)
				assert.Equal(t, want, got, "%v", k)
			}
		}
	}
}

func TestMagnitudesAreRounded(t *testing.T) {
	rng, fence := rand.New(rand.NewPCG(7, 7)), aid.NewFence[float64](t, 60)
	for n := range 60 {
		x, want := make([]float64, n), int64(0)
		s := ScaleFor(4, MaxWidth-n%40)
		for i := range x {
			x[i] = max(-4, min(4, rng.NormFloat64()))
			want += s.Round(math.Abs(x[i]))
		}
		assert.Equal(t, want, s.magnitudesInGo(x))
		for _, k := range kernels() {
			assert.Equal(t, want, k.magnitudes(fence.Hold(x, false), s), "%v", k)
			assert.Equal(t, want, k.magnitudes(fence.Hold(x, true), s), "%v", k)
		}
	}
}
