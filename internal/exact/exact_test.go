package exact

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ulps returns the distance between got and want in units of want's last place.
func ulps(got, want float64) float64 {
	return math.Abs(got-want) / (math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want))
}

// bigExp returns e^x to about 150 bits, by the Taylor series of e^(x/2^40), squared 40 times.
func bigExp(x float64) float64 {
	const prec = 300
	t := new(big.Float).SetPrec(prec).SetFloat64(x)
	t.SetMantExp(t, -40)
	sum := big.NewFloat(1).SetPrec(prec)
	term := big.NewFloat(1).SetPrec(prec)
	for i := 1; i < 30; i++ {
		term.Mul(term, t)
		term.Quo(term, big.NewFloat(float64(i)))
		sum.Add(sum, term)
	}
	for range 40 {
		sum.Mul(sum, sum)
	}
	f, _ := sum.Float64()
	return f
}

func TestExpTableIsRoundedToNearest(t *testing.T) {
	root := big.NewFloat(2).SetPrec(300)
	for range 7 {
		root.Sqrt(root)
	}
	power := big.NewFloat(1).SetPrec(300)
	for i, bits := range expTable {
		want, _ := power.Float64()
		assert.Equal(t, want, math.Float64frombits(bits), "2^(%d/128)", i)
		power.Mul(power, root)
	}
}

func TestExpWithinOneUlp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 20000 {
		x := (rng.Float64() - 0.5) * 1400
		if i%2 == 0 {
			x = (rng.Float64() - 0.5) * 60
		}
		require.LessOrEqualf(t, ulps(Exp(x), bigExp(x)), 1.0, "Exp(%v)", x)
	}
}

func TestExpSpecialValues(t *testing.T) {
	assert.Equal(t, 1.0, Exp(0))
	assert.Equal(t, 1.0, Exp(math.Copysign(0, -1)))
	assert.Equal(t, math.Inf(1), Exp(math.Inf(1)))
	assert.Equal(t, math.Inf(1), Exp(710))
	assert.Equal(t, 0.0, Exp(math.Inf(-1)))
	assert.Equal(t, 0.0, Exp(-709))
	assert.True(t, math.IsNaN(Exp(math.NaN())))
	assert.True(t, ulps(Exp(expOverflow), bigExp(expOverflow)) <= 1)
	assert.True(t, ulps(Exp(expUnderflow), bigExp(expUnderflow)) <= 1)
}

func TestLog2(t *testing.T) {
	for e := -1074; e < 1024; e++ {
		require.Equal(t, float64(e), Log2(math.Ldexp(1, e)))
	}
	rng := rand.New(rand.NewPCG(3, 4))
	var all []float64
	for range 20000 {
		x := math.Exp((rng.Float64() - 0.5) * 80)
		all = append(all, x)
		// Near 1, math.Log2 loses digits, but math.Log does not.
		require.LessOrEqualf(t, ulps(Log2(x), math.Log(x)/math.Ln2), 3.0, "Log2(%v)", x)
	}
	assert.Equal(t, math.Inf(-1), Log2(0))
	assert.True(t, math.IsNaN(Log2(-1)))
	assert.True(t, math.IsNaN(Log2(math.NaN())))
	assert.Equal(t, math.Inf(1), Log2(math.Inf(1)))
	for at := 5; at < len(all); at += 9 {
		all[at] = []float64{0, math.Inf(1), 0x1p-1074}[at%3]
	}
	for n := range 20 {
		for _, k := range kernels() {
			got := slices.Clone(all[:len(all)-n])
			k.log2s(got)
			for i, v := range got {
				require.Equal(t, math.Float64bits(Log2(all[i])), math.Float64bits(v), "%v: %v", k, all[i])
			}
		}
	}
}

// computed on amd64 with Go 1.26; TestNoFusedArithmetic in folder test ensures that it is the same elsewhere
const knownBits = 0x428004a68b93477c

// TestKnownBits pins the bits of results, so it fails in a build that rounds differently.
func TestKnownBits(t *testing.T) {
	var h uint64 = 14695981039346656037
	for i := range 100000 {
		x := float64(i)*0.0009 - 45
		for _, v := range []float64{Exp(x), Log2(float64(i) + 1.5)} {
			h = (h ^ math.Float64bits(v)) * 1099511628211
		}
	}
	assert.Equal(t, uint64(knownBits), h)
}
