package lightgbm

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/tree"
)

// withTexts returns a model of three features, of which the last two are categorical.
func withTexts(dictionaries map[int][]string) *tree.Ensemble {
	return &tree.Ensemble{
		Trees:        []tree.Tree{emptyTree()},
		Features:     []tree.Feature{{Name: "price", Range: "[0:1]"}, {Name: "brand", Range: "-1:0:1"}, {Name: "shop", Range: "-1:3:7"}},
		Dictionaries: dictionaries,
	}
}

func TestTextsOfCategories(t *testing.T) {
	for name, d := range map[string]map[int][]string{
		"none": nil,
		"one":  {1: {"b,c", `say "x"`, "<ü>"}},
		"both": {1: {"a"}, 2: {"x", "7"}},
	} {
		want := withTexts(d)
		var b bytes.Buffer
		require.NoError(t, Write(&b, want))
		got, err := Read(bytes.NewReader(b.Bytes()))
		require.NoError(t, err, name)
		assert.Equal(t, d, got.Dictionaries, name)
		assert.Equal(t, name == "one", strings.Contains(b.String(), "[category_features: 1]"), name)
		var again bytes.Buffer
		require.NoError(t, Write(&again, got))
		assert.Equal(t, b.String(), again.String(), name)
	}
}

// TestPandasCategorical: LightGBM does not say which columns the lists are of.
func TestPandasCategorical(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, Write(&b, withTexts(nil)))
	for pandas, want := range map[string]map[int][]string{
		`[["a","b"],[1,3.0,2.5,true]]`: {1: {"a", "b"}, 2: {"1", "3", "2.5", "true"}},
		`[["a","b"]]`:                  nil,
		`[]`:                           nil,
		`null`:                         nil,
		`[["a"`:                        nil,
	} {
		got, err := Read(strings.NewReader(b.String() + "\npandas_categorical:" + pandas + "\n"))
		require.NoError(t, err, pandas)
		assert.Equal(t, want, got.Dictionaries, pandas)
		assert.Equal(t, pandas, got.PandasCategorical)
	}
}

func TestTextsThatDoNotFit(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, Write(&b, withTexts(map[int][]string{1: {"a"}})))
	for _, bad := range []string{"[category_features: ]", "[category_features: 9]", "[category_features: -1]", "[category_features: 1,2]", "[category_features: x]"} {
		text := strings.Replace(b.String(), "[category_features: 1]", bad, 1)
		_, err := Read(strings.NewReader(text))
		require.ErrorIs(t, err, errFormat, bad)
	}
	_, err := Read(strings.NewReader(strings.Replace(b.String(), "pandas_categorical:", "\n", 1)))
	require.Error(t, err)
}
