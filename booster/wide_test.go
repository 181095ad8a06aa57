package booster

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/histogram"
	"github.com/lambdamart/lambdamart/internal/par"
)

// asWide bins tables with the bounds of data and more bounds above all values, and with more categories that
// no row has. They change no split, and make columns wide. Categories that are tried one by one remain,
// because their number says so.
func asWide(t testing.TB, data []Data, tables ...*table) []Data {
	t.Helper()
	m := &histogram.Mapper{}
	for _, f := range data[0].Values.Mapper.Features {
		if few := defaultCategories().MaxCatToOnehot; f.IsCategorical() && f.NumBins() > few {
			categories := slices.Clone(f.Categories)
			for len(categories) < 300 {
				categories = append(categories, int32(1000+len(categories)))
			}
			var err error
			f, err = histogram.NewCategoryBins(categories, f.Missing, f.Min, f.Max)
			require.NoError(t, err)
		} else if !f.Constant() && !f.IsCategorical() {
			bounds := slices.Clone(f.UpperBounds[:len(f.UpperBounds)-1])
			for len(bounds) < 300 {
				bounds = append(bounds, 1e6+float64(len(bounds)))
			}
			var err error
			f, err = histogram.NewFeatureBins(append(bounds, math.Inf(1)), f.Missing, f.Min, f.Max)
			require.NoError(t, err)
		}
		m.Features = append(m.Features, f)
	}
	var all []Data
	for i, s := range tables {
		bins, _, err := m.Bin(t.Context(), s)
		require.NoError(t, err)
		require.True(t, bins.Field(0).Wide)
		all = append(all, Data{Name: data[i].Name, Meta: s.meta, Values: bins})
	}
	return all
}

// layoutSettings are settings with which a model must not depend on how columns are stored, rankSettings
// among them.
func layoutSettings() map[string]func(p *Params) {
	all := map[string]func(p *Params){
		"monotone": func(p *Params) {
			p.MonotoneConstraints, p.MonotoneConstraintsMethod = "1,0,-1,0,1", MonotoneIntermediate
		},
		"advanced": func(p *Params) {
			p.MonotoneConstraints, p.MonotoneConstraintsMethod = "1,0,-1,0,1", MonotoneAdvanced
		},
		"meeting": func(p *Params) { p.InteractionConstraints, p.FeatureFractionByNode = "[0,1],[2,3,4]", 0.7 },
		"smooth":  func(p *Params) { p.PathSmooth, p.MaxDeltaStep = 10, 0.5 },
		"counted": func(p *Params) { p.MinDataInLeaf, p.MinSumHessianInLeaf, p.NumLeaves = 120, 0, 31 },
		"symmetric": func(p *Params) {
			p.GrowPolicy, p.NumLeaves, p.MinDataInLeaf, p.ActiveFraction = Symmetric,
				32, 60, 1
		},
		"level":      func(p *Params) { p.GrowPolicy, p.NumLeaves, p.ActiveFraction = Symmetric, 16, 0.3 },
		"depth-wise": func(p *Params) { p.GrowPolicy = Depthwise },
	}
	for name, set := range rankSettings {
		all[name] = set
	}
	return all
}

// TestWideColumnsDoNotChangeTheModel: columns of two bytes give the same bytes of the model as columns of one
// with the same bounds, by any number of threads.
func TestWideColumnsDoNotChangeTheModel(t *testing.T) {
	for name, set := range layoutSettings() {
		t.Run(name, func(t *testing.T) {
			p := smallParams()
			set(&p)
			p.NumIterations = min(p.NumIterations, 10)
			p.MaxBin = min(p.MaxBin, 255)
			tables := []*table{withNaN(randomTable(3, 1500), 4, 0.1), withNaN(randomTable(5, 400), 6, 0.2)}
			requireSameWide(t, p, tables...)
		})
	}
}

// TestWideCategoriesDoNotChangeTheModel is the same for columns of categories.
func TestWideCategoriesDoNotChangeTheModel(t *testing.T) {
	for name, set := range map[string]func(p *Params){
		"all rows": func(p *Params) { p.ActiveFraction = 1 },
		"sparse":   func(p *Params) { p.ActiveFraction = 0.3 },
		"counted": func(p *Params) {
			p.MinDataInLeaf, p.MinSumHessianInLeaf, p.NumLeaves, p.ActiveFraction = 120,
				0, 31, 1
		},
		"monotone": func(p *Params) { p.MonotoneConstraints = "1,0,-1,0,1" },
		"smooth":   func(p *Params) { p.PathSmooth = 10 },
	} {
		t.Run(name, func(t *testing.T) {
			p := shopParams()
			set(&p)
			requireSameWide(t, p, shopTable(3, 3000, 20), shopTable(4, 400, 20))
		})
	}
}

// requireSameWide fails unless a training on wide columns gives the model that one on others gives.
func requireSameWide(t *testing.T, p Params, tables ...*table) {
	data := binned(t, &p, tables...)
	wide := asWide(t, data, tables...)
	p.NumThreads = 1
	want := trained(t, p, data)
	for _, p.NumThreads = range []int{1, 2, 7} {
		require.True(t, want == trained(t, p, wide), "%d threads", p.NumThreads)
	}
}

// layoutCase returns what a test of layoutSettings needs: the parameters with one of the settings, tables,
// their narrow form, and the model that one thread trains on it.
func layoutCase(t *testing.T, set func(*Params)) (p Params, tables []*table, narrow []Data, want string) {
	p = smallParams()
	set(&p)
	p.NumIterations = min(p.NumIterations, 5)
	p.MaxBin = min(p.MaxBin, 255)
	tables = []*table{withNaN(randomTable(3, 1500), 4, 0.1), withNaN(randomTable(5, 400), 6, 0.2)}
	narrow = binned(t, &p, tables...)
	p.NumThreads = 1
	return p, tables, narrow, trained(t, p, narrow)
}

// trained returns the bytes of a model without the ranges of features. The bounds that asWide adds, beyond
// all values, become +Inf.
func trained(t testing.TB, p Params, data []Data) string {
	t.Helper()
	r, err := Train(t.Context(), p, data[0], data[1:], Options{})
	require.NoError(t, err)
	for i := range r.Model.Trees {
		for n, threshold := range r.Model.Trees[i].Threshold {
			if threshold >= 1e6 {
				r.Model.Trees[i].Threshold[n] = math.Inf(1)
			}
		}
	}
	for i := range r.Model.Features {
		r.Model.Features[i].Range = ""
	}
	return string(bytesOf(r.Model))
}

// TestManyBinsAreUsed: a step between two of 1,200 values is found with this many bins, and is not with 255.
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

// TestMostBinsOfAllFeatures: all bins of a leaf have a number of 31 bits.
func TestMostBinsOfAllFeatures(t *testing.T) {
	bounds := make([]float64, histogram.MostBins)
	for b := range bounds {
		bounds[b] = float64(b)
	}
	bounds[len(bounds)-1] = math.Inf(1)
	one, err := histogram.NewFeatureBins(bounds, histogram.MissingNone, 0, 1e5)
	require.NoError(t, err)
	check := func(features int) error {
		m := &histogram.Mapper{Features: slices.Repeat([]histogram.FeatureBins{one}, features)}
		x, err := histogram.FromRaw(m, 0, make([]int64, features), nil, 1)
		require.NoError(t, err)
		return checkBins(Data{Values: x}, nil)
	}
	assert.NoError(t, check(math.MaxInt32/histogram.MostBins))
	assert.ErrorContains(t, check(math.MaxInt32/histogram.MostBins+1), "bins in all")
}

// TestPartitionOfWideColumns is for splits of numbers, with an exception and without.
func TestPartitionOfWideColumns(t *testing.T) {
	train := withNaN(randomTable(7, 3*partitionBlock), 8, 0.1)
	p := DefaultParams()
	p.MaxBin, p.MinDataInBin = 3000, 1
	data := binned(t, &p, train)[0]
	pool := par.New(2)
	defer pool.Close()
	g := &grower{binTree: newBinTree(data.Values, pool), bins: withPlanes(data, pool)}
	for _, missingRight := range []bool{false, true} {
		for _, bin := range []uint16{0, 255, 256, 700, 2900} {
			s := &split{column: 0, bin: bin, missingRight: missingRight}
			rows, spare := make([]int32, len(train.values)), make([]int32, len(train.values))
			for i := range rows {
				rows[i] = int32(i)
			}
			lefts := g.partition(rows, spare, s)
			for i, r := range rows {
				require.Equal(t, i >= lefts, s.goesRight(data.Values.At(r, 0), data.Values.MissingBin(0)))
			}
		}
	}
}
