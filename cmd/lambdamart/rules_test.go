package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestStudiesStateTheirRule: what curve, select and tune show are averages over neighboring iterations, or
// values of the iteration that these choose, and the terminal says so; cv with a preset says that its models
// are no ensembles.
func TestStudiesStateTheirRule(t *testing.T) {
	dir := folderWithData(t)
	few := []string{"data=train.txt", "num_iterations=3", "num_leaves=3", "min_data_in_leaf=2", "folds=2"}
	const rule = "The best iteration is that with the largest average over the neighboring iterations, from " +
		"7/8 to 9/8"
	for command, more := range map[string][]string{"curve": nil, "select": nil, "tune": {"max_trainings=2"}} {
		got := succeed(t, dir, append(append([]string{command}, few...), more...)...)
		assert.Contains(t, got.stdout, rule, command)
	}
	got := succeed(t, dir, append([]string{"cv", "preset=auto"}, few[:4]...)...)
	assert.Contains(t, got.stderr, "cv judges one model a fold, and train preset=auto averages several")
	got = succeed(t, dir, append([]string{"cv", "output=other"}, few...)...)
	assert.NotContains(t, got.stderr, "one model a fold")
}

// TestGainsThatOverflow: eval and training refuse gains whose sums are infinite.
func TestGainsThatOverflow(t *testing.T) {
	dir := folderWithData(t)
	refuseAll(t, dir, []refusal{
		{2, "eval data=test.txt scores=test.txt label_gain=0,1e308,1.7e308,1.7e308,1.7e308", "at most 1e+290"},
		{2, "train data=train.txt label_gain=0,1e308,1.7e308,1.7e308,1.7e308", "at most 1e+290"},
	}...)
}
