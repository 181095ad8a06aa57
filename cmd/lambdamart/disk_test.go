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

// injecting has strace fail system calls of the command that concern a file: calls such as "write", the
// error such as "EIO", and from which of them on, from 1; strace counts those of each thread. It ends
// the test where there is no strace, or no right to trace.
func injecting(t *testing.T, dir, file, calls, errno string, from int, args ...string) *exec.Cmd {
	t.Helper()
	return injected(t, dir, file, calls, "error="+errno, from, args...)
}

// injected is injecting for any effect of strace, such as "retval=0": the call is not made, and returns 0.
func injected(t *testing.T, dir, file, calls, effect string, from int, args ...string) *exec.Cmd {
	t.Helper()
	if exec.Command("strace", "-qq", "-o", "/dev/null", "true").Run() != nil {
		t.Skip("strace cannot be used here")
	}
	c := command(t, dir, args...)
	rule := fmt.Sprintf("inject=%s:%s:when=%d+", calls, effect, from)
	traced := exec.Command("strace", append([]string{"-f", "-qq", "-o", "/dev/null", "-P", file, "-e", "trace=" + calls, "-e", rule, c.Path}, args...)...)
	traced.Dir, traced.Env = c.Dir, c.Env
	return traced
}

// ended runs a command and returns what came of it.
func ended(t *testing.T, c *exec.Cmd) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil {
		require.IsType(t, &exec.ExitError{}, err)
	}
	return outcome{c.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// writeFaults are what a disk can do while a file is written: the calls that fail, how, and what the
// message says.
var writeFaults = []struct{ calls, errno, message string }{
	{"openat", "EIO", "input/output error"},
	{"openat", "EMFILE", "too many open files"},
	{"openat", "EDQUOT", "disk quota exceeded"},
	{"write", "EIO", "input/output error"},
	{"write", "ENOSPC", "no space left on device"},
	{"write", "EDQUOT", "disk quota exceeded"},
	{"fsync", "EIO", "input/output error"},
	{"fsync", "EDQUOT", "disk quota exceeded"},
	{"rename,renameat,renameat2", "EIO", "input/output error"},
	{"rename,renameat,renameat2", "EROFS", "read-only file system"},
	{"rename,renameat,renameat2", "EDQUOT", "disk quota exceeded"},
}

// If the disk fails at any moment, the command fails with an error that names the output. The old file stays,
// no temporary file is left, and a model is written elsewhere.
func TestFailingDisk(t *testing.T) {
	dir := folderToFail(t)
	output := filepath.Join(dir, "new")
	writeFile(t, dir, "new", "old")
	before := filesIn(t, dir)
	for _, args := range waysOfWriting() {
		for _, f := range writeFaults {
			name := fmt.Sprint(args, f)
			got := ended(t, injecting(t, dir, filepath.Join(dir, ".new.0.tmp"), f.calls, f.errno, 1, to(args, output)...))
			assert.Equal(t, exitFailure, got.status, name)
			assert.Contains(t, got.stderr, "lambdamart: writing "+output+": "+f.message, name)
			assert.Equal(t, "old", readFile(t, dir, "new"), name)
			if strings.Contains(got.stderr, "the model is in ") {
				require.NoError(t, os.Remove(filepath.Join(dir, "new.rescued1")), name)
			} else if f.calls != "openat" { // which fails before training
				assert.NotEqual(t, "train", args[0], name)
			}
			require.Equal(t, before, filesIn(t, dir), name)
		}
	}
}

// A disk that accepts no bytes and reports no error is a failure, too. (Tests with ulimit -f and a full disk
// have partial writes.)
func TestWritesThatTakeNothing(t *testing.T) {
	dir := folderToFail(t)
	output := filepath.Join(dir, "new")
	before := filesIn(t, dir)
	for _, args := range waysOfWriting() {
		got := ended(t, injected(t, dir, filepath.Join(dir, ".new.0.tmp"), "write", "retval=0", 1, to(args, output)...))
		assert.Equal(t, exitFailure, got.status, args)
		assert.Contains(t, got.stderr, "lambdamart: writing "+output+": unexpected EOF", args)
		_ = os.Remove(filepath.Join(dir, "new.rescued1")) // of a training run
		require.Equal(t, before, filesIn(t, dir), args)
	}
}

// Partial writes are continued: a pipe accepts only as much as it has room for.
func TestShortWrites(t *testing.T) {
	dir := folderToFail(t)
	pipe := filepath.Join(dir, "pipe")
	if exec.Command("mkfifo", pipe).Run() != nil {
		t.Skip("pipes with a name cannot be made here")
	}
	var rows strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&rows, "0 qid:%d 1:%d 2:%d\n", i/10, i%7, i%11)
	}
	writeFile(t, dir, "many.txt", rows.String())
	predict := []string{"predict", "input_model=model.txt", "data=many.txt"}
	succeed(t, dir, append(predict, "output_result=file")...)
	c := exec.Command("sh", "-c", `exec <pipe; while dd bs=5000 count=1 2>/dev/null | tee -a read | grep -q .; do sleep 0.001; done`)
	c.Dir = dir
	require.NoError(t, c.Start())
	succeed(t, dir, append(predict, "output_result=pipe")...)
	require.NoError(t, c.Wait())
	want := readFile(t, dir, "file")
	assert.Greater(t, len(want), 3<<16, "the output is so small that a pipe takes it at once")
	assert.Equal(t, want, readFile(t, dir, "read"))
}

// A checkpoint that cannot be written is a warning, and the model is the same.
func TestFailingDiskOfCheckpoints(t *testing.T) {
	dir := folderWithData(t)
	train := append([]string{"train", "data=train.txt", "snapshot_freq=1"}, fewRows...)
	succeed(t, dir, append(train, "output_model=want")...)
	before := filesIn(t, dir)
	for _, f := range writeFaults {
		got := ended(t, injecting(t, dir, filepath.Join(dir, ".m.checkpoint.next.0.tmp"), f.calls, f.errno, 1, append(train, "output_model="+filepath.Join(dir, "m"))...))
		assert.Zero(t, got.status, f)
		assert.Contains(t, got.stderr, "was not written: writing "+filepath.Join(dir, "m.checkpoint.next")+": "+f.message+"; training continues", f)
		assert.Equal(t, readFile(t, dir, "want"), readFile(t, dir, "m"), f)
		require.NoError(t, os.Remove(filepath.Join(dir, "m")))
		require.Equal(t, before, filesIn(t, dir), f)
	}
}

// readers are command lines and the file that they read, which is the last argument after its "=".
func readers() [][]string {
	return append([][]string{
		append(append([]string{"train", "output_model=new"}, fewRows...), "data=train.txt"),
		append(append([]string{"train", "output_model=new"}, fewRows...), "data=train.bin"),
	}, words(
		"bin output=new data=train.txt",
		"predict input_model=model.txt output_result=new data=test.txt",
		"predict data=test.txt output_result=new input_model=model.txt",
		"eval input_model=model.txt per_query=new data=test.txt",
		"eval data=test.txt per_query=new scores=scores.txt",
		"eval per_query=new data=ranked.csv",
		"eval per_query=new data=ranked.parquet",
		"eval run=run.txt qrels=qrels.txt",
		"eval qrels=qrels.txt run=run.txt",
		"export to=onnx output=new input_model=model.txt",
	)...)
}

// folderToRead returns a folder with the files of readers.
func folderToRead(t *testing.T) string {
	t.Helper()
	dir := folderToFail(t)
	succeed(t, dir, "bin", "data=train.txt", "output=train.bin")
	writeFile(t, dir, "ranked.parquet", readFile(t, filepath.Join("..", "..", "io", "data", "internal", "table", "testdata"), "plain.parquet"))
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

// A file that cannot be read to its end is a failure that names it, and nothing is written.
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
				break // there are not that many reads
			}
			assert.Equal(t, exitFailure, got.status, args)
			assert.Contains(t, got.stderr, path, args)
			assert.Contains(t, got.stderr, "input/output error", args)
			assert.Equal(t, before, filesIn(t, dir), args)
		}
	}
}

// smallDisk returns the mount point of a disk of this many bytes.
func smallDisk(t *testing.T, bytes int) string {
	t.Helper()
	dir := t.TempDir()
	if exec.Command("mount", "-t", "tmpfs", "-o", fmt.Sprint("size=", bytes), "tmpfs", dir).Run() != nil {
		t.Skip("disks cannot be mounted here")
	}
	t.Cleanup(func() { assert.NoError(t, exec.Command("umount", dir).Run()) })
	return dir
}

// If the disk gets full, every command that writes fails, and removes what it has written.
func TestSmallDisk(t *testing.T) {
	disk := smallDisk(t, 8<<10)
	dir := folderToFail(t)
	writeFile(t, disk, "full", strings.Repeat("x", 4<<10))
	for _, args := range writers() {
		got := execute(t, dir, to(args, filepath.Join(disk, "new"))...)
		if got.status == 0 {
			assert.FileExists(t, filepath.Join(disk, "new"), args)
			require.NoError(t, os.Remove(filepath.Join(disk, "new")))
			continue // the output is smaller than a page of the disk
		}
		assert.Equal(t, exitFailure, got.status, args)
		assert.Contains(t, got.stderr, "no space left on device", args)
		assert.Equal(t, []string{"full"}, filesIn(t, disk), args)
	}
}

// A folder for temporary files that gets full is a failure of what needs them.
func TestFullTemporaryFolder(t *testing.T) {
	disk := smallDisk(t, 4<<10)
	dir := folderToFail(t)
	var mixed strings.Builder
	mixed.WriteString("query,target,score\n")
	for i := range 120_000 {
		fmt.Fprintf(&mixed, "%d,%d,%d\n", i%1000, i%3, i%7)
	}
	writeFile(t, dir, "mixed.csv", mixed.String())
	for message, args := range map[string][]string{
		"sorting by query": {"eval", "data=mixed.csv", "sort_memory=1"},
		"copying it to a temporary file (TMPDIR chooses its folder)": {"train", "data=-", "output_model=new"},
	} {
		c := command(t, dir, args...)
		c.Env = append(c.Env, "TMPDIR="+disk)
		c.Stdin = strings.NewReader(readFile(t, dir, "train.txt"))
		got := ended(t, c)
		assert.Equal(t, exitFailure, got.status, args)
		assert.Contains(t, got.stderr, message, args)
		assert.Contains(t, got.stderr, "no space left on device", args)
		assert.Empty(t, filesIn(t, disk))
	}
}

// A process that gets no more memory from the system ends at once. It leaves no output that is not
// complete, and the next run removes what it leaves.
func TestLittleMemory(t *testing.T) {
	dir := folderToFail(t)
	before := filesIn(t, dir)
	failed := 0
	for _, args := range waysOfWriting() {
		succeed(t, dir, to(args, "new")...)
		want := readFile(t, dir, "new")
		require.NoError(t, os.Remove(filepath.Join(dir, "new")))
		for _, kilobytes := range []int{200_000, 800_000, 1_200_000, 1_600_000} {
			c := within(t, dir, fmt.Sprintf(`ulimit -v %d && exec "$0" "$@"`, kilobytes), to(args, "new")...)
			got := ended(t, c)
			if got.status == 0 {
				assert.Equal(t, want, readFile(t, dir, "new"), args)
				require.NoError(t, os.Remove(filepath.Join(dir, "new")))
				continue
			}
			failed++
			if _, err := os.Stat(filepath.Join(dir, "new")); err == nil { // it ended after the output was complete
				assert.Equal(t, want, readFile(t, dir, "new"), args)
				require.NoError(t, os.Remove(filepath.Join(dir, "new")))
			}
		}
		succeed(t, dir, to(args, "new")...)
		require.NoError(t, os.Remove(filepath.Join(dir, "new")))
		assert.Equal(t, before, filesIn(t, dir), args)
	}
	assert.Positive(t, failed, "no limit was too small")
}

// Data may be in more parts than files may be open, plain, compressed and Parquet.
func TestMorePartsThanOpenFiles(t *testing.T) {
	dir := t.TempDir()
	for _, folder := range []string{"plain", "zipped"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, folder), 0o777))
	}
	for i := range 60 {
		text := fmt.Sprintf("grade,a,b,query\n2,0,3,%d\n0,1,1,%d\n", i, i)
		writeFile(t, dir, fmt.Sprintf("plain/part-%02d.csv", i), text)
		packFile(t, dir, fmt.Sprintf("zipped/part-%02d.csv.gz", i), text)
	}
	for _, folder := range []string{"plain", "zipped"} {
		train := []string{"train", "data=" + folder, "label_column=name:grade", "group_column=name:query", "min_data_in_leaf=1", "num_iterations=2", "num_threads=3"}
		succeed(t, dir, append(train, "output_model=many")...)
		got := ended(t, within(t, dir, `ulimit -n 32 && exec "$0" "$@"`, append(train, "output_model=few")...))
		assert.Zero(t, got.status, got.stderr)
		assert.Equal(t, readFile(t, dir, "many"), readFile(t, dir, "few"), folder)
	}
}

// What writes a folder and resumes loses nothing that is done when its disk gets full, and continues when
// there is room.
func TestFoldersOnAFullDisk(t *testing.T) {
	const page = 4 << 10
	for _, args := range [][]string{
		{"bench", "bench.yaml"},
		append([]string{"cv", "data=data/Fold1/train.txt", "folds=3"}, fewRows...),
		append([]string{"tune", "data=data/Fold1/train.txt", "valid=data/Fold1/vali.txt", "max_trainings=12"}, fewRows...),
		append([]string{"select", "data=data/Fold1/train.txt", "valid=data/Fold1/vali.txt", "num_features=1", "step_share=0.1"}, fewRows...),
	} {
		t.Run(args[0], func(t *testing.T) {
			dir := folderWithFolds(t)
			want := succeed(t, dir, append(args, "output=out")...)
			pages := 0
			require.NoError(t, filepath.WalkDir(filepath.Join(dir, "out"), func(path string, e os.DirEntry, err error) error {
				if info, _ := e.Info(); err == nil && !e.IsDir() {
					pages += int(info.Size()/page) + 1
				}
				return err
			}))
			disk := smallDisk(t, (2*pages+10)*page)
			output := "output=" + filepath.Join(disk, "out")
			writeFile(t, disk, "full", strings.Repeat("x", (2*pages+10-pages/2)*page))
			got := execute(t, dir, append(args, output)...)
			assert.Equal(t, exitFailure, got.status)
			assert.Contains(t, got.stderr, "no space left on device")
			done := 0
			require.NoError(t, filepath.WalkDir(disk, func(path string, e os.DirEntry, err error) error {
				assert.False(t, strings.HasSuffix(path, ".tmp"), path)
				if strings.HasSuffix(path, ".json") {
					done++
				}
				return err
			}))
			assert.Positive(t, done)
			require.NoError(t, os.Remove(filepath.Join(disk, "full")))
			got = succeed(t, dir, append(args, output)...)
			if args[0] == "cv" || args[0] == "bench" { // others do not say how much
				assert.Contains(t, got.stderr, fmt.Sprintf("%d of them done before", done))
			}
			assert.Equal(t, strings.Count(want.stdout, "\n"), strings.Count(got.stdout, "\n"))
		})
	}
}
