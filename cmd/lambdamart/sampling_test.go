package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRowSamplingIsSaid: above 40,000 rows, every command that trains states once that trees may grow on
// fewer. With active_fraction=1 none does.
func TestRowSamplingIsSaid(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder"), 0o777))
	writeLarge(t, dir, "folder/train.txt", 2500) // 100,000 rows
	writeLarge(t, dir, "folder/vali.txt", 20)
	writeLarge(t, dir, "folder/test.txt", 20)
	few := "num_iterations=1 patience=0"
	const says = "trees grow on every row, or on fewer down to 1 row of %s where"
	for _, c := range []struct{ args, share string }{
		{"train data=folder/train.txt", "25"},
		{"cv data=folder/train.txt folds=2 output=cv", "12.5"},
		{"tune data=folder/train.txt folds=2 max_trainings=2 search=num_leaves=2..3 output=tune", "12.5"},
		{"tune data=folder/train.txt valid=folder/vali.txt max_trainings=2 search=num_leaves=2..3 " +
			"output=tune-valid", "25"},
		{"select data=folder/train.txt folds=2 output=select", "12.5"},
		{"bench data=folder rankers=lambdamart seeds=2 output=bench", "25"},
	} {
		args := strings.Fields(c.args + " " + few)
		got := succeed(t, dir, args...).stderr
		assert.Equal(t, 1, strings.Count(got, fmt.Sprintf(says, c.share)), "%s: %s", c.args, got)
		assert.Equal(t, 1, strings.Count(got, "trees grow on"), "%s: %s", c.args, got)
	}
	assert.Contains(t, succeed(t, dir, strings.Fields("train data=folder/train.txt "+few)...).stderr,
		"rows that trees grew on:")
	all := succeed(t, dir, strings.Fields("train data=folder/train.txt active_fraction=1 "+few)...).stderr
	assert.NotContains(t, all, "trees grow on")
}

// writeLarge writes queries of 40 documents with two features.
func writeLarge(t *testing.T, dir, name string, queries int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 5))
	var b strings.Builder
	for q := range queries {
		for range 40 {
			a := rng.IntN(100)
			fmt.Fprintf(&b, "%d qid:%d 1:%d 2:%d\n", a/40, q, a, rng.IntN(100))
		}
	}
	writeFile(t, dir, name, b.String())
}
