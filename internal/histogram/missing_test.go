package histogram

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var nan = math.NaN()

func TestNaNHasTheLastBin(t *testing.T) {
	p := BinParams{MaxBin: 255, MinDataInBin: 1, Missing: MissingNaN}
	f := boundsOf(p, nan, 1, 2, nan, 0)
	assert.Equal(t, MissingNaN, f.Missing)
	assert.Equal(t, boundsOf(p, 1, 2, 0).UpperBounds, f.UpperBounds)
	assert.Equal(t, 4, f.NumBins())
	assert.Equal(t, 3, f.missingBin())
	assert.Equal(t, uint16(3), f.Bin(nan))
	assert.Equal(t, uint16(0), f.Bin(0))
	assert.Equal(t, [2]float64{0, 2}, [2]float64{f.Min, f.Max})

	onlySeven := boundsOf(p, nan, 7, 7)
	assert.False(t, onlySeven.Constant(), "it splits by what is missing")
	assert.Equal(t, [2]float64{7, 7}, [2]float64{onlySeven.Min, onlySeven.Max})
	zeroOrNaN := boundsOf(p, nan, 0)
	assert.False(t, zeroOrNaN.Constant())
	assert.Equal(t, 2, zeroOrNaN.NumBins())
}

func TestNaNCountsAsZeroWhereItIsNotMissing(t *testing.T) {
	for name, f := range map[string]FeatureBins{
		"no NaN in the sample":    boundsOf(BinParams{MaxBin: 255, MinDataInBin: 1, Missing: MissingNaN}, -1, 0, 1),
		"nothing but NaN":         boundsOf(BinParams{MaxBin: 255, MinDataInBin: 1, Missing: MissingNaN}, nan, nan),
		"missing values not told": boundsOf(BinParams{MaxBin: 255, MinDataInBin: 1}, -1, nan, 1, nan),
	} {
		assert.Equal(t, MissingNone, f.Missing, name)
		assert.Equal(t, -1, f.missingBin(), name)
		assert.Equal(t, f.Zero, f.Bin(nan), name)
	}
	p := BinParams{MaxBin: 255, MinDataInBin: 3}
	assert.Equal(t, boundsOf(p, -1, -1, -1, 0, 0, 0, 1, 1, 1), boundsOf(p, -1, -1, -1, nan, 0, nan, 1, 1, 1))
	sevenOrZero := boundsOf(p, 7, 7, nan)
	assert.False(t, sevenOrZero.Constant())
	assert.Equal(t, [2]float64{0, 7}, [2]float64{sevenOrZero.Min, sevenOrZero.Max})
	allNaN := boundsOf(BinParams{MaxBin: 255, MinDataInBin: 1, Missing: MissingNaN}, nan, nan)
	assert.True(t, allNaN.Constant())
}

func TestZerosAreMissing(t *testing.T) {
	p := BinParams{MaxBin: 255, MinDataInBin: 1, Missing: MissingZero}
	f := boundsOf(p, -2, 0, nan, 3, 4)
	assert.Equal(t, MissingZero, f.Missing)
	assert.Equal(t, boundsOf(BinParams{MaxBin: 255, MinDataInBin: 1}, -2, 0, 0, 3, 4).UpperBounds, f.UpperBounds)
	assert.Equal(t, 1, f.missingBin())
	// In a model's node, both ends of this range count as missing, too: see tree.ZeroThreshold.
	for _, v := range []float64{0, nan, math.Copysign(0, -1), zeroBound, -zeroBound, 1e-300} {
		assert.Equal(t, uint16(1), f.Bin(v), "%v", v)
		assert.Equal(t, uint16(1), f.searchBin(v), "%v", v)
	}
	assert.Equal(t, uint16(0), f.Bin(math.Nextafter(-zeroBound, -1)))
	assert.Equal(t, uint16(2), f.Bin(math.Nextafter(zeroBound, 1)))

	two := boundsOf(p, 0, 0, 5)
	assert.Equal(t, MissingNone, two.Missing, "a feature of two bins")
	assert.Equal(t, 2, two.NumBins())
}

// TestBinsBesideNaNAreThoseOfTheOtherValues: with NaN, the other values have the bins that they would have
// without NaN and with MaxBin smaller by one.
func TestBinsBesideNaNAreThoseOfTheOtherValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 11))
	for trial := range 200 {
		p := BinParams{MaxBin: 3 + rng.IntN(253), MinDataInBin: 1 + rng.IntN(5)}
		sample := randomSample(rng, 1+rng.IntN(2000))
		with := append(slices.Clone(sample), slices.Repeat([]float64{nan}, 1+rng.IntN(500))...)
		rng.Shuffle(len(with), func(i, j int) { with[i], with[j] = with[j], with[i] })
		p.Missing = MissingNaN
		got := boundsOf(p, with...)
		p.MaxBin, p.Missing = p.MaxBin-1, MissingNone
		want := boundsOf(p, sample...)
		require.Equal(t, want.UpperBounds, got.UpperBounds, "trial %d", trial)
		require.Equal(t, MissingNaN, got.Missing)
		require.Equal(t, [2]float64{want.Min, want.Max}, [2]float64{got.Min, got.Max})
		require.LessOrEqual(t, got.NumBins(), p.MaxBin+1)
	}
}

func TestNaNsAreCounted(t *testing.T) {
	src := &rowsSource{rows: [][]float64{{nan, 1, 2, nan}, {3, 4, nan, nan}, {5, 6, nan, nan}}, workers: 2,
		hidden: false}
	p := BinParams{MaxBin: 255, MinDataInBin: 1, SampleCount: 10, Missing: MissingNaN}
	sample, err := Read(t.Context(), src, p)
	require.NoError(t, err)
	x, _, err := sample.Mapper.Bin(t.Context(), src)
	require.NoError(t, err)
	assert.Equal(t, []int64{1, 0, 2, 3}, x.NaNs)
	assert.Equal(t, []int32{0, 1, 2}, x.Columns, "NaN alone splits nothing")
	assert.Equal(t, []int32{3, -1, 2}, x.MissingBins)
}
