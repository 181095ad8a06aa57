//go:build unix

package main

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSecondInterruptKills(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "slow.txt"), 0o666))
	c := command(t, dir, "predict", "data=slow.txt", "input_model=slow.txt") // blocks on a pipe
	require.NoError(t, c.Start())
	giveUp := time.AfterFunc(time.Hour, func() { c.Process.Kill() })
	defer giveUp.Stop()
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for {
		select {
		case <-ended:
			assert.Equal(t, syscall.SIGINT, c.ProcessState.Sys().(syscall.WaitStatus).Signal())
			return
		case <-time.After(10 * time.Millisecond):
			_ = c.Process.Signal(syscall.SIGINT) // an error if the process has just ended
		}
	}
}
