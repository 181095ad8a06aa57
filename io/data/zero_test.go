package data

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
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
		assert.Len(t, f.Remarks, c.remarks, c)
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
	m := usesFirst(dataset.Unnumbered)
	m.Trees[0].Feature[0], m.Features[0].Range = 1, "none"
	f, err := OpenFor(m, path("0"), Options{})
	require.NoError(t, err)
	require.Len(t, f.Remarks, 1)
	assert.Contains(t, f.Remarks[0], "has feature 0, which did not vary where the model was trained")
}

// TestOtherNumbering: data with feature 0 beside training data without it is probably shifted.
func TestOtherNumbering(t *testing.T) {
	path := folder(t, map[string]string{"0": numberedFrom(0, 0), "1": numberedFrom(1, 0)})
	loaded, err := loadFiles(t.Context(), binParams, LoadOptions{}, path("1"), path("0"))
	require.NoError(t, err)
	assert.Contains(t, fmt.Sprint(loaded.Validation[0].Remarks),
		"has feature 0, which does not vary in the training")
	loaded, err = loadFiles(t.Context(), binParams,
		LoadOptions{InitialModel: usesFirst(dataset.FromOne)}, path("1"))
	require.NoError(t, err)
	assert.Equal(t, dataset.FromOne, loaded.Training.Meta.Numbering, "as the model that training continues from")
	_, err = loadFiles(t.Context(), binParams, LoadOptions{InitialModel: usesFirst(0)}, path("1"))
	assert.ErrorIs(t, err, ErrFeatureZero)
}

// TestWriteFeatureZero: text with feature 0 is written as it was read.
func TestWriteFeatureZero(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	write(t, filepath.Dir(path), "a.txt", "1 qid:1 0:0.5 1:2\n0 qid:1 1:3\n")
	f, err := Open(path, Options{})
	require.NoError(t, err)
	var out bytes.Buffer
	names := []string{"Column_0", "Column_1"}
	require.NoError(t, Write(t.Context(), &out, f,
		WriteOptions{Format: LETOR, Names: names, Numbering: f.Numbering}))
	assert.Equal(t, "1 qid:1 0:0.5 1:2\n0 qid:1 1:3\n", out.String())
	assert.Error(t, Write(t.Context(), &out, f, WriteOptions{Format: LETOR, Names: names}))
}
