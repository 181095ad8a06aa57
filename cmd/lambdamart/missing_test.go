package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestMissingValuesAreSaid: how many there are in text and in bins, and where they count as 0. train.txt has
// NaN in features 1 and 2, and test.txt in features 1 and 3.
func TestMissingValuesAreSaid(t *testing.T) {
	dir := folderWithData(t)
	counts := []string{}
	for name, holes := range map[string][]string{
		"train.txt": {" 1:7 ", " 1:nan ", " 1:8 ", " 1:NaN ", " 2:2.3 ", " 2:nan "},
		"test.txt":  {" 1:7 ", " 1:nan ", " 3:5 ", " 3:nan "},
	} {
		text := strings.NewReplacer(holes...).Replace(readFile(t, dir, name))
		writeFile(t, dir, name, text)
		counts = append(counts, fmt.Sprintf("missing (NaN): %d values, of 2 features",
			strings.Count(strings.ToLower(text), ":nan")))
	}
	for _, missing := range []string{"", "zero_as_missing=true", "use_missing=false"} {
		given := strings.Fields("data=train.txt valid=test.txt " + missing)
		succeed(t, dir, append([]string{"bin", "output=train.bin"}, given...)...)
		for _, data := range [][]string{given, {"data=train.bin", "valid=test.txt.bin"}} {
			said := succeed(t, dir, append(append([]string{"train"}, fewRows...), data...)...).stderr
			for _, count := range counts {
				assert.Contains(t, said, count)
			}
			warned := strings.Contains(said,
				"NaN counts as 0 in features that had none where bins were found: Column_3 (5 rows)")
			assert.Equal(t, missing == "", warned, "%v\n%s", missing, said)
		}
	}
	got := succeed(t, dir, append([]string{"train", "data=train.txt", "use_missing=false",
		"zero_as_missing=true"}, fewRows...)...)
	assert.Contains(t, got.stderr, "zero_as_missing=true has no effect while use_missing=false")
}
