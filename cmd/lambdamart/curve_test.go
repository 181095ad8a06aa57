package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestKilledCurveGoesOn: a killed curve resumes after the completed shares and writes the same bytes.
func TestKilledCurveGoesOn(t *testing.T) {
	args := []string{"curve", "data=train.txt", "folds=3", "shares=0.2,0.4,0.6,0.8,1", "num_iterations=200",
		"num_leaves=8", "min_data_in_leaf=2", "patience=0", "output=out"}
	dir := folderWithData(t)
	want := succeed(t, dir, args...)
	stopAndGoOn(t, "out/shares/*.json", 2, args, func(stopped string, again outcome) {
		assert.Equal(t, want.stdout, again.stdout)
		assert.Equal(t, readFile(t, dir, "out/result.json"), readFile(t, stopped, "out/result.json"))
	})
}
