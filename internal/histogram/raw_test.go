package histogram

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFromRawRefusesBinsThatColumnsLack: a bin number beyond a column's bins is found wherever it is, and no
// valid bin is refused.
func TestFromRawRefusesBinsThatColumnsLack(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, most := range []int{20, 255, 1000} { // columns share bytes; each has a byte; some have two
		x := randomMatrixOf(rng, rawBlock+10, 11, most)
		for range 1000 {
			bins := slices.Clone(x.Raw().Bins)
			row, at, b := rng.IntN(x.NumRows()), rng.IntN(x.Stride), uint8(rng.UintN(256))
			bins[row*x.Stride+at] = b
			_, err := FromRaw(x.Mapper, Raw{Rows: x.NumRows(), NaNs: x.NaNs, Bins: bins}, 2)
			if means(x, bins[row*x.Stride:][:x.Stride], int32(at)) {
				require.NoError(t, err, "byte %d, value %d", at, b)
			} else {
				require.ErrorIs(t, err, ErrRaw, "byte %d, value %d", at, b)
			}
		}
	}
}

// means reports whether a byte of a row is valid: its fields are bins of their columns, and its other bits
// are 0.
func means(x *Matrix, row []uint8, at int32) bool {
	b := row[at]
	for c, f := range x.Fields {
		if f.At != at && !(f.Wide && f.At+1 == at) {
			continue
		}
		if int(f.Of(row)) >= x.Bins(int32(c)).NumBins() {
			return false
		}
		b &^= f.Mask << f.Shift
	}
	return b == 0
}

func TestFromRawRefusesOtherLengths(t *testing.T) {
	x := randomMatrix(rand.New(rand.NewPCG(5, 6)), 10, 3)
	for _, rows := range []int{-1, 0, 9, 11, math.MaxInt} {
		_, err := FromRaw(x.Mapper, Raw{Rows: rows, NaNs: x.NaNs, Bins: x.Raw().Bins}, 1)
		assert.ErrorIs(t, err, ErrRaw, "%d", rows)
	}
	_, err := FromRaw(x.Mapper, Raw{Rows: 10, NaNs: x.NaNs, Bins: x.Raw().Bins[1:]}, 1)
	assert.ErrorIs(t, err, ErrRaw)
	for _, nans := range [][]int64{nil, {0, 0}, {0, -1, 0}, {0, 0, 11}} {
		_, err := FromRaw(x.Mapper, Raw{Rows: 10, NaNs: nans, Bins: x.Raw().Bins}, 1)
		assert.ErrorIs(t, err, ErrRaw, "%v", nans)
	}
}

// TestFromRawWithoutColumns: without columns rows have no bytes, and every number of
// rows is valid unless negative.
func TestFromRawWithoutColumns(t *testing.T) {
	m := &Mapper{Features: []FeatureBins{{UpperBounds: []float64{math.Inf(1)}}}}
	for _, rows := range []int{0, 7, math.MaxInt} {
		x, err := FromRaw(m, Raw{Rows: rows, NaNs: []int64{0}}, 1)
		require.NoError(t, err)
		assert.Equal(t, rows, x.NumRows())
	}
	_, err := FromRaw(&Mapper{}, Raw{Rows: -1, NaNs: nil}, 1)
	assert.ErrorIs(t, err, ErrRaw)
}

func TestNewFeatureBins(t *testing.T) {
	inf := math.Inf(1)
	for _, missing := range []Missing{MissingNone, MissingZero, MissingNaN} {
		want := boundsOf(BinParams{MaxBin: 255, MinDataInBin: 1, Missing: missing}, -2, -1, 0, math.NaN(), 0, 1, 5,
			9)
		require.Equal(t, missing, want.Missing)
		got, err := NewFeatureBins(FeatureBins{UpperBounds: want.UpperBounds, Missing: missing, Min: want.Min,
			Max: want.Max})
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	full := append(make([]float64, 0, MostBins), inf) // the most bounds of a feature with a NaN bin
	for b := range MostBins - 2 {
		full = append(full[:b], float64(b), inf)
	}
	_, err := NewFeatureBins(FeatureBins{UpperBounds: full, Missing: MissingNaN, Min: 0, Max: 1})
	assert.NoError(t, err)
	_, err = NewFeatureBins(FeatureBins{UpperBounds: append(full[:MostBins-2], MostBins, inf),
		Missing: MissingNaN, Min: 0, Max: 1})
	assert.ErrorIs(t, err, ErrRaw)
	_, err = NewFeatureBins(FeatureBins{UpperBounds: []float64{1, inf}, Missing: MissingZero, Min: 0, Max: 1})
	assert.ErrorIs(t, err, ErrRaw)
	_, err = NewFeatureBins(FeatureBins{UpperBounds: []float64{0, 1, inf}, Missing: MissingNaN + 1, Min: 0,
		Max: 1})
	assert.ErrorIs(t, err, ErrRaw)
	for _, bounds := range [][]float64{nil, {1}, {math.NaN()}, {inf, inf}, {math.Inf(-1), inf}, {2, 1, inf},
		{1, 1, inf}, {math.NaN(), inf}, {0, math.Copysign(0, -1), inf},
		append(slices.Clone(full[:MostBins-2]), 1e5, 1e6, inf)} {
		_, err := NewFeatureBins(FeatureBins{UpperBounds: bounds, Missing: MissingNone, Min: 0, Max: 1})
		assert.ErrorIs(t, err, ErrRaw, "%d bounds", len(bounds))
	}
	for _, limits := range [][2]float64{{1, 0}, {math.NaN(), 0}, {0, math.NaN()}, {0, inf}, {-inf, 0}} {
		_, err := NewFeatureBins(FeatureBins{UpperBounds: []float64{inf}, Missing: MissingNone, Min: limits[0],
			Max: limits[1]})
		assert.ErrorIs(t, err, ErrRaw, "%v", limits)
	}
}
