package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCurve(t *testing.T) {
	dir := folderWithData(t)
	args := []string{"curve", "data=train.txt", "folds=2", "num_iterations=12", "patience=4", "num_leaves=4", "min_data_in_leaf=5", "output=out"}
	got := succeed(t, dir, append(args, "shares=0.4,1", "report=page.html", "final_model=final.txt")...)
	var result struct {
		Finding string `json:"finding"`
		Shares  []struct {
			Share float64 `json:"share"`
			Best  int     `json:"best_iteration"`
		} `json:"shares"`
	}
	require.NoError(t, json.Unmarshal([]byte(readFile(t, dir, "out/result.json")), &result))
	require.Len(t, result.Shares, 2)
	assert.Contains(t, got.stdout, result.Finding)
	assert.Contains(t, readFile(t, dir, "page.html"), "Do more queries help?")
	assert.Equal(t, 3, strings.Count(readFile(t, dir, "out/shares.tsv"), "\n"))
	assert.Equal(t, readFile(t, dir, "out/result.json"), succeed(t, dir, append(args, "shares=0.4,1", "json=true")...).stdout)

	// A share that cannot be trained does not end the others, and the exit status says that it is not there.
	failed := execute(t, dir, append(args, "shares=0.000001,0.4,1")...)
	assert.Equal(t, 1, failed.status)
	assert.Contains(t, failed.stderr, "lambdamart: share 1e-06: ")
	assert.Contains(t, failed.stdout, "0.4")
	assert.Equal(t, 2, execute(t, dir, append(args, "shares=1,0.4")...).status)
}

// TestKilledCurveGoesOn: from the shares that are done, to the same bytes.
func TestKilledCurveGoesOn(t *testing.T) {
	args := []string{"curve", "data=train.txt", "folds=3", "shares=0.2,0.4,0.6,0.8,1", "num_iterations=200", "num_leaves=8", "min_data_in_leaf=2", "patience=0", "output=out"}
	dir := folderWithData(t)
	want := succeed(t, dir, args...)
	stopAndGoOn(t, "out/shares/*.json", 2, args, func(stopped string, again outcome) {
		assert.Equal(t, want.stdout, again.stdout)
		assert.Equal(t, readFile(t, dir, "out/result.json"), readFile(t, stopped, "out/result.json"))
	})
}
