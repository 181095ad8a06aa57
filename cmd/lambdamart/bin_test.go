package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestModelOfBinnedDataIsThatOfTheText: training on binned data, on text, or on a mix of both gives the
// same bytes if the binning parameters are the same.
func TestModelOfBinnedDataIsThatOfTheText(t *testing.T) {
	dir := folderWithData(t)
	binning := []string{"max_bin=7", "min_data_in_bin=2", "bin_construct_sample_cnt=100", "seed=5",
		"feature_base=1"}
	train := func(output string, args ...string) string {
		args = append(append([]string{"train", "patience=5", "num_threads=2", "seed=5", "output_model=" + output},
			fewRows...), args...)
		return succeed(t, dir, args...).stdout
	}
	stdout := train("text.txt", append(binning[:3:3], "feature_base=1", "data=train.txt", "valid=test.txt")...)
	succeed(t, dir, append([]string{"bin", "data=train.txt", "valid=test.txt", "output=train.bin"},
		binning...)...)

	want := readFile(t, dir, "text.txt")
	assert.Equal(t, strings.ReplaceAll(stdout, "test.txt", "test.txt.bin"),
		train("bin.txt", "data=train.bin", "valid=test.txt.bin"))
	assert.Equal(t, want, readFile(t, dir, "bin.txt"))
	train("mixed.txt", "data=train.bin", "valid=test.txt")
	assert.Equal(t, want, readFile(t, dir, "mixed.txt"))
	train("mixed.txt", append(binning[:3:3], "feature_base=1", "data=train.txt", "valid=test.txt.bin")...)
	assert.Equal(t, want, readFile(t, dir, "mixed.txt"))
}

func TestReferenceGivesItsBins(t *testing.T) {
	dir := folderWithData(t)
	writeFile(t, dir, "wide.txt", "1 qid:1 1:3 2:1.5 9:4\n0 qid:1 1:2 2:0.5 9:1\n")
	succeed(t, dir, "bin", "data=train.txt", "valid=test.txt", "output=train.bin", "max_bin=9")
	got := succeed(t, dir, "bin", "data=test.txt", "output=again.bin", "reference=train.bin")
	assert.Contains(t, got.stderr, "wrote again.bin (")
	assert.Equal(t, readFile(t, dir, "test.txt.bin"), readFile(t, dir, "again.bin"))
	assert.Contains(t, succeed(t, dir, "bin", "data=wide.txt", "output=wide.bin", "reference=train.bin").stderr,
		"5 features more than the training data; they are ignored")
	succeed(t, dir, append([]string{"train", "data=train.bin", "valid=wide.bin,again.bin"}, fewRows...)...)
}

func TestSeedOfBinsIsNoted(t *testing.T) {
	dir := folderWithData(t)
	succeed(t, dir, "bin", "data=train.txt", "output=train.bin", "bin_construct_sample_cnt=100", "seed=1")
	args := append([]string{"train", "data=train.bin"}, fewRows...)
	assert.Contains(t, succeed(t, dir, args...).stderr, "drawn with seed=1; seed=0 decides all other draws")
	assert.NotContains(t, succeed(t, dir, append(args, "seed=1")...).stderr, "drawn with seed")
}
