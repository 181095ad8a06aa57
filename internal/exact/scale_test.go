package exact

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRoundTripIsWithinHalfAUnit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		largest := math.Exp(rng.NormFloat64() * 20)
		s := ScaleFor(largest, 40)
		for range 10 {
			x := (2*rng.Float64() - 1) * largest
			n := s.Round(x)
			assert.Less(t, max(n, -n), int64(1)<<40+1)
			assert.LessOrEqual(t, math.Abs(s.Float(n)-x), s.Unit()/2)
		}
		assert.GreaterOrEqual(t, s.Round(largest), int64(1)<<39, "the scale is the finest that fits")
	}
}

func TestSumsFit(t *testing.T) {
	for _, n := range []int{1, 2, 3, 1000, 1 << 20, 1<<31 - 1} {
		s := ScaleFor(1, Width(n))
		one := s.Round(1)
		assert.Positive(t, 2*one*int64(n), "twice the sum of %d numbers", n)
	}
}

func TestExtremes(t *testing.T) {
	assert.Zero(t, ScaleFor(0, 30).Round(0))
	assert.Equal(t, int64(1)<<29, ScaleFor(math.Ldexp(1, 1022), 30).Round(math.Ldexp(1, 1022)))
	assert.Zero(t, ScaleFor(math.SmallestNonzeroFloat64, 30).Round(0))
	even := ScaleOf(1)
	for x, want := range map[float64]int64{2.5: 2, 3.5: 4, -2.5: -2, -0.5: 0, 0.5: 0, -1.5: -2, 0x1p50: 1 << 50,
		-0x1p50: -1 << 50} {
		assert.Equal(t, want, even.Round(x), "ties go to even: %v", x)
	}
	assert.Zero(t, ScaleOf(0).Dither(3, 0.9))
}

func TestRoundEqualsRoundToEven(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	s := ScaleFor(100, MaxWidth)
	for range 10000 {
		x := (2*rng.Float64() - 1) * 100 * math.Exp(-40*rng.Float64())
		assert.Equal(t, int64(math.RoundToEven(x/s.Unit())), s.Round(x))
	}
}

// TestDitherIsUnbiased steps r over a fine grid. The mean of the results is their expectation, up to the
// grid's step.
func TestDitherIsUnbiased(t *testing.T) {
	const grid = 1 << 12
	for _, x := range []float64{0, 0.01, 0.3, 0.5, 0.999, 1, 1.25, 7.75, -0.01, -0.6, -3.3} {
		sum := int64(0)
		for i := range grid {
			n := ScaleOf(2).Dither(2*x, (float64(i)+0.5)/grid)
			assert.LessOrEqual(t, math.Abs(float64(n)-x), 1.0)
			assert.Equal(t, n == 0, ScaleOf(2).Vanishes(2*x, (float64(i)+0.5)/grid))
			sum += n
		}
		assert.InDelta(t, x, float64(sum)/grid, 1.0/grid)
	}
}
