package histogram

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
)

// forcedRows returns features with values of both signs, with few values, with NaN, and with categories.
func forcedRows(t testing.TB) dataset.Source {
	rows := make([][]float64, 500)
	for i := range rows {
		rows[i] = []float64{float64(i*7%500) - 200, float64(i % 5), float64(i * 3 % 400), float64(i % 4)}
		if i%6 == 0 {
			rows[i][2] = math.NaN()
		}
	}
	src, err := dataset.FromRows(rows, make([]float64, len(rows)), []int{len(rows)})
	require.NoError(t, err)
	return src
}

func readForced(t testing.TB, p BinParams, text string) (*Sample, error) {
	p.ForcedBinsFilename = filepath.Join(t.TempDir(), "bins.json")
	require.NoError(t, os.WriteFile(p.ForcedBinsFilename, []byte(text), 0o666))
	return Read(t.Context(), forcedRows(t), p)
}

// TestForcedBins: forced bounds, listed in any order, are among the bounds of the feature, which has at
// most max_bin
// bins. Other features have the same bins as without the file.
func TestForcedBins(t *testing.T) {
	for _, most := range []int{7, 8, 16, 255} {
		p := defaultParams()
		p.MaxBin = most
		plain, err := Read(t.Context(), forcedRows(t), p)
		require.NoError(t, err)
		s, err := readForced(t, p, `[{"feature": 0, "bin_upper_bound": [17.25, 0, -1e300, 17.25]}, {"feature": 2, "bin_upper_bound": [33.5, 1e300]}]`)
		require.NoError(t, err)
		for f, want := range [][]float64{{-1e300, 17.25, zeroBound}, {}, {33.5, 1e300, zeroBound}, {}} {
			bins := &s.Mapper.Features[f]
			assert.Subset(t, bins.UpperBounds, want)
			assert.LessOrEqual(t, bins.NumBins(), most)
			assert.True(t, slices.IsSorted(bins.UpperBounds))
			assert.Len(t, slices.Compact(slices.Clone(bins.UpperBounds)), len(bins.UpperBounds))
			if len(want) == 0 {
				assert.Equal(t, plain.Mapper.Features[f].UpperBounds, bins.UpperBounds)
			}
		}
	}
}

func TestForcedBinsRefuse(t *testing.T) {
	p := defaultParams()
	p.MaxBin, p.Categorical = 7, "3"
	for text, want := range map[string]string{
		"":            "want a JSON array",
		"{}":          "want a JSON array",
		"[1]":         "want a JSON array",
		"[] []":       "more than one JSON value",
		"[{}]":        "want the number or the name of a feature",
		"[null]":      "want the number or the name of a feature",
		"[{\"x\":1}]": "unknown field",
		`[{"feature": null, "bin_upper_bound": [1]}]`:                                      "want the number or the name",
		`[{"feature": 9, "bin_upper_bound": [1]}]`:                                         "there is no feature 9",
		`[{"feature": -1, "bin_upper_bound": [1]}]`:                                        "there is no feature -1",
		`[{"feature": "nosuch", "bin_upper_bound": [1]}]`:                                  `there is no feature "nosuch"`,
		`[{"feature": 0}]`:                                                                 "want one or more numbers",
		`[{"feature": 0, "bin_upper_bound": []}]`:                                          "want one or more numbers",
		`[{"feature": 0, "bin_upper_bound": [1e999]}]`:                                     "want a JSON array",
		`[{"feature": 0, "bin_upper_bound": ["1"]}]`:                                       "want a JSON array",
		`[{"feature": 0, "bin_upper_bound": [1,2,3,4]}]`:                                   "4 bounds need 8 bins",
		`[{"feature": 0, "bin_upper_bound": [1]}, {"feature": 0, "bin_upper_bound": [2]}]`: "is there twice",
		`[{"feature": 3, "bin_upper_bound": [1]}]`:                                         "is categorical",
		strings.Repeat("[", 1<<19):                                                         "want a JSON array",
		strings.Repeat(" ", 1<<20+1): "more than 1048576 " +
			"bytes",
	} {
		_, err := readForced(t, p, text)
		require.ErrorIs(t, err, ErrParams, "%.80s", text)
		assert.ErrorContains(t, err, want, "%.80s", text)
		assert.ErrorContains(t, err, "forcedbins_filename", "%.80s", text)
	}
	p.ForcedBinsFilename = "no/such/file"
	_, err := Read(t.Context(), forcedRows(t), p)
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// FuzzForcedBins: any file that is accepted gives ascending bounds and at most max_bin bins.
func FuzzForcedBins(f *testing.F) {
	f.Add([]byte(`[{"feature": 0, "bin_upper_bound": [17.25, 0, -1e300]}]`), uint8(9))
	f.Add([]byte(`[{"feature": "x", "bin_upper_bound": [5e-324, 1e308, -1, 1.0000000000000002, 1]}]`), uint8(12))
	f.Add([]byte(`[{"feature": 0, "bin_upper_bound": [1]}, {"feature": 0, "bin_upper_bound": [2]}]`), uint8(9))
	f.Add([]byte(`[{"feature": 1, "bin_upper_bound": [1]}]`), uint8(9))
	f.Fuzz(func(t *testing.T, text []byte, most uint8) {
		p := defaultParams()
		p.MaxBin, p.MinDataInBin = max(2, int(most)), 1
		all, err := p.byFeature([]string{"x", "y"}, []int{1})
		require.NoError(t, err)
		if all.force(text, []string{"x", "y"}, []int{1}) != nil {
			return
		}
		found := new(finder).find([]float64{-3, -1, -1, 1, 1.5, 2, 7, math.NaN()}, 3, all.of(0))
		if _, err := NewFeatureBins(FeatureBins{UpperBounds: found.UpperBounds, Missing: found.Missing,
			Min: found.Min, Max: found.Max}); err != nil ||
			found.NumBins() > p.MaxBin {
			t.Fatal(err, found.NumBins())
		}
	})
}
