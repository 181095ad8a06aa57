package main

import (
	"bufio"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// folderToServe returns a folder with a model, models/shop.txt.
func folderToServe(t *testing.T) string {
	t.Helper()
	dir := folderWithData(t)
	succeed(t, dir, append([]string{"train", "data=train.txt", "output_model=model.txt"}, fewRows...)...)
	return dir
}

var listening = regexp.MustCompile(`msg=listening address=(\S+)`)

// serving starts the server, and returns its address and a reader of the rest of its log.
func serving(t *testing.T, c *exec.Cmd) (address string, log *bufio.Reader) {
	t.Helper()
	stderr, err := c.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	t.Cleanup(func() { c.Process.Kill() })
	log = bufio.NewReader(stderr)
	for {
		line, err := log.ReadString('\n')
		require.NoError(t, err)
		if m := listening.FindStringSubmatch(line); m != nil {
			return m[1], log
		}
	}
}

func TestServe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SIGTERM cannot be sent there")
	}
	dir := folderToServe(t)
	c := command(t, dir, "serve", "model.txt", "address=127.0.0.1:0", "verbosity=2")
	address, log := serving(t, c)
	response, err := http.Get("http://" + address + "/v2/health/ready")
	require.NoError(t, err)
	response.Body.Close()
	assert.Equal(t, 200, response.StatusCode)
	response, err = http.Get("http://" + address + "/v2/models/model")
	require.NoError(t, err)
	response.Body.Close()
	assert.Equal(t, 200, response.StatusCode)
	require.NoError(t, c.Process.Signal(syscall.SIGTERM))
	rest, err := io.ReadAll(log)
	require.NoError(t, err)
	assert.Contains(t, string(rest), "msg=ended")
	require.NoError(t, c.Wait(), "a graceful end is not a failure")
}

func TestServeRefusesATakenAddress(t *testing.T) {
	dir := folderToServe(t)
	taken, _ := serving(t, command(t, dir, "serve", "model.txt", "address=127.0.0.1:0"))
	refuse(t, dir, refusal{1, "serve model.txt address=" + taken, "address already in use"})
}
