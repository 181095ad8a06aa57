package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMemoryLimit: a training run that needs more memory than the limit is an error before it begins. Stored
// bins count.
func TestMemoryLimit(t *testing.T) {
	dir := t.TempDir()
	var text strings.Builder
	for row := range 3000 {
		fmt.Fprintf(&text, "%d qid:%d", row%3, row/30)
		for f := range 100 {
			fmt.Fprintf(&text, " %d:%d", f+1, (row*(2*f+7)+f)%2003)
		}
		text.WriteString("\n")
	}
	writeFile(t, dir, "train.txt", text.String())
	limited := func(bytes string, args ...string) outcome {
		c := command(t, dir, args...)
		c.Env = append(c.Env, "GOMEMLIMIT="+bytes)
		return ended(t, c)
	}
	train := []string{"train", "data=train.txt", "num_iterations=1", "min_data_in_leaf=1", "num_leaves=800"}
	got := limited("60MiB", train...)
	assert.Equal(t, exitFailure, got.status)
	assert.Regexp(t, `lambdamart: not enough memory: training needs about \d\d MB, and may use 56 MB, `+
		`nine tenths of GOMEMLIMIT: smaller num_leaves=`, got.stderr)
	assert.NoFileExists(t, filepath.Join(dir, "model.txt"))
	got = limited("2MiB", train...)
	assert.Contains(t, got.stderr, "not enough memory: finding the bins of the features needs about ")
	for _, enough := range []string{"off", "400MiB"} {
		assert.Zero(t, limited(enough, train...).status)
	}
	few := append(train[:4:4], "num_leaves=4")
	assert.Zero(t, limited("60MiB", few...).status)
	succeed(t, dir, "bin", "data=train.txt", "output=train.bin")
	few[1] = "data=train.bin"
	assert.Zero(t, limited("60MiB", few...).status)
	got = limited("1600000B", few...)
	assert.Equal(t, exitFailure, got.status)
	assert.Contains(t, got.stderr,
		"not enough memory: training needs about 3 MB, and may use 1 MB, nine tenths of GOMEMLIMIT: ")
	got = limited("200000B", "bin", "data=train.txt", "output=other.bin")
	assert.Contains(t, got.stderr, "not enough memory: ")
	assert.NoFileExists(t, filepath.Join(dir, "other.bin"))

	network := []string{"train", "data=train.txt", "ranker=ranknet", "epochs=1", "valid=train.txt",
		"output_model=model.txt"}
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "model.txt")))
	got = limited("1MiB", network...)
	assert.Equal(t, exitFailure, got.status)
	assert.Regexp(t, `not enough memory: keeping the values of 3,000 rows and \d+ features needs about 2 MB, `+
		`and may use 0 MB`, got.stderr)
	got = limited("2MiB", network...) // the training data alone fits
	assert.Contains(t, got.stderr,
		"not enough memory: keeping the values of 3,000 rows and 101 features needs about 3 MB")
	got = limited("20MiB", append(network, "hidden_layers=3000,3000")...)
	assert.Regexp(t, `not enough memory: training needs about \d\d\d MB, and may use 18 MB, `+
		`nine tenths of GOMEMLIMIT: smaller hidden_layers=`, got.stderr)
	assert.NoFileExists(t, filepath.Join(dir, "model.txt"))
	assert.Zero(t, limited("400MiB", network...).status)
	if runtime.GOOS == "linux" {
		got = ended(t, within(t, dir, `ulimit -v 4000000 && exec "$0" "$@"`,
			append(network, "hidden_layers=16384,16384")...))
		assert.Equal(t, exitFailure, got.status)
		assert.Contains(t, got.stderr, " MB, nine tenths of what ulimit -v leaves beside the reserves of the Go "+
			"runtime: ")
	}
}

// TestQuota: the command uses as many threads as the CPU quota of its control group allows.
func TestQuota(t *testing.T) {
	const cpu = "/sys/fs/cgroup/cpu"
	group := filepath.Join(cpu, fmt.Sprintf("lambdamart-test-%d", os.Getpid()))
	if _, err := os.Stat(filepath.Join(cpu, "cpu.cfs_quota_us")); err != nil || os.Mkdir(group, 0o777) != nil {
		t.Skip("no control group of version 1 can be made here")
	}
	t.Cleanup(func() { assert.NoError(t, os.Remove(group)) })
	require.NoError(t, os.WriteFile(filepath.Join(group, "cpu.cfs_quota_us"), []byte("100000"), 0))
	c := within(t, t.TempDir(), `echo $$ > `+group+`/cgroup.procs; exec "$0" "$@"`, "version")
	c.Env = append(c.Env, showThreads+"=1")
	assert.Contains(t, ended(t, c).stderr, "GOMAXPROCS 1\n")
}
