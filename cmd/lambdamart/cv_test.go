package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCVRefuses(t *testing.T) {
	dir := folderWithData(t)
	writeFile(t, dir, "flat.txt", strings.Repeat("1 qid:1 1:2\n1 qid:1 1:3\n",
		3)+"0 qid:2 1:2\n1 qid:2 1:3\n0 qid:3 1:2\n0 qid:3 1:3\n")
	writeFile(t, dir, "short.txt", "1\n2\n")
	refuseAll(t, dir, []refusal{
		{2, "cv", "data is missing: give data=FILE"},
		{1, "cv data=train.txt folds=41",
			"folds=41: these folds cannot be used: 41 folds of 40 queries; take fewer folds"},
		{1, "cv data=train.txt folds=1", "there must be at least 2"},
		{1, "cv data=flat.txt folds=3", "do the grades of documents differ"},
		{1, "cv data=train.txt fold_file=short.txt",
			"short.txt: these folds cannot be used: 2 lines for 40 queries"},
		{1, "cv data=train.txt fold_file=absent.txt", "absent.txt"},
		{2, "cv data=train.txt fold_file=short.txt folds=3", "folds= is for folds that are drawn"},
		{2, "cv data=train.txt fold_file=short.txt fold_column=fold", "give one of them"},
		{1, "cv data=train.txt fold_column=fold", "it is not a table"},
		{2, "cv data=train.txt metric=none", "no metric decides"},
		{2, "cv data=train.txt num_leaves=1", "num_leaves=1: must be >= 2"},
		{2, "cv data=absent.txt boosting=dart patience=9", "boosting=dart and patience=9: "},
		{2, "cv data=absent.txt num_models=3 feature_fraction=0.5", "num_models=3: "},
		{2, "cv data=absent.txt first_metric_only=false", "first_metric_only=false: "},
		{2, "cv data=train.txt num_leafs=7", "num_leafs=7: unknown parameter; did you mean num_leaves?"},
		{2, "cv data=train.txt final_model=train.txt", "data=train.txt would be overwritten"},
		{1, "cv data=train.txt final_model=no/model.txt", "no"},
	}...)
	got := succeed(t, dir, append([]string{"cv", "data=train.txt", "metric_freq=3"}, fewRows...)...)
	assert.Contains(t, got.stderr, "warning: metric_freq has no effect here: every iteration is judged")
	got = succeed(t, dir, append([]string{"cv", "data=train.txt"}, "num_leaves=4", "min_data_in_leaf=5",
		"num_iterations=1")...)
	assert.Contains(t, got.stderr,
		"warning: the best iteration is the last one, 1: more may be better; raise num_iterations")
}
