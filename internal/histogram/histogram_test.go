package histogram

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// boundsOf finds the bins of a sample, which lists its zeros explicitly.
func boundsOf(p BinParams, sample ...float64) FeatureBins {
	var values []float64
	zeros := 0
	for _, v := range sample {
		if v == 0 {
			zeros++
		} else {
			values = append(values, v)
		}
	}
	return new(finder).find(values, zeros, p)
}

func TestBoundsAreUpperMidpoints(t *testing.T) {
	f := boundsOf(BinParams{MaxBin: 255, MinDataInBin: 1}, 3, 1, 2, 1)
	up := func(x float64) float64 { return math.Nextafter(x, math.Inf(1)) }
	// LightGBM keeps a bin for zero even if no zero was sampled.
	assert.Equal(t, []float64{zeroBound, up(1.5), up(2.5), math.Inf(1)}, f.UpperBounds)
	assert.Equal(t, uint16(0), f.Zero)
	assert.Equal(t, 1.0, f.Min)
	assert.Equal(t, 3.0, f.Max)
}

// TestBoundsOfHugeValues: the sum of two values may overflow even though their mean does not.
func TestBoundsOfHugeValues(t *testing.T) {
	for _, sign := range []float64{1, -1} {
		f := boundsOf(BinParams{MaxBin: 255, MinDataInBin: 1}, 1*sign, 1e308*sign, 1.5e308*sign,
			math.MaxFloat64*sign)
		for i, bound := range f.UpperBounds {
			assert.Equal(t, i == len(f.UpperBounds)-1, math.IsInf(bound, 0), "bound %v", bound)
		}
		bins := map[uint16]bool{}
		for _, v := range []float64{1, 1e308, 1.5e308, math.MaxFloat64} {
			bins[f.Bin(v*sign)] = true
		}
		assert.Len(t, bins, 4)
	}
}

func TestZeroHasItsOwnBin(t *testing.T) {
	f := boundsOf(BinParams{MaxBin: 255, MinDataInBin: 3}, -2, -2, -2, 0, 5, 5, 5)
	assert.Equal(t, []float64{-zeroBound, zeroBound, math.Inf(1)}, f.UpperBounds)
	assert.Equal(t, uint16(1), f.Zero)
	assert.Equal(t, uint16(0), f.Bin(-1e-30))
	assert.Equal(t, uint16(1), f.Bin(0))
	assert.Equal(t, uint16(1), f.Bin(math.Copysign(0, -1)))
	assert.Equal(t, uint16(1), f.Bin(math.NaN()))
	assert.Equal(t, uint16(2), f.Bin(1e-30))
}

func TestConstantFeatures(t *testing.T) {
	p := BinParams{MaxBin: 255, MinDataInBin: 3}
	all := boundsOf(p, 0, 0, 0)
	assert.True(t, all.Constant())
	assert.Equal(t, []float64{math.Inf(1)}, all.UpperBounds)
	seven := boundsOf(p, 7, 7, 7)
	assert.True(t, seven.Constant(), "the zero bin is empty")
	both := boundsOf(p, 0, 0, 0, 7, 7, 7)
	assert.False(t, both.Constant())
	none := boundsOf(p)
	assert.True(t, none.Constant())
}

// TestBinsAreFairAndBounded checks general properties of bins: bounds ascend, there are at most MaxBin of
// them, and every value lies between the bounds of its bin.
func TestBinsAreFairAndBounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for trial := range 300 {
		p := BinParams{MaxBin: 2 + rng.IntN([]int{254, 3000}[trial%2]), MinDataInBin: 1 + rng.IntN(5)}
		sample := randomSample(rng, 1+rng.IntN(3000))
		f := boundsOf(p, sample...)
		require.LessOrEqual(t, f.NumBins(), p.MaxBin, "trial %d", trial)
		require.True(t, slices.IsSorted(f.UpperBounds))
		require.True(t, math.IsInf(f.UpperBounds[f.NumBins()-1], 1))
		for _, v := range sample {
			b := int(f.Bin(v))
			if v > f.UpperBounds[b] || b > 0 && v <= f.UpperBounds[b-1] { // require takes long
				require.FailNow(t, "in another bin", "trial %d: %v in %d of %v", trial, v, b, f.UpperBounds)
			}
		}
	}
}

// randomSample draws values of both signs and many magnitudes, with repeated values and zeros.
func randomSample(rng *rand.Rand, n int) []float64 {
	scale := math.Exp(10 * rng.NormFloat64())
	sample := make([]float64, n)
	for i := range sample {
		switch rng.IntN(4) {
		case 0:
			sample[i] = 0
		case 1:
			sample[i] = float64(rng.IntN(9) - 2)
		case 2:
			sample[i] = scale * rng.NormFloat64()
		default:
			sample[i] = math.Exp(scale * rng.Float64() / (1 + scale))
		}
	}
	return sample
}

func TestLookupEqualsSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for trial := range 300 {
		p := BinParams{MaxBin: []int{255, 258, 700, MostBins}[trial/3%4], MinDataInBin: 1,
			Missing: []Missing{MissingNone, MissingZero, MissingNaN}[trial%3]}
		f := boundsOf(p, append(randomSample(rng, 1+rng.IntN(2000)), math.NaN())...)
		probes := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(),
			math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64}
		for _, u := range f.UpperBounds {
			probes = append(probes, u, math.Nextafter(u, math.Inf(1)), math.Nextafter(u, math.Inf(-1)))
		}
		for range 200 {
			probes = append(probes, rng.NormFloat64()*math.Exp(20*rng.NormFloat64()))
		}
		for _, v := range probes {
			require.Equal(t, f.searchBin(v), f.Bin(v), "value %v in %v", v, f.UpperBounds)
		}
	}
}

func TestSortValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for _, n := range []int{0, 1, radixFrom - 1, radixFrom, radixFrom + 1, 5000} {
		for range 20 {
			values := randomSample(rng, n)
			if n > 2 {
				values[0], values[1], values[2] = math.Inf(1), math.Inf(-1), -math.SmallestNonzeroFloat64
			}
			for i := range n / 4 { // keys that differ in the lowest bits
				values[n-1-i] = 1 + float64(rng.IntN(n))*0x1p-52
			}
			want := slices.Clone(values)
			slices.Sort(want)
			new(finder).sortValues(values)
			require.Equal(t, want, values)
		}
	}
}

// randomMatrix draws columns of 2 to 255 bins.
func randomMatrix(rng *rand.Rand, rows, columns int) *Matrix {
	return randomMatrixOf(rng, rows, columns, 255)
}

// randomMatrixOf draws columns of 2 to most bins. If most is small, columns share bytes.
func randomMatrixOf(rng *rand.Rand, rows, columns, most int) *Matrix {
	m := &Mapper{Features: make([]FeatureBins, columns)}
	for f := range m.Features {
		for b := range 2 + rng.IntN(most-1) {
			m.Features[f].UpperBounds = append(m.Features[f].UpperBounds, float64(b))
			m.Features[f].Max = float64(b)
		}
	}
	x := newMatrix(m, rows)
	for r := range rows {
		for c := range x.Columns {
			x.Fields[c].put(x.Row(r), uint16(rng.IntN(m.Features[c].NumBins())))
		}
	}
	return x
}
