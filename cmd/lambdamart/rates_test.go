package main

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestContinuingBeginsWithTheFirstRate: learning_rates are those of the trees of a run, as docs/trees.md
// says.
func TestContinuingBeginsWithTheFirstRate(t *testing.T) {
	dir := folderWithData(t)
	rates := []string{"train", "data=train.txt", "learning_rates=0.5,0.25", "num_iterations=2",
		"min_data_in_leaf=2"}
	succeed(t, dir, append(rates, "output_model=first.txt")...)
	succeed(t, dir, append(rates, "input_model=first.txt", "output_model=second.txt")...)
	found := regexp.MustCompile(`(?m)^shrinkage=.*`).FindAllString(readFile(t, dir, "second.txt"), -1)
	assert.Equal(t, []string{"shrinkage=0.5", "shrinkage=0.25", "shrinkage=0.5", "shrinkage=0.25"}, found)
}
