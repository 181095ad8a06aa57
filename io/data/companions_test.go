package data

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/io/data/internal/rows"
)

// TestCompanionsOfBinnedData: files beside binned data would be ignored, so they are errors.
func TestCompanionsOfBinnedData(t *testing.T) {
	for _, ending := range append(Companions(""), ".label.buy") {
		path := folder(t, map[string]string{"a.txt": asLETOR})
		loaded, err := loadFiles(t.Context(), binParams, LoadOptions{}, path("a.txt"))
		require.NoError(t, err)
		bin := path("a.bin")
		store(t, bin, loaded.loader, loaded.Training)
		require.NoError(t, loaded.Close())
		loaded, err = loadFiles(t.Context(), binParams, LoadOptions{}, bin)
		require.NoError(t, err)
		require.NoError(t, loaded.Close())
		require.NoError(t, stream.WriteFile(bin+ending, func(w io.Writer) error { return nil }))
		_, err = loadFiles(t.Context(), binParams, LoadOptions{}, bin)
		assert.ErrorIs(t, err, ErrStoredCompanion)
		assert.ErrorContains(t, err, "a.bin"+ending)
	}
}

// TestCompanionsOfXGBoost: .group and .base_margin are read as .query and .init. Both names are an error.
func TestCompanionsOfXGBoost(t *testing.T) {
	files := map[string]string{"a.txt": "1 1:2\n0 1:3\n1 1:1\n", "a.txt.group": "2\n1\n",
		"a.txt.base_margin": "0.5\n1\n2\n", "b.csv": "1,2\n0,3\n1,1\n", "b.csv.group": "2\n1\n"}
	path := folder(t, files)
	loaded, err := loadFiles(t.Context(), binParams, LoadOptions{}, path("a.txt"))
	require.NoError(t, err)
	assert.Equal(t, []dataset.Query{{ID: "0", Len: 2}, {ID: "1", First: 2, Len: 1}},
		loaded.Training.Meta.Queries)
	assert.Equal(t, []float64{.5, 1, 2}, loaded.Training.Meta.InitialScores)
	loaded, err = loadFiles(t.Context(), binParams, LoadOptions{}, path("b.csv"))
	require.NoError(t, err)
	assert.Len(t, loaded.Training.Meta.Queries, 2)
	for _, both := range []string{"a.txt.query", "a.txt.init"} {
		files[both] = "3\n"
		_, err := loadFiles(t.Context(), binParams, LoadOptions{}, folder(t, files)("a.txt"))
		assert.ErrorIs(t, err, rows.ErrTwo, both)
		delete(files, both)
	}
	files["a.txt.group"] = "2\n"
	_, err = loadFiles(t.Context(), binParams, LoadOptions{}, folder(t, files)("a.txt"))
	assert.ErrorContains(t, err, "a.txt.group: the numbers of rows")
}
