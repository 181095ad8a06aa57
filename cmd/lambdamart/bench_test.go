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
}

func TestWrongUsesOfBench(t *testing.T) {
	dir := folderWithFolds(t)
	writeFile(t, dir, "bench.yaml", "data: data\nrankers: [lambdamart]\n")
	writeFile(t, dir, "inner.conf", "data = data\nranker_settings = lambdamart: num_leafs=3\n")
	refuseAll(t, dir, []refusal{
		{2, "bench", "data is missing: give data=FOLDER"},
		{2, "bench data=data", "rankers= names none; there are lambdamart"},
		{2, "bench data=data rankers=lamdamart", `ranker "lamdamart": unknown; there are lambdamart`},
		{2, "bench data=absent rankers=lambdamart", "absent"},
		{2, "bench data=data rankers=lambdamart seeds=0", "seeds=0: must be >= 1"},
		{2, "bench data=data rankers=lambdamart metric=ndcg@3,map", "one metric decides"},
		{2, "bench data=data rankers=lambdamart seed=3", "seed=3: the experiment decides this"},
		{2, "bench data=data rankers=lambdamart num_leafs=3", "did you mean num_leaves?"},
		{1, "bench data=data rankers=lambdamart output=data/Fold1/train.txt", "train.txt"},
		{2, "bench absent.conf", `"absent.conf": expected key=value`},
		{2, "bench bench.yaml", "bench read YAML until 2026-11-26; write key = value lines"},
		{2, "bench config=bench.yaml", "bench read YAML until 2026-11-26; write key = value lines"},
		{2, "bench config=inner.conf", "num_leafs=3 (ranker_settings, lambdamart): unknown parameter; did you " +
			"mean num_leaves?"},
		{2, "bench data=data ranker_settings=num_leaves=7", "want NAME: key=value key=value"},
		{2, "bench data=data rankers=ranknet max_seconds=9",
			"give num_iterations= and epochs= on the command line (tune: max_trainings=)"},
		{2, "bench data=data rankers=ranknet ranker_settings=a=lambdamart:",
			"ranker_settings: a is not among the rankers"},
	}...)
}

// TestBenchReadsNumbers: the error about a text column does not suggest options that bench lacks.
func TestBenchReadsNumbers(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "d"), 0o777))
	for _, name := range []string{"train.csv", "vali.csv", "test.csv"} {
		writeFile(t, dir, filepath.Join("d", name), "label,qid,c,x\n1,1,red,1\n0,1,blue,2\n1,2,red,3\n0,2,blue,1\n")
	}
	got := execute(t, dir, "bench", "data=d", "rankers=lambdamart", "seeds=1", "output=out")
	assert.Equal(t, 1, got.status)
	assert.Contains(t, got.stderr, `column "c": "red": the value is not a number (bench reads numbers alone`)
	assert.NotContains(t, got.stderr, "categorical_feature=")
}
