package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// injecting runs the command under strace, which makes system calls on a file fail. calls lists them, such
// as "write"; errno is the error, such as "EIO"; from, counted from 1, is the first call in each thread
// that fails. It skips the test if strace is missing or not permitted to trace.
func injecting(t *testing.T, dir, file, calls, errno string, from int, args ...string) *exec.Cmd {
	t.Helper()
	if exec.Command("strace", "-qq", "-o", "/dev/null", "true").Run() != nil {
		t.Skip("strace cannot be used here")
	}
	c := command(t, dir, args...)
	rule := fmt.Sprintf("inject=%s:error=%s:when=%d+", calls, errno, from)
	traced := exec.Command("strace", append([]string{"-f", "-qq", "-o", "/dev/null", "-P", file, "-e", "trace=" +
		calls, "-e", rule, c.Path}, args...)...)
	traced.Dir, traced.Env = c.Dir, c.Env
	return traced
}

// ended runs a command and returns its outcome.
func ended(t *testing.T, c *exec.Cmd) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil {
		require.IsType(t, &exec.ExitError{}, err)
	}
	return outcome{c.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// writeFaults are disk failures while a file is written, one at each step: the calls that fail, their error,
// and what the message must contain. All writers use stream.WriteFile, whose tests have more.
var writeFaults = []struct{ calls, errno, message string }{
	{"openat", "EMFILE", "too many open files"},
	{"write", "ENOSPC", "no space left on device"},
	{"fsync", "EIO", "input/output error"},
	{"rename,renameat,renameat2", "EROFS", "read-only file system"},
}

// TestFailingDisk: whenever the disk fails, the command fails with an error that names the output. The old
// file remains, no temporary file is left, and a model is saved elsewhere.
func TestFailingDisk(t *testing.T) {
	dir := folderToFail(t)
	output := filepath.Join(dir, "new")
	writeFile(t, dir, "new", "old")
	before := filesIn(t, dir)
	for _, args := range waysOfWriting() {
		for _, f := range writeFaults {
			name := fmt.Sprint(args, f)
			got := ended(t, injecting(t, dir, filepath.Join(dir, ".new.0.tmp"), f.calls, f.errno, 1,
				to(args, output)...))
			assert.Equal(t, exitFailure, got.status, name)
			assert.Contains(t, got.stderr, "lambdamart: writing "+output+": "+f.message, name)
			assert.Equal(t, "old", readFile(t, dir, "new"), name)
			if strings.Contains(got.stderr, "the model is in ") {
				require.NoError(t, os.Remove(filepath.Join(dir, "new.rescued1")), name)
			} else if f.calls != "openat" { // open fails before training
				assert.NotEqual(t, "train", args[0], name)
			}
			require.Equal(t, before, filesIn(t, dir), name)
		}
	}
}

// TestFailingDiskOfCheckpoints: a checkpoint that cannot be written is a warning, and the model is the same.
func TestFailingDiskOfCheckpoints(t *testing.T) {
	dir := folderWithData(t)
	train := append([]string{"train", "data=train.txt", "snapshot_freq=1"}, fewRows...)
	succeed(t, dir, append(train, "output_model=want")...)
	before := filesIn(t, dir)
	for _, f := range writeFaults {
		got := ended(t, injecting(t, dir, filepath.Join(dir, ".m.checkpoint.0.tmp"), f.calls, f.errno, 1,
			append(train, "output_model="+filepath.Join(dir, "m"))...))
		assert.Zero(t, got.status, f)
		assert.Contains(t, got.stderr, "was not written: writing "+filepath.Join(dir,
			"m.checkpoint")+": "+f.message+"; training continues", f)
		assert.Equal(t, readFile(t, dir, "want"), readFile(t, dir, "m"), f)
		require.NoError(t, os.Remove(filepath.Join(dir, "m")))
		require.Equal(t, before, filesIn(t, dir), f)
	}
}

// readers are command lines that read a file, which is the value of the last argument.
func readers() [][]string {
	return append([][]string{
		append(append([]string{"train", "output_model=new"}, fewRows...), "data=train.txt"),
		append(append([]string{"train", "output_model=new"}, fewRows...), "data=train.bin"),
	}, words(
		"bin output=new data=train.txt",
		"predict input_model=model.txt output_result=new data=test.txt",
		"predict data=test.txt output_result=new input_model=model.txt",
		"eval data=test.txt per_query=new scores=scores.txt",
		"eval per_query=new data=ranked.csv",
		"eval per_query=new data=ranked.parquet",
		"eval run=run.txt qrels=qrels.txt",
		"eval qrels=qrels.txt run=run.txt",
	)...)
}

// folderToRead returns a folder with the files that readers read.
func folderToRead(t *testing.T) string {
	t.Helper()
	dir := folderToFail(t)
	succeed(t, dir, "bin", "data=train.txt", "output=train.bin")
	writeFile(t, dir, "ranked.parquet", readFile(t, filepath.Join("..", "..", "io", "data", "internal", "table",
		"testdata"), "plain.parquet"))
	var ranked, run, qrels strings.Builder
	ranked.WriteString("query,target,score\n")
	for i := range 3000 {
		fmt.Fprintf(&ranked, "%d,%d,%d\n", i/10, i%3, i*7%11)
		fmt.Fprintf(&run, "q%d Q0 d%d %d %d.5 x\n", i/10, i%10, i%10+1, 20-i%10)
		fmt.Fprintf(&qrels, "q%d 0 d%d %d\n", i/10, i%10, i%3)
	}
	writeFile(t, dir, "ranked.csv", ranked.String())
	writeFile(t, dir, "run.txt", run.String())
	writeFile(t, dir, "qrels.txt", qrels.String())
	return dir
}

// TestFailingReads: a read error in the middle of a file is reported with the file's name, and nothing is
// written.
func TestFailingReads(t *testing.T) {
	dir := folderToRead(t)
	before := filesIn(t, dir)
	for _, args := range readers() {
		parameter, name, _ := strings.Cut(args[len(args)-1], "=")
		path := filepath.Join(dir, name)
		args := append(append([]string{}, args[:len(args)-1]...), parameter+"="+path)
		for from := 1; from < 5; from++ {
			got := ended(t, injecting(t, dir, path, "read,pread64,mmap", "EIO", from, args...))
			if got.status == 0 {
				assert.Greater(t, from, 1, args)
				_ = os.Remove(filepath.Join(dir, "new"))
				break // the command makes fewer reads
			}
			assert.Equal(t, exitFailure, got.status, args)
			assert.Contains(t, got.stderr, path, args)
			assert.Contains(t, got.stderr, "input/output error", args)
			assert.Equal(t, before, filesIn(t, dir), args)
		}
	}
}

// TestFullTemporaryFolder: data from a pipe is copied to a temporary file, which needs room.
func TestFullTemporaryFolder(t *testing.T) {
	dir, folder := folderWithData(t), t.TempDir()
	c := within(t, dir, `ulimit -f 0 && exec "$0" "$@"`, "train", "data=-", "output_model=new")
	c.Env = append(c.Env, "TMPDIR="+folder)
	c.Stdin = strings.NewReader(readFile(t, dir, "train.txt"))
	got := ended(t, c)
	assert.Equal(t, exitFailure, got.status)
	assert.Contains(t, got.stderr, "copying it to a temporary file (TMPDIR chooses its folder)")
	assert.Contains(t, got.stderr, "file too large")
	assert.Empty(t, filesIn(t, folder))
}

// TestMorePartsThanOpenFiles: a table of more parts than a process may open files is an error that says what
// to do, before anything is written.
func TestMorePartsThanOpenFiles(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "parts"), 0o777))
	for i := range 60 {
		writeFile(t, dir, fmt.Sprintf("parts/part-%02d.csv", i),
			fmt.Sprintf("grade,a,b,query\n2,0,3,%d\n0,1,1,%d\n", i, i))
	}
	train := []string{"train", "data=parts", "label_column=name:grade", "group_column=name:query",
		"min_data_in_leaf=1", "num_iterations=2", "output_model=model"}
	got := ended(t, within(t, dir, `ulimit -n 32 && exec "$0" "$@"`, train...))
	assert.Equal(t, exitFailure, got.status)
	assert.Regexp(t, `parts/part-\d\d\.csv: too many open files: raise their number \(ulimit -n\) `+
		`above the 60 parts of the table, or make fewer parts`, got.stderr)
	assert.NoFileExists(t, filepath.Join(dir, "model"))
	succeed(t, dir, train...)
}
