package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// quickSelect are parameters of a short selection.
var quickSelect = []string{"select", "data=train.txt", "folds=3", "num_iterations=12", "patience=4",
	"num_leaves=4", "min_data_in_leaf=5", "output=out"}

// TestSelectWithOthers combines selection with lists by feature, stored bins, categories, weights, and
// validation sets that have fewer features.
func TestSelectWithOthers(t *testing.T) {
	dir := folderWithData(t)
	weights := strings.Repeat("1\n2\n0.5\n", 160)
	writeFile(t, dir, "train.txt.weight", weights)
	for _, more := range []string{
		"monotone_constraints=2:1 monotone_constraints_method=intermediate", "feature_contri=1:0.5,2:0",
		"interaction_constraints=[1,3],[2]", "categorical_feature=1,3", "max_bin_by_feature=1:9",
	} {
		succeed(t, dir, append(slices.Clip(quickSelect), strings.Fields(more)...)...)
		assert.Contains(t, readFile(t, dir, "out/result.json"), `"features": [`, more)
	}
	succeed(t, dir, "bin", "data=train.txt", "output=train.bin")
	succeed(t, dir, append([]string{"select", "data=train.bin"},
		append(quickSelect[2:], "final_model=final.txt")...)...)
	assert.FileExists(t, filepath.Join(dir, "final.txt"))
}
