package table

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/test/aid"
)

// opened opens text as a table in a file, and finds its categories.
func opened(t *testing.T, text string, o Options) (dataset.File, error) {
	t.Helper()
	o.Query, o.Workers = "name:query", 2
	f, err := Open(aid.File(t, "data.csv", text), o)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { f.Close() })
	_, err = dataset.Describe(t.Context(), f)
	return f, err
}

// valuesOf returns the values of one feature, by row.
func valuesOf(t *testing.T, f dataset.File, feature int) ([]float64, *dataset.Meta) {
	t.Helper()
	values := make([]float64, strings.Count(texts, "\n")-1)
	meta, err := dataset.Scan(t.Context(), f, nil, func(_ int, row dataset.Row) error {
		for i, n := range row.Feature {
			if int(n) == feature {
				values[row.Number] = row.Value[i]
			}
		}
		return nil
	})
	require.NoError(t, err)
	return values, meta
}

const texts = `label,query,brand,price,shop
1,1,"b,x",2,7
0,1,a,3,7
0,1,NA,4,9
1,1,"say ""b""",5,9
0,2,a,6,9
1,2,7,1,7
0,2,c,1,7
0,2,,1,7
1,2,c,1,7
1,2,c,1,7
`

func TestTextsBecomeCategories(t *testing.T) {
	f, err := opened(t, texts, Options{Categorical: "name:brand,shop"})
	require.NoError(t, err)
	got, meta := valuesOf(t, f, 1)
	nan := math.NaN()
	// c is the most frequent category, then a; the others are in byte order.
	assert.Equal(t, map[int][]string{1: {"c", "a", "7", "b,x", `say "b"`}}, meta.Dictionaries)
	for row, want := range []float64{3, 1, nan, 4, 1, 2, 0, nan, 0, 0} {
		assert.True(t, want == got[row] || want != want && got[row] != got[row], "row %d: %v", row, got[row])
	}
	shop, _ := valuesOf(t, f, 3) // numbers are their own categories
	assert.Equal(t, []float64{7, 7, 9, 9, 9, 7, 7, 7, 7, 7}, shop)

	// Those of a model come first, and its 9.0 is 9.
	f, err = opened(t, texts, Options{Categorical: "name:brand,shop",
		Begin: map[string][]string{"shop": {"9.0", "7"}}})
	require.NoError(t, err)
	shop, meta = valuesOf(t, f, 3)
	assert.Equal(t, []string{"9.0", "7"}, meta.Dictionaries[3])
	assert.Equal(t, []float64{1, 1, 0, 0, 0, 1, 1, 1, 1, 1}, shop)
}

// TestTextsOfAModel: data is read with the model's dictionary, whatever the order of columns.
func TestTextsOfAModel(t *testing.T) {
	model := &dataset.Features{Names: []string{"query", "brand", "price"}, Used: []int{1, 2},
		Dictionaries: map[int][]string{1: {"7", "c"}}}
	f, err := opened(t, texts, Options{Model: model})
	require.NoError(t, err)
	got, _ := valuesOf(t, f, 1)
	for row, v := range got {
		switch row {
		case 5:
			assert.Equal(t, 0.0, v)
		case 6, 8, 9:
			assert.Equal(t, 1.0, v)
		default:
			assert.True(t, math.IsNaN(v))
		}
	}
}

// TestAWordForMissingValuesCanBeAText: a model of a data frame may have the category NA, which then is no
// missing value when it scores a table, and when training continues from it.
func TestAWordForMissingValuesCanBeAText(t *testing.T) {
	const row, empty = 2, 7
	model := &dataset.Features{Names: []string{"query", "brand", "price"}, Used: []int{1},
		Dictionaries: map[int][]string{1: {"a", "NA"}}}
	for name, o := range map[string]Options{"score": {Model: model},
		"continue": {Categorical: "name:brand", Begin: map[string][]string{"brand": {"a", "NA"}}}} {
		f, err := opened(t, texts, o)
		require.NoError(t, err)
		got, _ := valuesOf(t, f, 1)
		assert.Equal(t, 1.0, got[row], name)
		assert.True(t, math.IsNaN(got[empty]), name)
	}
}

func TestTextsThatCannotBe(t *testing.T) {
	_, err := opened(t, texts, Options{Categorical: "name:brnd"})
	require.ErrorIs(t, err, histogram.ErrNoFeature)
	assert.ErrorContains(t, err, "did you mean brand?")

	f, err := opened(t, texts, Options{})
	require.NoError(t, err)
	_, err = dataset.Scan(t.Context(), f, nil, func(int, dataset.Row) error { return nil })
	require.ErrorIs(t, err, dataset.ErrValue)
	assert.ErrorContains(t, err, "categorical_feature=name:brand")

	var b strings.Builder
	b.WriteString("label,query,brand\n")
	for i := range leastUnknown {
		fmt.Fprintf(&b, "0,1,other%d\n", i)
	}
	model := &dataset.Features{Names: []string{"query", "brand"}, Used: []int{1},
		Dictionaries: map[int][]string{1: {"c"}}}
	f, err = opened(t, b.String(), Options{Model: model})
	require.NoError(t, err)
	_, err = dataset.Scan(t.Context(), f, nil, func(int, dataset.Row) error { return nil })
	require.ErrorIs(t, err, ErrOtherTexts)
	assert.ErrorContains(t, err, `column "brand": "other`)
	assert.ErrorContains(t, err, "train without the column (ignore_column=)")
	err = dataset.Stream(t.Context(), f, func(int, *dataset.Block) error { return nil },
		func(*dataset.Block) error { return nil })
	require.ErrorIs(t, err, ErrOtherTexts)

	b.WriteString("0,1,c\n") // one known text; the others are new
	f, err = opened(t, b.String(), Options{Model: model})
	require.NoError(t, err)
	want := []string{`column brand: 100 cells have texts that the training data did not have, such as ` +
		`"other0"; they count as missing values`}
	for range 2 { // each pass counts separately
		meta, err := dataset.Scan(t.Context(), f, nil, func(int, dataset.Row) error { return nil })
		require.NoError(t, err)
		assert.Equal(t, want, meta.Remarks)
	}
	err = dataset.Stream(t.Context(), f, func(int, *dataset.Block) error { return nil },
		func(*dataset.Block) error { return nil })
	require.NoError(t, err)
	assert.Equal(t, want, f.(*Data).Noticed)
}
