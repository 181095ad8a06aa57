package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPreset(t *testing.T) {
	dir := folderWithData(t)
	got := succeed(t, dir, "train", "data=train.txt", "preset=auto", "num_leaves=4", "seed=3")
	chosen := ""
	for line := range strings.Lines(got.stderr) {
		if rest, ok := strings.CutPrefix(line, "preset auto: "); ok {
			chosen = strings.TrimSpace(rest)
		}
	}
	assert.Contains(t, chosen, "learning_rate=0.05")
	assert.NotContains(t, chosen, "num_leaves")
	assert.NotContains(t, chosen, "patience")
	preset := readFile(t, dir, "model.txt")
	succeed(t, dir, append([]string{"train", "data=train.txt", "num_leaves=4", "seed=3"},
		strings.Fields(chosen)...)...)
	assert.Equal(t, preset, readFile(t, dir, "model.txt"))

	got = succeed(t, dir, "train", "data=train.txt", "valid=test.txt", "preset=auto", "verbosity=1")
	assert.Contains(t, got.stderr, "patience=100")
	assert.NotContains(t, got.stderr, "trains one model")
	for given, why := range map[string]string{"num_leaves=4": "num_leaves is given",
		"sigmoid=2":             "sigmoid is given, which objective=rank_xendcg lacks",
		"categorical_feature=1": "features are categorical"} {
		got = succeed(t, dir, "train", "data=train.txt", "preset=best", "query_context=", "num_iterations=1", given)
		assert.Contains(t, got.stderr, "note: preset=best trains one model, not the mean of several losses: "+why)
	}
	got = execute(t, dir, "train", "data=train.txt", "valid=test.txt", "preset=auto", "constraint=ndcg@5>=.1")
	assert.Contains(t, got.stderr, "trains one model, not the mean of several losses: constraint is given")
	assert.Contains(t, got.stderr, "is not a sum that trains on its label and on another one; give a sum")
	got = succeed(t, dir, "train", "data=train.txt", "preset=best", "num_iterations=1")
	assert.Contains(t, got.stderr, "preset best: query_context=rank,zscore\n")
	assert.Contains(t, got.stderr, "preset best: num_models=16")
	got = succeed(t, dir, "train", "data=train.txt", "valid=test.txt", "preset=auto", "metric=none")
	assert.NotContains(t, got.stderr, "patience=100")
	got = succeed(t, dir, "cv", "data=train.txt", "folds=2", "preset=auto", "num_iterations=5", "patience=0")
	assert.Contains(t, readFile(t, dir, "train.txt-cv/result.json"), `"learning_rate": "0.05"`)
	assert.Contains(t, got.stderr, "preset auto: objective=query_rmse num_leaves=15 learning_rate=0.05")

	succeed(t, dir, "train", "data=train.txt", "preset=32-16", "ranker=listnet", "epochs=1")
}

// TestPresetDecidesWarnings: warnings consider the parameters that training uses, including those that the
// preset chooses.
func TestPresetDecidesWarnings(t *testing.T) {
	dir := folderWithData(t)
	given := []string{"bagging_seed=3", "feature_fraction_seed=3"}
	for _, command := range []string{"train", "cv folds=2 output=plain"} {
		args := append(strings.Fields(command), "data=train.txt", "num_iterations=3")
		got := succeed(t, dir, append(append(args, "preset=auto"), given...)...)
		assert.NotContains(t, got.stderr, "no effect", command)
		got = succeed(t, dir, append(append(args, "preset=none"), given...)...)
		for _, setting := range given {
			assert.Contains(t, got.stderr, "warning: "+setting+" has no effect", command)
		}
	}
	got := succeed(t, dir, "train", "data=train.txt", "preset=auto", "num_iterations=3", "bagging_fraction=0.5")
	assert.Contains(t, got.stderr, "warning: bagging_fraction=0.5 has no effect while bagging_freq=0")
}

// TestDefaultsAreNamed: if no parameter of trees is given, one line suggests the preset.
func TestDefaultsAreNamed(t *testing.T) {
	dir := folderWithData(t)
	const line = "trees have LightGBM's defaults; preset=auto would be, for data of this size, num_models=4 "
	for _, args := range []string{"", "num_iterations=3", "objective=rank_xendcg",
		"max_bin=15 seed=3 metric=map"} {
		got := succeed(t, dir, append([]string{"train", "data=train.txt", "verbosity=1"},
			strings.Fields(args)...)...)
		if strings.HasPrefix(args, "objective") {
			assert.Contains(t, got.stderr, "for data of this size, num_leaves=15 ")
			continue
		}
		assert.Equal(t, 1, strings.Count(got.stderr, line), args)
	}
	for _, args := range []string{"num_leaves=4", "learning_rates=0.1", "preset=none", "preset=auto",
		"num_models=2 feature_fraction=0.5", "boosting=dart", "verbosity=0"} {
		got := succeed(t, dir, append([]string{"train", "data=train.txt", "num_iterations=3"},
			strings.Fields(args)...)...)
		assert.NotContains(t, got.stderr, "LightGBM's defaults", args)
	}
}
