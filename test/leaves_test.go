package test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/dmitryikh/leaves"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/tree"
)

// dataFolder returns the folder of the real data sets, which are not part of this repository.
func dataFolder() string {
	if folder := os.Getenv("LAMBDAMART_DATA"); folder != "" {
		return folder
	}
	return filepath.Join("..", "..", "shared", "data")
}

// TestLeavesScoresOurModelsAlike trains on a set, writes the model, and scores the rows of the test part
// with leaves. Every score must equal this library's in every bit, both from the plain walk and from the
// compiled scorer.
func TestLeavesScoresOurModelsAlike(t *testing.T) {
	path := func(parts ...string) string { return filepath.Join(append([]string{dataFolder()}, parts...)...) }
	for _, set := range []struct{ name, train, test string }{
		{"shipped", trainFile, testFile},
		{"MQ2008 fold 1", path("mq2008", "Fold1", "train.txt"), path("mq2008", "Fold1", "test.txt")},
		{"MQ2008 fold 2", path("mq2008", "Fold2", "train.txt"), path("mq2008", "Fold2", "test.txt")},
		{"MSLR sample", path("mslr-web30k-sample", "train.txt"), path("mslr-web30k-sample", "test.txt")},
		{"LightGBM example", path("lightgbm-lambdarank", "rank.train"), path("lightgbm-lambdarank", "rank.test")},
	} {
		t.Run(set.name, func(t *testing.T) {
			if _, err := os.Stat(set.train); err != nil {
				t.Skip("no real data: set LAMBDAMART_DATA to its folder")
			}
			source, err := data.Open(set.train, data.Options{})
			require.NoError(t, err)
			defer source.Close()
			model := fit(t, source, lambdamart.DefaultParams())
			checkLeaves(t, model, denseRows(t, set.test, model.NumFeatures()))
		})
	}
}

// fit trains on a source.
func fit(t *testing.T, source dataset.Source, p lambdamart.Params) *tree.Ensemble {
	t.Helper()
	d, err := lambdamart.Bin(t.Context(), p, source)
	require.NoError(t, err)
	defer d.Close()
	result, err := lambdamart.Train(t.Context(), p, d)
	require.NoError(t, err)
	return result.Model
}

// denseRows reads all rows of a file, one value for each of the model's features.
func denseRows(t *testing.T, path string, features int) [][]float64 {
	t.Helper()
	source, err := data.Open(path, data.Options{})
	require.NoError(t, err)
	defer source.Close()
	meta, err := dataset.Describe(t.Context(), source)
	require.NoError(t, err)
	rows := make([][]float64, meta.NumRows())
	_, err = dataset.Scan(t.Context(), source, nil, func(_ int, row dataset.Row) error {
		values := make([]float64, features)
		for i, feature := range row.Feature {
			if int(feature) < features {
				values[feature] = row.Value[i]
			}
		}
		rows[row.Number] = values
		return nil
	})
	require.NoError(t, err)
	return rows
}

func checkLeaves(t *testing.T, e *tree.Ensemble, rows [][]float64) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.txt")
	var text bytes.Buffer
	require.NoError(t, model.Write(&text, e))
	require.NoError(t, os.WriteFile(path, text.Bytes(), 0o644))
	theirs, err := leaves.LGEnsembleFromFile(path, false)
	require.NoError(t, err)
	compiled, err := tree.Compile(e)
	require.NoError(t, err)
	for number, row := range rows {
		want := theirs.PredictSingle(row, 0)
		walked, err := e.ScoreRow(row)
		require.NoError(t, err)
		fast := make([]float64, 1)
		require.NoError(t, compiled.Score(fast, row))
		require.Equal(t, want, walked, "row %d", number)
		require.Equal(t, want, fast[0], "row %d", number)
	}
	assert.NotEmpty(t, rows)
}
