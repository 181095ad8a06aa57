package data

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/test/aid"
)

func TestNamesOfLETORText(t *testing.T) {
	text := aid.File(t, "t.txt", "0 qid:1 1:1 2:3\n1 qid:1 1:2 2:4\n")
	for content, want := range map[string][]string{
		"name:a b,c":         {"Column_0", "a_b", "c"},
		"a b\nc\n":           {"Column_0", "a_b", "c"},
		"2\tc\n0\tz\n1\ta\n": {"z", "a", "c"},
		"Column_2\tc d\n":    {"Column_0", "Column_1", "c_d"},
		"a\nb\nc\n":          {"Column_0", "a", "b", "c"},
	} {
		names := content
		if content[:5] != "name:" {
			names = aid.File(t, "names", content)
		}
		layout := Layout{Names: names}
		loaded, err := loadFiles(t.Context(), binParams, LoadOptions{Layout: layout}, text)
		require.NoError(t, err, content)
		assert.Equal(t, want, loaded.Training.Meta.Features)
	}
}

// TestNamesWithFeatureBase: numbers refer to the features of the text, and Column_n to columns of the model.
func TestNamesWithFeatureBase(t *testing.T) {
	text := aid.File(t, "t.txt", "0 qid:1 1:1 2:3\n1 qid:1 1:2 2:4\n")
	for _, names := range []string{"name:a,b", aid.File(t, "numbers", "2\tb\n1\ta\n"),
		aid.File(t, "columns", "Column_0\ta\nColumn_1\tb\n")} {
		src, err := Open(text, Options{Layout: Layout{Names: names, FeatureBase: 1}})
		require.NoError(t, err)
		meta, err := dataset.Scan(t.Context(), src, nil, func(int, dataset.Row) error { return nil })
		require.NoError(t, err)
		assert.Equal(t, []string{"a", "b"}, meta.Features)
	}
	_, err := Open(text, Options{Layout: Layout{Names: aid.File(t, "zero", "0\tz\n"), FeatureBase: 1}})
	assert.ErrorContains(t, err, `"0" is not the number of a feature`)
}

func TestNamesThatDoNotFit(t *testing.T) {
	text := aid.File(t, "t.txt", "0 qid:1 1:1 2:3\n1 qid:1 1:2 2:4\n")
	csv := aid.File(t, "t.csv", "grade,qid,f\n0,1,2\n1,1,3\n")
	model := &dataset.Features{Names: []string{"Column_0", "x", "y"}, Used: []int{1}}
	for content, want := range map[string]string{
		"a\n":              "columns up to 2, names up to column 1",
		"a\na\n":           `"a" comes twice`,
		"a\n1\tb\n":        `names:2:1: the feature is "a" already`,
		"a\nx\tb\n":        `names:2:1: "x" is not the number of a feature`,
		"a\n99999999\tb\n": `names:2:1: "99999999" is not the number of a feature`,
		"a:\nb\n":          `"a:" is the name of column 1`,
		"\nb\n":            `"" is the name of column 1`,
		"a\n\ufeffb\n":     `names:2:1: "\ufeffb": a byte order mark`,
	} {
		layout := Layout{Names: aid.File(t, "names", content)}
		_, err := loadFiles(t.Context(), binParams, LoadOptions{Layout: layout}, text)
		assert.ErrorContains(t, err, want)
	}
	layout := Layout{Names: "name:x,z"}
	_, err := Open(text, Options{Layout: layout, Features: model})
	assert.ErrorContains(t, err, `calls column 2 "z", and the model "y"`)
	_, err = Open(csv, Options{Layout: layout})
	assert.ErrorIs(t, err, ErrNames)
	_, err = loadFiles(t.Context(), binParams, LoadOptions{Layout: layout}, csv, csv)
	assert.ErrorIs(t, err, ErrNames)
	_, err = loadFiles(t.Context(), binParams, LoadOptions{Layout: Layout{FeatureBase: 1},
		Given: []string{"feature_base"}}, csv, csv)
	assert.ErrorIs(t, err, ErrBase)
	layout.Names = "name:x,f"
	constant := binParams
	constant.MinDataInBin = 3 // x then has one bin, so the table may lack it
	loaded, err := loadFiles(t.Context(), constant, LoadOptions{Layout: layout}, text, csv)
	require.NoError(t, err, "the features of a table are found by these names")
	assert.Len(t, loaded.Validation, 1)
}
