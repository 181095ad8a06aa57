package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// folderToFail returns a folder with small data, a model, its export, and scores.
func folderToFail(t *testing.T) string {
	t.Helper()
	dir := folderWithData(t)
	succeed(t, dir, append([]string{"train", "data=train.txt", "output_model=model.txt"}, fewRows...)...)
	succeed(t, dir, "predict", "data=test.txt", "input_model=model.txt", "output_result=scores.txt")
	succeed(t, dir, "export", "model.txt", "to=ranklib", "output=model.xml", "vectors=20")
	return dir
}

// printers are command lines that print to standard output.
func printers() [][]string {
	train := append([]string{"train", "data=train.txt", "valid=test.txt", "output_model=new.txt"}, fewRows...)
	return append([][]string{train}, words(
		"model model.txt",
		"predict data=test.txt input_model=model.txt",
		"export model.txt to=xgboost",
		"check-export model.xml",
		"eval data=test.txt input_model=model.txt",
		"eval data=test.txt input_model=model.txt json=true",
		"compare model.txt scores.txt data=test.txt metric=ndcg@5",
		"compare model.txt scores.txt data=test.txt metric=ndcg@5 json=true",
		"version",
		"help",
		"help train",
		"completion bash",
		"predict data=test.txt input_model=model.txt output_result=/dev/full",
		"eval data=test.txt input_model=model.txt per_query=/dev/full",
	)...)
}

// TestFullStandardOutput: every command fails if its output cannot be written.
func TestFullStandardOutput(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("the system has no /dev/full")
	}
	defer full.Close()
	dir := folderToFail(t)
	for _, args := range printers() {
		c := command(t, dir, args...)
		var stderr bytes.Buffer
		c.Stdout, c.Stderr = full, &stderr
		require.Error(t, c.Run(), args)
		assert.Equal(t, exitFailure, c.ProcessState.ExitCode(), args)
		assert.Regexp(t, `writing (standard output|/dev/full): no space left on device\n$`, stderr.String(), args)
	}
}

// waysOfWriting are command lines that write a file, one for each way in which the program writes files.
// The last argument is the parameter for the path, without its value.
func waysOfWriting() [][]string {
	return append([][]string{
		append(append([]string{"train", "data=train.txt"}, fewRows...), "output_model="),
		{"train", "data=train.txt", "ranker=ranknet", "epochs=1", "output_model="},
	}, words(
		"bin data=train.txt output=",
		"predict data=test.txt input_model=model.txt output_result=",
		"eval data=test.txt input_model=model.txt per_query=",
	)...)
}

// words splits command lines into arguments.
func words(lines ...string) (all [][]string) {
	for _, line := range lines {
		all = append(all, strings.Fields(line))
	}
	return all
}

// to appends the path to the last argument of a writer's command line.
func to(args []string, path string) []string {
	return append(append([]string{}, args[:len(args)-1]...), args[len(args)-1]+path)
}

// within prepares a command to be run by a shell script, which sets a limit and ends with exec. In the
// script, "$0" "$@" is the command.
func within(t *testing.T, dir, script string, args ...string) *exec.Cmd {
	t.Helper()
	c := command(t, dir, args...)
	shell := exec.Command("sh", append([]string{"-c", script, c.Path}, args...)...)
	shell.Dir, shell.Env = c.Dir, c.Env
	return shell
}

// filesIn returns the names of all files in a folder.
func filesIn(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestUnwritableOutput: a path that cannot be written is an error before any data is read.
func TestUnwritableOutput(t *testing.T) {
	dir := folderToFail(t)
	before := filesIn(t, dir)
	for _, args := range waysOfWriting() {
		for _, path := range []string{"absent/x", "train.txt/x", "../" + filepath.Base(dir)} {
			got := execute(t, dir, to(args, path)...)
			assert.Equal(t, exitFailure, got.status, "%v %s", args, path)
			assert.Regexp(t, `^lambdamart: writing \S+: `, got.stderr, "%v %s", args, path)
			assert.Empty(t, got.stdout)
		}
	}
	assert.Equal(t, before, filesIn(t, dir))
}

// TestModelIsRescued: if the model cannot be written at the end of a run, it is written elsewhere.
func TestModelIsRescued(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("the system has no /dev/full")
	}
	dir := folderToFail(t)
	got := execute(t, dir, append([]string{"train", "data=train.txt", "output_model=/dev/full"}, fewRows...)...)
	assert.Equal(t, exitFailure, got.status)
	assert.Contains(t, got.stderr,
		"writing /dev/full: no space left on device; the model is in full.rescued1 instead: move it\n")
	assert.Equal(t, readFile(t, dir, "model.txt"), readFile(t, dir, "full.rescued1"))

	c := within(t, dir, `ulimit -f 0 && exec "$0" "$@"`,
		append([]string{"train", "data=train.txt", "output_model=new.txt"}, fewRows...)...)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	require.Error(t, c.Run())
	assert.Contains(t, stderr.String(), "file too large; the model went to standard output instead\n")
	assert.Equal(t, readFile(t, dir, "model.txt"), stdout.String())
}

// TestBenchWithoutRoom: bench fails early if it cannot write to its folder, and keeps no partial result.
func TestBenchWithoutRoom(t *testing.T) {
	dir := folderWithFolds(t)
	writeFile(t, dir, "file", "")
	got := execute(t, dir, "bench", "config=bench.conf", "output=file/out")
	assert.Equal(t, exitFailure, got.status)
	assert.NotContains(t, got.stderr, "Fold1")
	out, err := within(t, dir, `ulimit -f 0 && exec "$0" "$@"`, "bench", "config=bench.conf").CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(out), "file too large")
	require.NoError(t, filepath.WalkDir(filepath.Join(dir, "out"),
		func(path string, e os.DirEntry, err error) error {
			assert.True(t, e.IsDir(), path)
			return err
		}))
	assert.Contains(t, succeed(t, dir, "bench", "config=bench.conf").stdout, "| bagged ")
}
