package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestEnsemblesAreOneModel: an ensemble's model has the trees of all its models, and eval agrees with what
// train
// printed.
func TestEnsemblesAreOneModel(t *testing.T) {
	dir := folderWithData(t)
	args := append([]string{"train", "data=train.txt", "valid=test.txt", "num_models=3",
		"model_objectives=lambdarank,xendcg",
		"feature_fraction=0.5", "eval_at=3"}, fewRows...)
	got := succeed(t, dir, args...)
	assert.Contains(t, got.stderr, "model 2 of 3: objective=rank_xendcg, seed 1, 10 trees")
	assert.Equal(t, 30, strings.Count(readFile(t, dir, "model.txt"), "\nTree="))
	judged := succeed(t, dir, "eval", "data=test.txt", "input_model=model.txt", "metric=ndcg@3")
	value := strings.Fields(judged.stdout)[1]
	assert.Contains(t, got.stdout, "ndcg@3 "+value)
	unjudged := append([]string{"train", "data=train.txt", "num_models=2", "feature_fraction=0.5",
		"output_model=m.txt"}, fewRows...)
	succeed(t, dir, unjudged...)
	failed := execute(t, dir, "train", "data=train.txt", "num_models=2", "min_data_in_leaf=1",
		"output_model=m.txt")
	assert.Equal(t, 1, failed.status)
	assert.Contains(t, failed.stderr, "model 2 would be the same as model 1")
}
