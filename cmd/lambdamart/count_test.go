package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestFeaturesAreCountedAsPeopleCount: column 0 of LETOR text that has no feature 0 is no feature, nor is a
// column of query ids; binned data, validation sets and models have the same number.
func TestFeaturesAreCountedAsPeopleCount(t *testing.T) {
	for _, c := range []struct{ text, more, want, used string }{
		{"0 qid:1 1:1 3:2\n1 qid:1 1:2\n0 qid:2 1:1 3:1\n1 qid:2 1:3\n", "",
			"(median 2), 3 features, numbered 1 to 3;", "used of 3"},
		{"0 qid:1 1:1 3:2\n1 qid:1 1:2\n0 qid:2 1:1 3:1\n1 qid:2 1:3\n", " feature_base=1",
			"(median 2), 3 features, numbered 1 to 3;", "used of 3"},
		{"0 qid:1 0:1 2:2\n1 qid:1 0:2\n0 qid:2 0:1 2:1\n1 qid:2 0:3\n", "",
			"(median 2), 3 features, numbered 0 to 2;", "used of 3"},
		{"label,qid,a,b\n0,1,1,2\n1,1,2,2\n0,2,1,5\n1,2,3,5\n", "", "(median 2), 2 features;", "used of 2"},
		{"label,qid,a,b,url\n0,1,1,2,1\n1,1,2,2,1\n0,2,1,5,1\n1,2,3,5,1\n", " ignore_column=name:url",
			"(median 2), 2 features;", "used of 2"},
		{"label,qid,a,b\n0,1,1,2\n1,1,2,2\n0,2,1,5\n1,2,3,5\n", " query_context=zscore",
			"(median 2), 4 features;", "used of 4"},
		{"0 qid:1 1:1 3:2\n1 qid:1 1:2\n0 qid:2 1:1 3:1\n1 qid:2 1:3\n", " query_context=zscore",
			"(median 2), 6 features;", "used of 6"},
	} {
		dir := t.TempDir()
		writeFile(t, dir, "t", c.text)
		more := strings.Fields(c.more)
		trained := succeed(t, dir, append([]string{"train", "data=t", "valid=t", "min_data_in_leaf=1",
			"num_iterations=1",
			"output_model=m.txt"}, more...)...)
		assert.Equal(t, 2, strings.Count(trained.stderr, c.want), "%v\n%s", c, trained.stderr)
		assert.Contains(t, trained.stderr, "of "+c.want[len("(median 2), "):][:1]+" features vary", c)
		assert.Contains(t, succeed(t, dir, "model", "m.txt").stdout, c.used, c)
		binned := succeed(t, dir, append([]string{"bin", "data=t", "output=t.bin"}, more...)...).stderr
		assert.Contains(t, binned, c.want, c)
		again := succeed(t, dir, "train", "data=t.bin", "min_data_in_leaf=1", "num_iterations=1",
			"output_model=2.txt").stderr
		counted, _, _ := strings.Cut(c.want, " features") // that 0 is the first one is not in the file
		assert.Contains(t, again, counted+" features", c)
	}
}
