//go:build unix

package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFirstSignalEndsWaiting: a program that waits for input that does not come or for a reader of its
// output, or computes what looks at no signal, ends at the first one.
func TestFirstSignalEndsWaiting(t *testing.T) {
	dir := folderWithData(t)
	succeed(t, dir, append([]string{"train", "data=train.txt", "output_model=model.txt"}, fewRows...)...)
	var all []*waiting
	for _, args := range words(
		"train data=slow.txt output_model=-",                   // waits for a writer
		"train data=- output_model=-",                          // waits for bytes
		"train data=train.txt valid=slow.txt output_model=-",   // after other data
		"predict data=train.txt input_model=slow.txt",          // a model
		"eval data=train.txt scores=-",                         // scores
		"bin data=- output=binned",                             // data for a file
		"cv data=slow.txt", "train config=slow.txt data=train", // a study, a configuration
		"export model.txt to=solr features=slow.txt output=-", // names of features
		"export model.txt to=c output=slow.txt",               // waits for a reader
		"export model.txt to=c output=m.c vectors=5000000",    // takes 20 s, and is the last to start
	) {
		for _, by := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			all = append(all, startWaiting(t, dir, by, args))
		}
	}
	// on a slow machine the signal comes before some of them wait, which is a case too
	time.Sleep(300 * time.Millisecond)
	for _, w := range all {
		w.end(t)
	}
}

// waiting is a process that a signal is to end.
type waiting struct {
	*exec.Cmd
	by    syscall.Signal
	lines *bufio.Reader // of its messages
	in    io.Closer
}

// startWaiting starts a command in a copy of dir with a pipe, and returns when it catches signals.
func startWaiting(t *testing.T, dir string, by syscall.Signal, args []string) *waiting {
	t.Helper()
	own := t.TempDir()
	require.NoError(t, os.CopyFS(own, os.DirFS(dir)))
	require.NoError(t, syscall.Mkfifo(filepath.Join(own, "slow.txt"), 0o666))
	c := command(t, own, args...)
	c.Env = append(c.Env, sayReady+"=1")
	in, err := c.StdinPipe()
	require.NoError(t, err)
	stderr, err := c.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	w := &waiting{c, by, bufio.NewReader(stderr), in}
	_, err = w.lines.ReadString('\n')
	require.NoError(t, err)
	return w
}

func (w *waiting) end(t *testing.T) {
	t.Helper()
	giveUp := time.AfterFunc(time.Hour, func() { w.Process.Kill() })
	require.NoError(t, w.Process.Signal(w.by))
	messages, err := io.ReadAll(w.lines)
	require.NoError(t, err)
	_ = w.Wait()
	assert.True(t, giveUp.Stop(), "%v ignores %v", w.Args, w.by)
	w.in.Close()
	assert.Equal(t, 128+int(w.by), w.ProcessState.ExitCode(), "%v: %s", w.Args, messages)
	assert.Contains(t, string(messages), "ended by "+w.by.String())
	assert.Less(t, w.ProcessState.UserTime(), 5*time.Second, "%v goes on after %v", w.Args, w.by)
}

// TestFirstSignalEndsTrainingRun: the model that is written after the first signal waits for nobody who does
// not read it. It is in another file, and the last message says where.
func TestFirstSignalEndsTrainingRun(t *testing.T) {
	t.Parallel()
	dir := folderWithData(t)
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "slow.txt"), 0o666))
	for _, c := range [][3]string{
		{"objective=regression num_iterations=1000000", dir + "/slow.txt", dir + "/slow.txt"},
		{"objective=regression num_iterations=1000000", "-", "standard output"},
		{"ranker=ranknet epochs=1000000", dir + "/slow.txt", dir + "/slow.txt"},
	} {
		t.Run(strings.Join(c[:2], " "), func(t *testing.T) {
			t.Parallel()
			own := t.TempDir()
			p := command(t, own, append(strings.Fields("train "+c[0]), "data="+dir+"/train.txt",
				"valid="+dir+"/test.txt", "output_model="+c[1])...)
			p.Stdout = fullPipe(t)
			lines := startTraining(t, p)
			require.NoError(t, p.Process.Signal(syscall.SIGTERM))
			messages, err := io.ReadAll(lines)
			require.NoError(t, err)
			_ = p.Wait()
			assert.Equal(t, 128+15, p.ProcessState.ExitCode())
			_, last, _ := strings.Cut(string(messages), "lambdamart: ")
			assert.Regexp(t, "^writing "+c[2]+": nothing reads it: ended by terminated signal; the model is in "+
				"[a-z.]+rescued1 instead: move it\n$", last)
			assert.Len(t, glob(t, own, "*.rescued1"), 1)
		})
	}
}

// TestFirstSignalEndsMessages: messages that nobody reads, such as those in a pager, keep no program waiting.
func TestFirstSignalEndsMessages(t *testing.T) {
	t.Parallel()
	dir := folderWithData(t)
	c := command(t, dir, "train", "data=train.txt", "output_model=model.txt")
	c.Stderr = fullPipe(t)
	require.NoError(t, c.Start())
	killLate(t, c)
	for len(glob(t, dir, ".*.lock*")) == 0 { // the command has not begun
		time.Sleep(time.Millisecond)
	}
	require.NoError(t, c.Process.Signal(syscall.SIGINT))
	_ = c.Wait()
	assert.Equal(t, 128+2, c.ProcessState.ExitCode())
}

// fullPipe returns a pipe that takes nothing more.
func fullPipe(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { r.Close(); w.Close() })
	fd := int(w.Fd())
	require.NoError(t, syscall.SetNonblock(fd, true))
	for err == nil {
		_, err = syscall.Write(fd, make([]byte, 1<<12))
	}
	require.ErrorIs(t, err, syscall.EAGAIN)
	require.NoError(t, syscall.SetNonblock(fd, false))
	return w
}

func glob(t *testing.T, dir, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	require.NoError(t, err)
	return found
}

// startTraining starts a command and returns when a round has ended: before, a signal leaves no model.
func startTraining(t *testing.T, c *exec.Cmd) (lines *bufio.Reader) {
	t.Helper()
	stderr, err := c.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	killLate(t, c)
	lines = bufio.NewReader(stderr)
	for line := ""; !strings.HasPrefix(line, "[1/"); {
		line, err = lines.ReadString('\n')
		require.NoError(t, err)
	}
	return lines
}

// killLate ends a process that ignores signals.
func killLate(t *testing.T, c *exec.Cmd) {
	giveUp := time.AfterFunc(time.Hour, func() { c.Process.Kill() })
	t.Cleanup(func() { giveUp.Stop() })
}

// TestSecondInterruptKills: the first one ends training, and the model is written, here to a pipe that nobody
// reads.
func TestSecondInterruptKills(t *testing.T) {
	signal.Ignore(syscall.SIGINT) // as a shell does for what it starts with &; the program inherits it
	defer signal.Reset(syscall.SIGINT)
	dir := folderWithData(t)
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "slow.txt"), 0o666))
	c := command(t, dir, "train", "data=train.txt", "valid=test.txt", "output_model=slow.txt",
		"objective=regression", "num_iterations=1000000")
	lines := startTraining(t, c)
	ended := make(chan error, 1)
	go func() {
		_, _ = io.Copy(io.Discard, lines)
		ended <- c.Wait()
	}()
	for {
		select {
		case <-ended:
			assert.Equal(t, 130, c.ProcessState.ExitCode())
			return
		case <-time.After(10 * time.Millisecond):
			_ = c.Process.Signal(syscall.SIGINT) // an error if the process has just ended
		}
	}
}
