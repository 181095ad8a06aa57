package data

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/test/aid"
	"github.com/lambdamart/lambdamart/tree"
)

// numberedFrom returns LETOR text of two features whose first one has the given
// number, and is 0 in the first rows.
func numberedFrom(first, zeros int) string {
	var text strings.Builder
	for i := range 40 {
		fmt.Fprintf(&text, "%d qid:%d", i%3, i/4)
		if i >= zeros {
			fmt.Fprintf(&text, " %d:%d", first, i%5+1)
		}
		fmt.Fprintf(&text, " %d:%d\n", first+1, i%7)
	}
	return text.String()
}

// usesFirst returns a model that uses feature 0, and was trained on text numbered in a way.
func usesFirst(n dataset.Numbering) *tree.Ensemble {
	m := &tree.Ensemble{Features: []tree.Feature{{Name: "Column_0", Range: "[0:1]"}, {Name: "Column_1"}},
		Trees: []tree.Tree{{Feature: []int32{0}, Threshold: []float64{1}, Decision: make([]tree.Decision, 1),
			Gain: make([]float64, 1), Left: []int32{^0}, Right: []int32{^1}, InternalValue: make([]float64, 1),
			InternalWeight: make([]float64, 1), InternalCount: make([]int64, 1), LeafValue: []float64{1, 2},
			LeafWeight: make([]float64, 2), LeafCount: make([]int64, 2), Shrinkage: 1}}}
	switch n {
	case dataset.FromZero:
		m.Parameters = "[lambdamart: feature_base=0]\n"
	case dataset.FromOne:
		m.Parameters = "[lambdamart: feature_base=1]\n"
	}
	return m
}

// TestNumbering: text with feature 0 is read as it is numbered, and training notes it for the model.
func TestNumbering(t *testing.T) {
	path := folder(t, map[string]string{"0": numberedFrom(0, 0), "1": numberedFrom(1, 0),
		"sparse": strings.Repeat("# "+strings.Repeat("x", 99)+"\n", 1000) + numberedFrom(0, 30)})
	for _, c := range []struct {
		name     string
		base     int
		features int
		want     dataset.Numbering
	}{{"0", 0, 2, dataset.FromZero}, {"sparse", 0, 2, dataset.FromZero}, {"1", 0, 3, dataset.Unnumbered},
		{"1", 1, 2, dataset.FromOne}} {
		loaded, err := loadFiles(t.Context(), binParams,
			LoadOptions{Layout: Layout{FeatureBase: c.base}}, path(c.name))
		require.NoError(t, err)
		assert.Len(t, loaded.Training.Meta.Features, c.features, c)
		assert.Equal(t, c.want, loaded.Training.Meta.Numbering, c)
		stored := path(c.name + ".bin")
		store(t, stored, loaded.loader, loaded.Training)
		again, err := loadFiles(t.Context(), binParams, LoadOptions{}, stored)
		require.NoError(t, err)
		assert.Equal(t, c.want == dataset.FromOne, again.Training.Meta.Numbering == dataset.FromOne, c)
		require.NoError(t, again.Close())
	}
	f, err := Open(path("0"), Options{})
	require.NoError(t, err)
	assert.Empty(t, f.AbsentFeatures())
	for names, want := range map[string][]string{"name:a,b": {"a", "b"}, "name:a,b,c": {"a", "b", "c"}} {
		for _, file := range []string{"0", "sparse"} {
			loaded, err := loadFiles(t.Context(), binParams, LoadOptions{Layout: Layout{Names: names}}, path(file))
			require.NoError(t, err)
			assert.Equal(t, want, loaded.Training.Meta.Features)
		}
	}
}

// TestNumberingOfModels: a model reads text as it was numbered in training. Where it uses feature 0 and does
// not know why, the text must have that feature.
func TestNumberingOfModels(t *testing.T) {
	path := folder(t, map[string]string{"0": numberedFrom(0, 0), "1": numberedFrom(1, 0),
		"2":      numberedFrom(2, 0),
		"sparse": strings.Repeat("# "+strings.Repeat("x", 99)+"\n", 1000) + numberedFrom(0, 30)})
	for _, c := range []struct {
		of      dataset.Numbering
		name    string
		once    bool
		want    error
		remarks int
		value   float64 // of feature 0 in the second row
	}{
		{dataset.FromOne, "1", false, nil, 0, 2},
		{dataset.FromZero, "0", false, nil, 0, 2},
		{dataset.FromZero, "sparse", false, nil, 0, 0},
		{dataset.FromZero, "2", false, nil, 1, 0},
		{dataset.Unnumbered, "0", false, nil, 0, 2},
		{dataset.Unnumbered, "sparse", false, nil, 0, 0},
		{dataset.Unnumbered, "0", true, nil, 0, 2},
		{dataset.Unnumbered, "1", false, ErrFeatureZero, 0, 0},
	} {
		f, err := OpenFor(usesFirst(c.of), path(c.name), Options{Once: c.once})
		require.ErrorIs(t, err, c.want, c)
		if err != nil {
			continue
		}
		assert.Len(t, f.Noticed(), c.remarks, c)
		_, err = dataset.Scan(t.Context(), f, nil, func(_ int, row dataset.Row) error {
			if row.Number == 1 && c.value > 0 {
				assert.Equal(t, int32(0), row.Feature[0])
				assert.Equal(t, c.value, row.Value[0])
			}
			return nil
		})
		require.NoError(t, err)
		require.NoError(t, f.Close())
	}
	_, err := OpenFor(usesFirst(dataset.FromOne), path("0"), Options{})
	require.NoError(t, err) // its first row is an error when it is read
}

// TestDoubts: text whose features are perhaps not those of the model, or of the training data.
func TestDoubts(t *testing.T) {
	path := folder(t, map[string]string{"0": numberedFrom(0, 0), "1": numberedFrom(1, 0),
		"a.csv": "label,qid,a,b\n0,1,1,3\n1,1,2,4\n", "bare.csv": "0,1,1,3\n1,1,2,4\n",
		"bare.csv.query": "2\n"})
	usesSecond := usesFirst(dataset.Unnumbered)
	usesSecond.Trees[0].Feature[0], usesSecond.Features[0].Range = 1, "none"
	named := usesFirst(dataset.Unnumbered)
	named.Features = []tree.Feature{{Name: "qid", Range: "none"}, {Name: "a"}, {Name: "b"}}
	named.Trees[0].Feature[0] = 1
	ofText := usesFirst(dataset.Unnumbered) // as with feature_names
	ofText.Features = []tree.Feature{{Name: "Column_0", Range: "none"}, {Name: "a"}, {Name: "b"}}
	ofText.Trees[0].Feature[0] = 1
	const numbers = "numbers for features where the model has names: those from 0 on are taken as qid, a, b"
	for _, c := range []struct {
		of   *tree.Ensemble
		data string
		o    Layout
		want string
	}{
		{usesSecond, "0", Layout{}, "has feature 0, which did not vary"},
		{usesSecond, "1", Layout{}, ""},
		{usesSecond, "1", Layout{FeatureBase: 1}, "feature_base=1 makes feature 1 column 0, which did not vary"},
		{usesFirst(dataset.FromZero), "1", Layout{}, "no row that was looked at has feature 0"},
		{named, "1", Layout{}, numbers},
		{ofText, "1", Layout{}, ""},
		{named, "a.csv", Layout{}, ""},
		{named, "bare.csv", Layout{}, "has no names of columns, so they are taken in the order"},
	} {
		f, err := OpenFor(c.of, path(c.data), Options{Layout: c.o, NoLabels: true})
		require.NoError(t, err, c)
		meta, err := dataset.Describe(t.Context(), f)
		require.NoError(t, err)
		assert.Equal(t, f.Noticed(), meta.Remarks)
		if c.want == "" {
			assert.Empty(t, f.Noticed(), c)
			continue
		}
		require.Len(t, f.Noticed(), 1, c)
		assert.Contains(t, f.Noticed()[0], path(c.data)+": ")
		assert.Contains(t, f.Noticed()[0], c.want)
	}
	for _, c := range [][3]string{{"1", "0", "has feature 0, which did not vary in the training data"},
		{"0", "1", "no row that was looked at has feature 0, which the training data has"},
		{"a.csv", "1", numbers}} {
		loaded, err := loadFiles(ctx, binParams, LoadOptions{}, path(c[0]), path(c[1]))
		require.NoError(t, err)
		assert.Contains(t, fmt.Sprint(remarks(loaded.Validation[0])), c[2])
	}
	named.Features[0].Name = "z"
	loaded, err := loadFiles(ctx, binParams, LoadOptions{InitialModel: named}, path("1"))
	require.NoError(t, err)
	assert.Contains(t, fmt.Sprint(remarks(loaded.Training)), "those from 0 on are taken as z, a, b")
}

// TestNumberingGoesOn: data is numbered as the model that training continues from.
func TestNumberingGoesOn(t *testing.T) {
	path := folder(t, map[string]string{"1": numberedFrom(1, 0)})
	loaded, err := loadFiles(t.Context(), binParams,
		LoadOptions{InitialModel: usesFirst(dataset.FromOne)}, path("1"))
	require.NoError(t, err)
	assert.Equal(t, dataset.FromOne, loaded.Training.Meta.Numbering, "as the model that training continues from")
	_, err = loadFiles(t.Context(), binParams, LoadOptions{InitialModel: usesFirst(0)}, path("1"))
	assert.ErrorIs(t, err, ErrFeatureZero)

	invalid := usesFirst(0)
	invalid.Dictionaries = map[int][]string{len(invalid.Features): {"a"}}
	_, err = loadFiles(t.Context(), binParams, LoadOptions{InitialModel: invalid}, path("1"))
	assert.ErrorContains(t, err, "Dictionaries")
}

// TestWriteFeatureZero: text with feature 0 is written as it was read.
func TestWriteFeatureZero(t *testing.T) {
	f, err := Open(aid.File(t, "a.txt", "1 qid:1 0:0.5 1:2\n0 qid:1 1:3\n"), Options{})
	require.NoError(t, err)
	var out bytes.Buffer
	names := []string{"Column_0", "Column_1"}
	require.NoError(t, Write(t.Context(), &out, f,
		WriteOptions{Format: LETOR, Names: names, Numbering: f.Numbering}))
	assert.Equal(t, "1 qid:1 0:0.5 1:2\n0 qid:1 1:3\n", out.String())
	assert.Error(t, Write(t.Context(), &out, f, WriteOptions{Format: LETOR, Names: names}))
}
