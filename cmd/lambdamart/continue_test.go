package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAnnouncedMemory: the memory that a run announces is a range if nobody knows how many trees it trains,
// and counts the trees from which it continues.
func TestAnnouncedMemory(t *testing.T) {
	dir := folderWithData(t)
	const few = "num_leaves=4 min_data_in_leaf=5 learning_rate=0.001 num_iterations="
	announced := func(args string) string {
		said := succeed(t, dir, strings.Fields("train data=train.txt output_model=new.txt "+args)...).stderr
		found := regexp.MustCompile(`about (.*) MB of memory to train`).FindStringSubmatch(said)
		require.Len(t, found, 2, said)
		return found[1]
	}
	one := announced(few + "1")
	assert.Regexp(t, `^\d+$`, one)
	assert.Equal(t, one, announced(few+"2"))
	least, most, is := strings.Cut(announced(few+"5000 valid=train.txt patience=1"), " to ")
	assert.True(t, is)
	assert.Equal(t, one, least)
	assert.Equal(t, most, announced(few+"5000"))
	require.NoError(t, os.Rename(dir+"/new.txt", dir+"/old.txt"))
	assert.Equal(t, most, announced(few+"1 input_model=old.txt"))
	_, endless, _ := strings.Cut(announced(few+"9223372036854775807 valid=train.txt patience=1"), " to ")
	assert.Equal(t, "9,223,372,036,855", endless)
}

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

// TestSavedFeatureImportance: each run decides the importances of its model file, also where it continues a
// model or refits it.
func TestSavedFeatureImportance(t *testing.T) {
	dir := folderWithData(t)
	const line = "[saved_feature_importance_type: 1]"
	for _, c := range []struct {
		args string
		gain bool
	}{{"train num_iterations=2 output_model=gain", true},
		{"train num_iterations=2 input_model=gain output_model=plain", false},
		{"train num_iterations=2 input_model=plain output_model=m", true},
		{"refit input_model=plain output_model=m", true}} {
		args := append(strings.Fields(c.args), "data=train.txt")
		if c.gain {
			args = append(args, "saved_feature_importance_type=1")
		}
		succeed(t, dir, args...)
		assert.Equal(t, c.gain, strings.Contains(readFile(t, dir, strings.Split(c.args, "output_model=")[1]), line),
			c.args)
	}
}
