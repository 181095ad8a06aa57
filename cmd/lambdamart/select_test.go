package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// quickSelect are parameters of a short selection.
var quickSelect = []string{"select", "data=train.txt", "folds=3", "num_iterations=12", "patience=4",
	"num_leaves=4", "min_data_in_leaf=5", "output=out"}

// selected is the part of result.json that the tests read.
type selected struct {
	Features []string `json:"features"`
	Best     int      `json:"best_iteration"`
	Steps    []struct {
		State string `json:"state"`
	} `json:"steps"`
}

func selection(t *testing.T, dir string) (s selected) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(readFile(t, dir, "out/result.json")), &s))
	return s
}

func TestSelect(t *testing.T) {
	dir := folderWithData(t)
	args := append(quickSelect, "final_model=final.txt", "report=page.html")
	got := succeed(t, dir, args...)
	s := selection(t, dir)
	assert.Equal(t, []string{"Column_2"}, s.Features, "the feature that has the grade after its point")
	assert.Equal(t, "Column_2\n", readFile(t, dir, "out/features.txt"))
	assert.Equal(t, len(s.Steps)+1, strings.Count(readFile(t, dir, "out/steps.tsv"), "\n"))
	assert.Equal(t, 4, strings.Count(readFile(t, dir, "out/features.tsv"), "\n"),
		"Column_0 and Column_4 are constant")
	assert.Contains(t, readFile(t, dir, "page.html"), "Which features are needed?")

	// The final model equals the model trained on data with this feature alone.
	var alone strings.Builder
	for line := range strings.Lines(readFile(t, dir, "train.txt")) {
		fields := strings.Fields(line)
		alone.WriteString(strings.Join([]string{fields[0], fields[1], fields[3], "4:1"}, " ") + "\n")
	}
	writeFile(t, dir, "alone.txt", alone.String())
	best := "num_iterations=" + strconv.Itoa(s.Best)
	succeed(t, dir, "train", "data=alone.txt", best, "num_leaves=4", "min_data_in_leaf=5",
		"output_model=same.txt")
	assert.Equal(t, treeText(readFile(t, dir, "same.txt")), treeText(readFile(t, dir, "final.txt")))

	again := succeed(t, dir, append(args, "num_threads=1")...)
	assert.Contains(t, again.stderr, "note: continuing from the steps in out/steps\n")
	assert.Equal(t, got.stdout, again.stdout)

	printed := succeed(t, dir, append(args, "json=true")...)
	assert.Equal(t, readFile(t, dir, "out/result.json"), printed.stdout)
}

// treeText returns the part of a model with its trees.
func treeText(model string) string {
	_, after, _ := strings.Cut(model, "\nTree=0\n")
	trees, _, _ := strings.Cut(after, "\nend of trees")
	return trees
}

func TestSelectRefuses(t *testing.T) {
	dir := folderWithData(t)
	writeFile(t, dir, "flat.txt", "0 qid:1 1:2\n1 qid:1 1:2\n0 qid:2 1:2\n1 qid:2 1:2\n")
	refuseAll(t, dir, []refusal{
		{1, "select data=train.txt num_features=3",
			"this many features cannot be selected: 3 of the 3 features that vary"},
		{2, "select data=train.txt num_features=-1", "num_features=-1"},
		{2, "select data=train.txt max_trainings=9", "the selection ends with a set that is worse"},
		{2, "select data=train.txt keep=1", "select always chose these features until"},
		{2, "select data=train.txt select_by=luck",
			"select_by=luck: unknown parameter: it chose the importance by which select left features out until"},
		{1, "select data=flat.txt folds=2 num_iterations=3", "0 features of the data vary"},
		{2, "select data=train.txt input_model=x.txt", "every set of features is trained from the beginning"},
		{2, "select data=absent.txt boosting=dart patience=0", "boosting=dart: "},
		{2, "select data=absent.txt query_context=rank", "lambdamart transform"},
	}...)
	got := succeed(t, dir, append(quickSelect, "metric_freq=2")...)
	assert.Contains(t, got.stderr, "warning: metric_freq has no effect here")
}

// TestSelectWithOthers combines selection with lists by feature, stored bins, categories, weights, and
// validation
// sets that have fewer features.
func TestSelectWithOthers(t *testing.T) {
	dir := folderWithData(t)
	weights := strings.Repeat("1\n2\n0.5\n", 160)
	writeFile(t, dir, "train.txt.weight", weights)
	for _, more := range []string{
		"monotone_constraints=2:1 monotone_constraints_method=intermediate", "feature_contri=1:0.5,2:0",
		"interaction_constraints=[1,3],[2]",
		"categorical_feature=1,3", "max_bin_by_feature=1:9", "active_fraction=0.5",
		"bagging_freq=1 bagging_fraction=0.6", "feature_fraction=0.4",
		"objective=yetirank", "extra_trees=true", "zero_as_missing=true", "grow_policy=depthwise",
	} {
		succeed(t, dir, append(append([]string{}, quickSelect...), strings.Fields(more)...)...)
		assert.NotEmpty(t, selection(t, dir).Features, more)
	}
	succeed(t, dir, "bin", "data=train.txt", "output=train.bin")
	succeed(t, dir, append([]string{"select", "data=train.bin"},
		append(quickSelect[2:], "final_model=final.txt")...)...)
	assert.FileExists(t, filepath.Join(dir, "final.txt"))
}

// TestKilledSelectGoesOn: a killed select resumes and gives the same results, except for times.
func TestKilledSelectGoesOn(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: takes seconds")
	}
	args := []string{"select", "data=train.txt", "folds=3", "num_iterations=300", "patience=0", "output=out",
		"min_data_in_leaf=5", "num_features=1"}
	dir := folderWithData(t)
	want := succeed(t, dir, args...)
	stopAndGoOn(t, "out/steps/*.json", 1, args, func(stopped string, again outcome) {
		assert.Equal(t, want.stdout, again.stdout)
		assert.Contains(t, again.stderr, "continuing from the steps")
		assert.Equal(t, readFile(t, dir, "out/steps.tsv"), readFile(t, stopped, "out/steps.tsv"))
	})
	damaged, err := filepath.Glob(filepath.Join(dir, "out", "steps", "*.json"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(damaged[0], []byte(`{"key": "x"}`), 0o666))
	assert.Contains(t, execute(t, dir, args...).stderr,
		"not a result of this study: format 0: another version of the program wrote it")
}
