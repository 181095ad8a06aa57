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
	return injected(t, dir, file, calls, "error="+errno, from, args...)
}

// injected is injecting for any effect that strace knows, such as "retval=0", which skips the call and
// returns 0.
func injected(t *testing.T, dir, file, calls, effect string, from int, args ...string) *exec.Cmd {
	t.Helper()
	if exec.Command("strace", "-qq", "-o", "/dev/null", "true").Run() != nil {
		t.Skip("strace cannot be used here")
	}
	c := command(t, dir, args...)
	rule := fmt.Sprintf("inject=%s:%s:when=%d+", calls, effect, from)
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

// writeFaults are disk failures while a file is written: the calls that fail, their error, and what the
// message
// must contain.
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

// TestFailingDisk: whenever the disk fails, the command fails with an error that names the output. The old
// file
// remains, no temporary file is left, and a model is saved elsewhere.
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

// TestWritesThatTakeNothing: a disk that accepts no bytes but reports no error is a failure, too. (Partial
// writes
// are tested with ulimit -f and a full disk.)
func TestWritesThatTakeNothing(t *testing.T) {
	dir := folderToFail(t)
	output := filepath.Join(dir, "new")
	before := filesIn(t, dir)
	for _, args := range waysOfWriting() {
		got := ended(t, injected(t, dir, filepath.Join(dir, ".new.0.tmp"), "write", "retval=0", 1,
			to(args, output)...))
		assert.Equal(t, exitFailure, got.status, args)
		assert.Contains(t, got.stderr, "lambdamart: writing "+output+": unexpected EOF", args)
		_ = os.Remove(filepath.Join(dir, "new.rescued1")) // the rescued model
		require.Equal(t, before, filesIn(t, dir), args)
	}
}

// TestShortWrites: partial writes are continued, as on a pipe, which accepts only what it has room for.
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
	c := exec.Command("sh", "-c",
		`exec <pipe; while dd bs=5000 count=1 2>/dev/null | tee -a read | grep -q .; do sleep 0.001; done`)
	c.Dir = dir
	require.NoError(t, c.Start())
	succeed(t, dir, append(predict, "output_result=pipe")...)
	require.NoError(t, c.Wait())
	want := readFile(t, dir, "file")
	assert.Greater(t, len(want), 3<<16, "the output is so small that a pipe takes it at once")
	assert.Equal(t, want, readFile(t, dir, "read"))
}

// TestFailingDiskOfCheckpoints: a checkpoint that cannot be written is a warning, and the model is the
// same.
func TestFailingDiskOfCheckpoints(t *testing.T) {
	dir := folderWithData(t)
	train := append([]string{"train", "data=train.txt", "snapshot_freq=1"}, fewRows...)
	succeed(t, dir, append(train, "output_model=want")...)
	before := filesIn(t, dir)
	for _, f := range writeFaults {
		got := ended(t, injecting(t, dir, filepath.Join(dir, ".m.checkpoint.next.0.tmp"), f.calls, f.errno, 1,
			append(train, "output_model="+filepath.Join(dir, "m"))...))
		assert.Zero(t, got.status, f)
		assert.Contains(t, got.stderr, "was not written: writing "+filepath.Join(dir,
			"m.checkpoint.next")+": "+f.message+"; training continues", f)
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
		"eval input_model=model.txt per_query=new data=test.txt",
		"eval data=test.txt per_query=new scores=scores.txt",
		"eval per_query=new data=ranked.csv",
		"eval per_query=new data=ranked.parquet",
		"eval run=run.txt qrels=qrels.txt",
		"eval qrels=qrels.txt run=run.txt",
		"export to=onnx output=new input_model=model.txt",
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

// smallDisk mounts a disk of the given size in bytes, and returns its mount point.
func smallDisk(t *testing.T, bytes int) string {
	t.Helper()
	dir := t.TempDir()
	if exec.Command("mount", "-t", "tmpfs", "-o", fmt.Sprint("size=", bytes), "tmpfs", dir).Run() != nil {
		t.Skip("disks cannot be mounted here")
	}
	t.Cleanup(func() { assert.NoError(t, exec.Command("umount", dir).Run()) })
	return dir
}

// TestSmallDisk: if the disk is full, every command that writes fails and removes the partial output.
func TestSmallDisk(t *testing.T) {
	disk := smallDisk(t, 8<<10)
	dir := folderToFail(t)
	writeFile(t, disk, "full", strings.Repeat("x", 4<<10))
	for _, args := range writers() {
		got := execute(t, dir, to(args, filepath.Join(disk, "new"))...)
		if got.status == 0 {
			assert.FileExists(t, filepath.Join(disk, "new"), args)
			require.NoError(t, os.Remove(filepath.Join(disk, "new")))
			continue // the output fits in one page
		}
		assert.Equal(t, exitFailure, got.status, args)
		assert.Contains(t, got.stderr, "no space left on device", args)
		assert.Equal(t, []string{"full"}, filesIn(t, disk), args)
	}
}

// TestFullTemporaryFolder: commands that need temporary files fail if their folder is full.
func TestFullTemporaryFolder(t *testing.T) {
	disk := smallDisk(t, 4<<10)
	dir := folderToFail(t)
	for message, args := range map[string][]string{
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

// TestLittleMemory: a process that runs out of memory exits immediately. It leaves no partial output, and
// the
// next run removes its temporary files.
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
			if _, err := os.Stat(filepath.Join(dir, "new")); err == nil { // it was complete
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

// TestMorePartsThanOpenFiles: data may have more parts than a process may open files, whether plain,
// compressed
// or Parquet.
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
		train := []string{"train", "data=" + folder, "label_column=name:grade", "group_column=name:query",
			"min_data_in_leaf=1", "num_iterations=2", "num_threads=3"}
		succeed(t, dir, append(train, "output_model=many")...)
		got := ended(t, within(t, dir, `ulimit -n 32 && exec "$0" "$@"`, append(train, "output_model=few")...))
		assert.Zero(t, got.status, got.stderr)
		assert.Equal(t, readFile(t, dir, "many"), readFile(t, dir, "few"), folder)
	}
}

// TestFoldersOnAFullDisk: commands that write a folder and can resume keep completed work when the disk
// gets
// full, and continue when there is room.
func TestFoldersOnAFullDisk(t *testing.T) {
	const page = 4 << 10
	for _, args := range [][]string{
		{"bench", "config=bench.conf"},
		append([]string{"cv", "data=data/Fold1/train.txt", "folds=3"}, fewRows...),
		append([]string{"tune", "data=data/Fold1/train.txt", "valid=data/Fold1/vali.txt", "max_trainings=12"},
			fewRows...),
		append([]string{"select", "data=data/Fold1/train.txt", "valid=data/Fold1/vali.txt", "num_features=1"},
			fewRows...),
	} {
		t.Run(args[0], func(t *testing.T) {
			dir := folderWithFolds(t)
			want := succeed(t, dir, append(args, "output=out")...)
			pages := 0
			require.NoError(t, filepath.WalkDir(filepath.Join(dir, "out"),
				func(path string, e os.DirEntry, err error) error {
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
			if args[0] == "cv" || args[0] == "bench" { // only these report completed work
				assert.Contains(t, got.stderr, fmt.Sprintf("%d of them done before", done))
			}
			assert.Equal(t, strings.Count(want.stdout, "\n"), strings.Count(got.stdout, "\n"))
		})
	}
}
