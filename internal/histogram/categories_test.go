package histogram

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// repeated takes pairs of a value and a count, and returns each value that many times.
func repeated(pairs ...float64) (values []float64) {
	for i := 0; i < len(pairs); i += 2 {
		for range int(pairs[i+1]) {
			values = append(values, pairs[i])
		}
	}
	return values
}

// TestFindCategories expects what LightGBM 4.7 (Dataset) makes of the same values, by default with
// min_data_in_bin 3 and 255 bins.
func TestFindCategories(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		values  []float64
		zeros   int
		change  func(*BinParams)
		want    []int32
		missing Missing
	}{
		"most rows first":           {repeated(7, 5, 2, 9, 1, 4), 6, nil, []int32{2, 0, 7, 1}, MissingNone},
		"equal ones by number":      {repeated(9, 5, 2, 5, 4, 5), 5, nil, []int32{0, 2, 4, 9}, MissingNone},
		"rare ones have no bin":     {repeated(3, 50, 1, 40, 8, 2, 9, 2), 0, nil, []int32{3, 1}, MissingNaN},
		"the first two may be rare": {repeated(3, 2, 1, 1), 0, nil, []int32{3, 1}, MissingNone},
		"NaN":                       {repeated(3, 5, 1, 4, nan, 3), 0, nil, []int32{3, 1}, MissingNaN},
		"NaN counts as 0": {repeated(3, 5, 1, 4, nan, 3), 0,
			func(p *BinParams) { p.Missing = MissingNone }, []int32{3, 1, 0}, MissingNone},
		"negative":                    {repeated(3, 5, -1, 4, 1, 6), 2, nil, []int32{1, 3}, MissingNaN},
		"cut toward 0":                {repeated(1.9, 5, -0.5, 4, 2, 3), 0, nil, []int32{1, 0, 2}, MissingNone},
		"0 between signs has no rows": {repeated(-2, 4, 5, 6), 0, nil, []int32{5, 0}, MissingNaN},
		"max_bin": {repeated(1, 100, 2, 100, 3, 100, 4, 1), 0,
			func(p *BinParams) { p.MaxBin = 3; p.MinDataInBin = 1 }, []int32{1, 2, 3}, MissingNaN},
		"nothing": {repeated(nan, 4), 0, nil, []int32{}, MissingNaN},
	} {
		t.Run(name, func(t *testing.T) {
			p := defaultParams()
			if c.change != nil {
				c.change(&p)
			}
			var w finder
			found := w.findCategories(c.values, c.zeros, p)
			assert.Equal(t, c.want, found.bins.Categories)
			assert.Equal(t, c.missing, found.bins.Missing)
		})
	}
}

// TestManyCategories: 99 % of the rows have a bin, however many categories that takes, as long as bins fit
// in two bytes. A remark counts the other rows.
func TestManyCategories(t *testing.T) {
	find := func(number int) (int, []string) {
		var values []float64
		for c := range number {
			values = append(values, repeated(float64(c+1), 3)...)
		}
		found := new(finder).findCategories(values, 0, defaultParams())
		remarks, err := describeCategories([]int{0}, []categories{found}, []string{"brand"})
		require.NoError(t, err)
		return found.bins.NumBins(), remarks
	}
	bins, remarks := find(400)
	assert.Equal(t, 397, bins)
	assert.Empty(t, remarks)
	bins, remarks = find(80000)
	assert.Equal(t, MostBins, bins)
	assert.Equal(t, []string{"categorical feature brand has 80,000 categories: the 65,534 most frequent have " +
		"a bin, and the others, 18 % of the rows, count as one that goes right at every split"}, remarks)
}

// TestRareCategories: a remark says that most rows have no bin of their own.
func TestRareCategories(t *testing.T) {
	remarks := func(rare int) []string {
		values := repeated(1, 300, 2, 200)
		for c := range rare {
			values = append(values, float64(c+3))
		}
		found := new(finder).findCategories(values, 0, defaultParams())
		remarks, err := describeCategories([]int{0}, []categories{found}, []string{"shop"})
		require.NoError(t, err)
		return remarks
	}
	assert.Empty(t, remarks(500))
	all := remarks(501)
	require.Len(t, all, 1)
	assert.Contains(t, all[0], "feature shop: 501 of 1,001 sampled rows have one of 501 rare categories")
	assert.Contains(t, remarks(2000)[0], "feature shop: 2,000 of 2,500 sampled rows have one of 2,000 rare")
}

func TestLookupOfCategoriesEqualsSearch(t *testing.T) {
	f, err := NewFeatureBins(FeatureBins{Categories: []int32{17, 0, 3, 1000}, Missing: MissingNaN, Max: 1000})
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 1))
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, -0.9, 0, math.Copysign(0, -1), 0.9, 1,
		3, 3.99, 17, 999, 1000, 1001, 1e9, 1 << 31, 1e300} {
		assert.Equal(t, f.searchBin(v), f.Bin(v), v)
	}
	for range 1000 {
		v := rng.Float64() * 1100
		require.Equal(t, f.searchBin(v), f.Bin(v), v)
	}
	assert.Equal(t, uint16(2), f.Zero)
}

func TestCategoriesThatCannotBe(t *testing.T) {
	for _, list := range [][]int32{{1, 1}, {-1}, {MaxCategory + 1}, distinctCategories(MostBins)} {
		_, err := NewFeatureBins(FeatureBins{Categories: list, Missing: MissingNone, Min: 0, Max: 1})
		assert.ErrorIs(t, err, ErrRaw)
	}
	_, err := NewFeatureBins(FeatureBins{Categories: []int32{1}, Missing: MissingZero, Min: 0, Max: 1})
	assert.ErrorIs(t, err, ErrRaw)
}

// distinctCategories returns the given number of distinct categories.
func distinctCategories(number int) (all []int32) {
	for c := range number {
		all = append(all, int32(c))
	}
	return all
}

func TestTooLargeCategory(t *testing.T) {
	var w finder
	found := w.findCategories(repeated(1, 5, 5e6, 9), 0, defaultParams())
	_, err := describeCategories([]int{2}, []categories{found}, []string{"a", "b", "brand"})
	require.ErrorIs(t, err, ErrCategory)
	assert.ErrorContains(t, err, "feature brand has category 5000000, and 1048575 is the largest")
	assert.ErrorContains(t, err, "the most frequent ones first: at most 65534 have a bin")
}

func TestCategoricalFeatures(t *testing.T) {
	names := []string{"price", "brand", "main_color"}
	for choice, want := range map[string][]int{
		"": nil, "name:": nil, "2,1": {1, 2}, " 1 , 1 ": {1}, "name:brand": {1}, "name:main color,price": {0, 2},
		"brand,0": {0, 1},
	} {
		got, err := CategoricalFeatures(choice, names)
		require.NoError(t, err, choice)
		assert.Equal(t, want, got, choice)
	}
	for choice, want := range map[string]string{
		"3": "numbers of features are 0 to 2", "name:brend": "did you mean brand?", "name:1": "did you mean",
		"-1": "numbers of features", "1,,2": `""`,
	} {
		_, err := CategoricalFeatures(choice, names)
		require.ErrorIs(t, err, ErrNoFeature, choice)
		assert.ErrorContains(t, err, want, choice)
	}
}
