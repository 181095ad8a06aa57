package fixed

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
	assert.Equal(t, int64(1)<<29, ScaleFor(math.MaxFloat64/2, 30).Round(math.Ldexp(1, 1022)))
	assert.Zero(t, ScaleFor(math.SmallestNonzeroFloat64, 30).Round(0))
	assert.Equal(t, int64(2), ScaleFor(4, 3).Round(2.5*1), "ties go to even")
}
