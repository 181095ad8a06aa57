package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// folderWithHoles returns a folder whose train.txt has NaN in features 1 and 2, and whose test.txt has NaN
// in features 1 and 3.
func folderWithHoles(t *testing.T) string {
	t.Helper()
	dir := folderWithData(t)
	for name, holes := range map[string][]string{"train.txt": {" 1:7 ", " 1:nan ", " 1:8 ", " 1:NaN ", " 2:2.3 ",
		" 2:nan "}, "test.txt": {" 1:7 ", " 1:nan ", " 3:5 ", " 3:nan "}} {
		writeFile(t, dir, name, strings.NewReplacer(holes...).Replace(readFile(t, dir, name)))
	}
	return dir
}

// TestMissingValuesOfTextAndBinnedData: the same data and parameters give the same model, from text or
// bins.
func TestMissingValuesOfTextAndBinnedData(t *testing.T) {
	dir := folderWithHoles(t)
	models := map[string]bool{}
	for _, missing := range [][]string{{}, {"zero_as_missing=true"}, {"use_missing=false"}} {
		args := append(append([]string{"train", "data=train.txt", "valid=test.txt", "output_model=text.txt"},
			fewRows...), missing...)
		ofText := succeed(t, dir, args...).stderr
		succeed(t, dir, append([]string{"bin", "data=train.txt", "valid=test.txt", "output=train.bin"},
			missing...)...)
		args[1], args[2], args[3] = "data=train.bin", "valid=test.txt.bin", "output_model=bin.txt"
		ofBins := succeed(t, dir, args[:4+len(fewRows)]...).stderr
		assert.Equal(t, readFile(t, dir, "text.txt"), readFile(t, dir, "bin.txt"), "%v", missing)
		models[readFile(t, dir, "bin.txt")] = true
		for _, stderr := range []string{ofText, ofBins} {
			assert.Contains(t, stderr, fmt.Sprintf("missing (NaN): %d values, of 2 features",
				countNaN(t, dir, "train.txt")))
			assert.Contains(t, stderr, fmt.Sprintf("missing (NaN): %d values, of 2 features",
				countNaN(t, dir, "test.txt")))
			warned := strings.Contains(stderr,
				"NaN counts as 0 in features that had none where bins were found: Column_3 (5 rows)")
			assert.Equal(t, len(missing) == 0, warned, "%v\n%s", missing, stderr)
		}
	}
	assert.Equal(t, 3, len(models), "what is missing makes a difference")
}

func countNaN(t *testing.T, dir, name string) int {
	t.Helper()
	return strings.Count(strings.ToLower(readFile(t, dir, name)), ":nan")
}

func TestWhatIsMissingIsFixedByBinning(t *testing.T) {
	dir := folderWithHoles(t)
	succeed(t, dir, "bin", "data=train.txt", "output=train.bin")
	succeed(t, dir, append([]string{"train", "data=train.bin", "use_missing=true"}, fewRows...)...)
	got := succeed(t, dir, append([]string{"train", "data=train.txt", "use_missing=false",
		"zero_as_missing=true"}, fewRows...)...)
	assert.Contains(t, got.stderr, "zero_as_missing=true has no effect while use_missing=false")
}
