package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// folderWithFolds returns a new folder with a data set of two folds.
func folderWithFolds(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for i, fold := range []string{"Fold1", "Fold2"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "data", fold), 0o777))
		for part, queries := range map[string]int{"train": 30, "vali": 10, "test": 10} {
			writeFile(t, dir, filepath.Join("data", fold, part+".txt"), letorText(queries, 1000*i+100*len(part)))
		}
	}
	writeFile(t, dir, "bench.conf", `data = data
output = out
seeds = 2
num_leaves = 4
min_data_in_leaf = 5
num_iterations = 10
rankers = lambdamart,bagged
ranker_settings = bagged=lambdamart: bagging_fraction=0.5 bagging_freq=1
`)
	return dir
}

// TestBench: arguments select rankers of ranker_settings by name, and the command line takes precedence over
// the file.
func TestBench(t *testing.T) {
	got := succeed(t, folderWithFolds(t), "bench", "config=bench.conf", "rankers=bagged", "seeds=1",
		"num_iterations=3",
		"metric=map@5", "eval_at=2,4", "verbosity=0")
	assert.Empty(t, got.stderr)
	assert.Contains(t, got.stdout, "map@5")
	assert.NotContains(t, got.stdout, "lambdamart")

	got = execute(t, folderWithFolds(t), "bench", "config=bench.conf", "preset=best")
	assert.Equal(t, 2, got.status)
	assert.Contains(t, got.stderr, "preset=best: presets of trees are not for bench, where the ranker")
}
