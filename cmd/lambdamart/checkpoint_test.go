package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestKilledTrainingGoesOn: a training run that is killed and restarted prints and writes the same as one
// that
// is not killed.
func TestKilledTrainingGoesOn(t *testing.T) {
	for ranker, args := range map[string][]string{
		"lambdamart": {"num_iterations=300", "min_data_in_leaf=2", "bagging_fraction=0.7", "bagging_freq=2", "patience=290", "stop_metric=ndcg@3"},
		"ranknet":    {"ranker=ranknet", "epochs=40", "hidden_layers=16,8", "patience=39"},
	} {
		t.Run(ranker, func(t *testing.T) {
			dir := folderWithData(t)
			args := append([]string{"train", "data=train.txt", "valid=test.txt", "output_model=m"}, args...)
			want := succeed(t, dir, args...)
			model := readFile(t, dir, "m")
			require.NoError(t, os.Remove(filepath.Join(dir, "m")))

			args = append(args, "snapshot_freq=1")
			dir, _ = stopped(t, folderWithData, "m.checkpoint.previous", 1, syscall.SIGKILL, args...)
			require.NoFileExists(t, filepath.Join(dir, "m"))
			require.FileExists(t, filepath.Join(dir, "m.checkpoint.previous"))

			bad := execute(t, dir, append(args, "resume=true", "seed=5")...)
			assert.Equal(t, 1, bad.status)
			// If the kill falls between the two renames of checkpoint files, the last checkpoint has
			// another name.
			assert.Regexp(t, `m\.checkpoint(\.next|\.previous)? is of another training: seed is 5, and was 0; use what`, bad.stderr)
			got := succeed(t, dir, append(args, "resume=true", "num_threads=3")...)
			assert.Contains(t, got.stderr, "continuing after ")
			assert.Equal(t, want.stdout, got.stdout)
			assert.Equal(t, model, readFile(t, dir, "m"))
			left, err := filepath.Glob(filepath.Join(dir, "m.*"))
			require.NoError(t, err)
			assert.Empty(t, left)
		})
	}
}

func TestResumeWithoutCheckpoint(t *testing.T) {
	dir := folderWithData(t)
	args := []string{"train", "data=train.txt", "output_model=m", "num_iterations=3", "min_data_in_leaf=2"}
	got := execute(t, dir, append(args, "resume=true")...)
	assert.Equal(t, 1, got.status)
	assert.Contains(t, got.stderr, "m.checkpoint: there is no checkpoint to continue from")
	assert.Contains(t, succeed(t, dir, append(args, "resume=auto")...).stderr, "there is no m.checkpoint; training starts from the beginning")

	got = execute(t, dir, "train", "data=train.txt", "output_model=-", "snapshot_freq=1")
	assert.Equal(t, 2, got.status)
	assert.Contains(t, got.stderr, "must be a file")

	writeFile(t, dir, "m.checkpoint", "x")
	writeFile(t, dir, "m.checkpoint.previous", strings.Repeat("x", 100))
	for _, resume := range []string{"true", "auto"} {
		got = execute(t, dir, append(args, "resume="+resume)...)
		assert.Equal(t, 1, got.status)
		assert.Contains(t, got.stderr, "warning: m.checkpoint: the checkpoint is damaged")
		assert.Contains(t, got.stderr, "no checkpoint can be used")
	}
	got = succeed(t, dir, args...)
	assert.Contains(t, got.stderr, "warning: m.checkpoint exists, from a training run that was interrupted")
	assert.NoFileExists(t, filepath.Join(dir, "m.checkpoint"))
	assert.NoFileExists(t, filepath.Join(dir, "m.checkpoint.previous"))
}
