//go:build unix

package main

import (
	"bufio"
	"io"
	"os"
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
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "slow.txt"), 0o666))
	for _, args := range [][]string{
		{"train", "data=slow.txt", "output_model=-"},                        // waits for a writer
		{"train", "data=-", "output_model=-"},                               // waits for bytes
		{"train", "data=train.txt", "valid=slow.txt", "output_model=-"},     // after other data
		{"predict", "data=train.txt", "input_model=slow.txt"},               // a model
		{"eval", "data=train.txt", "scores=-"},                              // scores
		{"bin", "data=-", "output=binned"},                                  // data for a file
		{"cv", "data=slow.txt"}, {"train", "config=slow.txt", "data=train"}, // a study, a configuration
		{"export", "model.txt", "to=solr", "features=slow.txt", "output=-"}, // names of features
		{"export", "model.txt", "to=c", "output=m.c", "vectors=5000000"},    // takes 20 s
		{"export", "model.txt", "to=c", "output=slow.txt"},                  // waits for a reader
	} {
		for _, by := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			c := command(t, dir, args...)
			c.Env = append(c.Env, sayReady+"=1")
			in, err := c.StdinPipe()
			require.NoError(t, err)
			stderr, err := c.StderrPipe()
			require.NoError(t, err)
			require.NoError(t, c.Start())
			giveUp := time.AfterFunc(time.Hour, func() { c.Process.Kill() })
			lines := bufio.NewReader(stderr)
			_, err = lines.ReadString('\n') // signals are caught from now on
			require.NoError(t, err)
			// on a slow machine the signal comes before it waits, which is a case too
			time.Sleep(300 * time.Millisecond)
			require.NoError(t, c.Process.Signal(by))
			messages, err := io.ReadAll(lines)
			require.NoError(t, err)
			_ = c.Wait()
			assert.True(t, giveUp.Stop(), "%v ignores %v", args, by)
			in.Close()
			assert.Equal(t, 128+int(by), c.ProcessState.ExitCode(), "%v: %s", args, messages)
			assert.Contains(t, string(messages), "ended by "+by.String())
			assert.Less(t, c.ProcessState.UserTime(), 5*time.Second, "%v goes on after %v", args, by)
		}
	}
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
	stderr, err := c.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	giveUp := time.AfterFunc(time.Hour, func() { c.Process.Kill() })
	defer giveUp.Stop()
	lines := bufio.NewReader(stderr)
	for line := ""; !strings.HasPrefix(line, "[1/"); { // before training a signal ends the program with a status
		line, err = lines.ReadString('\n')
		require.NoError(t, err)
	}
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

// TestOutputsToAnonymousPipes: /dev/stdout and a shell's >(…) are pipes whose links lead nowhere.
func TestOutputsToAnonymousPipes(t *testing.T) {
	dir := folderWithData(t)
	succeed(t, dir, append([]string{"train", "data=train.txt", "output_model=model.txt"}, fewRows...)...)
	for _, name := range []string{"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"} {
		if _, err := os.Stat(name); err != nil {
			continue // not on this system
		}
		c := command(t, dir, append([]string{"train", "data=train.txt", "output_model=" + name}, fewRows...)...)
		written, err := c.Output()
		require.NoError(t, err, name)
		assert.Equal(t, readFile(t, dir, "model.txt"), string(written))
	}
}
