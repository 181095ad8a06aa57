package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// quickTune is the command line of a short search.
var quickTune = []string{"tune", "data=train.txt", "folds=3", "max_trainings=5", "num_iterations=20",
	"patience=5", "output=out"}

func TestTune(t *testing.T) {
	dir := folderWithData(t)
	args := append(quickTune, "final_model=final.txt", "lambda_l1=0.5", "stop_metric=ndcg@3", "metric=map",
		"metric_convention=catboost",
		"search=num_leaves=2..8 log,learning_rate=0.05..0.3 log", "search=min_data_in_leaf=2..9")
	got := succeed(t, dir, args...)
	assert.Contains(t, got.stderr, "note: searched: num_leaves = 2..8 log\n")
	assert.Contains(t, got.stderr, "wrote out/train.conf, out/report.html, out/trials.tsv, out/result.json")
	assert.Contains(t, got.stdout, "defaults")
	// The configuration that tune writes trains the final model.
	config := readFile(t, dir, "out/train.conf")
	assert.Contains(t, config, "data = train.txt\n")
	assert.Contains(t, config, "lambda_l1 = 0.5\n")
	assert.NotContains(t, config, "patience")
	trained := succeed(t, dir, "train", "config=out/train.conf", "output_model=same.txt")
	assert.NotContains(t, trained.stderr, "warning: stop_metric")
	assert.NotContains(t, trained.stderr, "warning: metric")
	assert.Equal(t, readFile(t, dir, "final.txt"), readFile(t, dir, "same.txt"))
	succeed(t, dir, "tune", "data=train.txt", "valid=test.txt", "max_trainings=4", "num_iterations=5",
		"output=valid",
		"final_model=final.txt")
	succeed(t, dir, "train", "config=valid/train.conf", "output_model=same.txt")
	assert.Equal(t, readFile(t, dir, "final.txt"), readFile(t, dir, "same.txt"),
		"no trace of the validation set")

	again := succeed(t, dir, append(args, "num_threads=1")...)
	assert.Contains(t, again.stderr, "note: continuing from the trials in out/trials\n")
	assert.Equal(t, got.stdout, again.stdout)
	assert.Equal(t, strings.ReplaceAll(readFile(t, dir, "out/train.conf"), "num_threads = 1\n", ""), config)
}

func TestTuneWarns(t *testing.T) {
	dir := folderWithData(t)
	writeFile(t, dir, "ids.txt", strings.ReplaceAll(letorText(10, 31), "1:", "1:3"))
	got := succeed(t, dir, "tune", "data=train.txt", "valid=ids.txt", "max_trainings=1", "num_iterations=3",
		"min_data_in_leaf=5")
	assert.Contains(t, got.stderr, "warning: 10 of 10 validation queries have the ids of training queries")

	unused := func(args ...string) string {
		return succeed(t, dir, append([]string{"tune", "data=train.txt", "folds=2", "max_trainings=1",
			"num_iterations=3", "min_data_in_leaf=5"}, args...)...).stderr
	}
	assert.Contains(t, unused("query_context_features=1"),
		"warning: query_context_features=1 has no effect without query_context")
	assert.Contains(t, unused("bagging_fraction=0.5"),
		"warning: bagging_fraction=0.5 has no effect while bagging_freq=0")
	assert.NotContains(t, unused("yetirank_mode=ndcg"), "has no effect",
		"one of the objectives that are searched uses it")
}

// TestTuneSearchesSums: a value of a search may have commas, as a weighted sum of objectives does.
func TestTuneSearchesSums(t *testing.T) {
	dir := folderWithData(t)
	const sum = "lambdarank:1,query_rmse:0.5"
	got := succeed(t, dir, append(quickTune, "final_model=final.txt",
		"search=objective="+sum+"|lambdarank,num_leaves=4")...)
	assert.Contains(t, got.stderr, "note: searched: objective = "+sum+" | lambdarank\n")
	got = execute(t, dir, append(quickTune, "search=3,num_leaves=4")...)
	assert.Contains(t, got.stderr, `search: "3": expected key=value`)
}
