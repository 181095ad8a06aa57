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
	succeed(t, dir, append([]string{"train", "data=train.txt", "num_leaves=4", "seed=3"}, strings.Fields(chosen)...)...)
	assert.Equal(t, preset, readFile(t, dir, "model.txt"))

	got = succeed(t, dir, "train", "data=train.txt", "valid=test.txt", "preset=auto", "verbosity=1")
	assert.Contains(t, got.stderr, "patience=100")
	got = succeed(t, dir, "train", "data=train.txt", "valid=test.txt", "preset=auto", "metric=none")
	assert.NotContains(t, got.stderr, "patience=100")
	got = succeed(t, dir, "cv", "data=train.txt", "folds=2", "preset=auto", "num_iterations=5", "patience=0")
	assert.Contains(t, readFile(t, dir, "train.txt-cv/result.json"), `"learning_rate": "0.05"`)
	assert.Contains(t, got.stderr, "preset auto: objective=query_rmse num_leaves=15 learning_rate=0.05")

	got = execute(t, dir, "train", "data=train.txt", "preset=auto", "ranker=listnet")
	assert.Contains(t, got.stderr, "preset=auto is for trees, but ranker=listnet is a network")
	got = execute(t, dir, "train", "data=train.txt", "preset=32-16")
	assert.Contains(t, got.stderr, "preset=32-16 is for networks, but ranker=lambdamart is trees")
	succeed(t, dir, "train", "data=train.txt", "preset=32-16", "ranker=listnet", "epochs=1")
	got = execute(t, dir, "train", "data=train.txt", "preset=best")
	assert.Contains(t, got.stderr, "preset=best")
	assert.NotZero(t, got.status)
}
