package main

import (
	"encoding/json"
	"path/filepath"
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
