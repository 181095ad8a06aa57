package booster

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/tree"
)

// asWide bins tables with the bounds of data, plus bounds above all values and categories that no row has.
// These bins make columns wide and change no split. Features whose categories are split one by one are not
// extended, because that depends on the number of categories.
func asWide(t testing.TB, data []Data, tables ...*table) []Data {
	t.Helper()
	m := &histogram.Mapper{}
	for _, f := range data[0].Values.Mapper.Features {
		if few := DefaultParams().MaxCatToOnehot; f.IsCategorical() && f.NumBins() > few {
			categories := slices.Clone(f.Categories)
			for len(categories) < 300 {
				categories = append(categories, int32(1000+len(categories)))
			}
			var err error
			f, err = histogram.NewFeatureBins(histogram.FeatureBins{Categories: categories, Missing: f.Missing,
				Min: f.Min, Max: f.Max})
			require.NoError(t, err)
		} else if !f.Constant() && !f.IsCategorical() {
			bounds := slices.Clone(f.UpperBounds[:len(f.UpperBounds)-1])
			for len(bounds) < 300 {
				bounds = append(bounds, 1e6+float64(len(bounds)))
			}
			var err error
			f, err = histogram.NewFeatureBins(histogram.FeatureBins{UpperBounds: append(bounds, math.Inf(1)),
				Missing: f.Missing, Min: f.Min, Max: f.Max})
			require.NoError(t, err)
		}
		m.Features = append(m.Features, f)
	}
	var all []Data
	for i, s := range tables {
		bins, _, err := m.Bin(t.Context(), s)
		require.NoError(t, err)
		require.True(t, bins.Fields[0].Wide)
		all = append(all, Data{Name: data[i].Name, Meta: s.meta, Values: bins})
	}
	return all
}

// withoutBounds makes thresholds beyond all values, which asWide adds, infinite, and removes the feature
// ranges.
func withoutBounds(m *tree.Ensemble) *tree.Ensemble {
	for i := range m.Trees {
		for n, threshold := range m.Trees[i].Threshold {
			if threshold >= 1e6 {
				m.Trees[i].Threshold[n] = math.Inf(1)
			}
		}
	}
	for i := range m.Features {
		m.Features[i].Range = ""
	}
	return m
}

// TestManyBinsAreUsed: a step between two of 1,200 values is found with that many bins, but not with 255.
func TestManyBinsAreUsed(t *testing.T) {
	values, labels := make([][]float64, 6000), make([]float64, 6000)
	for row := range values {
		v := float64(row * 577 % 1200)
		values[row] = []float64{v}
		if v > 701 {
			labels[row] = 1
		}
	}
	s := newTable(values, labels, 20)
	p := smallParams()
	p.NumLeaves, p.NumIterations, p.MinDataInBin = 2, 1, 1
	for most, want := range map[int]bool{255: false, 1201: true, histogram.MostBins: true} {
		p.MaxBin = most
		threshold := fit(t, p, s).Model.Trees[0].Threshold[0]
		assert.Equal(t, want, 701 < threshold && threshold < 702, "max_bin=%d: %v", most, threshold)
	}
}

// TestMostBinsOfAllFeatures: the total number of bins must fit in 31 bits.
func TestMostBinsOfAllFeatures(t *testing.T) {
	bounds := make([]float64, histogram.MostBins)
	for b := range bounds {
		bounds[b] = float64(b)
	}
	bounds[len(bounds)-1] = math.Inf(1)
	one, err := histogram.NewFeatureBins(histogram.FeatureBins{UpperBounds: bounds,
		Missing: histogram.MissingNone, Min: 0, Max: 1e5})
	require.NoError(t, err)
	check := func(features int) error {
		m := &histogram.Mapper{Features: slices.Repeat([]histogram.FeatureBins{one}, features)}
		x, err := histogram.FromRaw(m, histogram.Raw{Rows: 0, NaNs: make([]int64, features)}, 1)
		require.NoError(t, err)
		return checkBins(Data{Values: x}, nil)
	}
	assert.NoError(t, check(math.MaxInt32/histogram.MostBins))
	assert.ErrorContains(t, check(math.MaxInt32/histogram.MostBins+1), "bins in all")
}
