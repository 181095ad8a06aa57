//go:build linux

package hostile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/test/aid"
)

// hostile is a set of files and a command that reads them. Every command must end soon, within its memory
// limit, without a panic, and with the exit status for invalid input or usage.
type hostile struct {
	name  string
	files map[string]content // by name
	args  string             // of the command, separated by spaces
	says  string             // part of the message; "": any

	memory int64 // largest resident memory in MiB; 0: usualMemory
	fine   bool  // the file is unusual but valid: the command succeeds
}

const (
	usualMemory = 256         // MiB; a command uses about 20, compressed models more
	addresses   = 6 << 20     // KiB of address space, so that a failure does not exhaust the machine's memory
	processor   = time.Minute // processor time, in case of hanging; most commands take milliseconds
)

// TestMain runs a command in place of the tests if there are arguments after "--run".
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "--run" {
		observe(os.Args[2])
	}
	os.Exit(m.Run())
}

// usage is the resource usage of a command.
type usage struct {
	Status  int
	Memory  int64 // largest resident memory in MiB
	Time    time.Duration
	Message string
}

// observe runs a shell command and prints its usage. It needs its own process, because the memory that the
// kernel reports for a command is at least that of the process that starts it.
func observe(command string) {
	c := exec.Command("bash", "-c", command)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	_ = c.Run()
	used := c.ProcessState.SysUsage().(*syscall.Rusage)
	_ = json.NewEncoder(os.Stdout).Encode(usage{
		Status: c.ProcessState.ExitCode(), Memory: used.Maxrss >> 10, Message: stderr.String(),
		Time: time.Duration(used.Utime.Nano() + used.Stime.Nano()).Round(time.Millisecond),
	})
	os.Exit(0)
}

// TestHostileFiles checks a tenth of the files, or all in .ci/run.
func TestHostileFiles(t *testing.T) {
	program, random := build(t), aid.Random(0)
	for _, group := range [][]hostile{models(), data(), configurations(), others()} {
		for _, h := range group {
			if aid.All() || random.IntN(10) == 0 {
				t.Run(h.name, func(t *testing.T) { h.check(t, program) })
			}
		}
	}
}

// build builds the command once.
func build(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: builds the command and decompresses bombs")
	}
	program := filepath.Join(t.TempDir(), "lambdamart")
	out, err := exec.Command("go", "build", "-o", program, "../../cmd/lambdamart").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return program
}

func (h *hostile) check(t *testing.T, program string) {
	t.Helper()
	dir := t.TempDir()
	for name, made := range h.files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), made(), 0o666))
	}
	self, err := os.Executable()
	require.NoError(t, err)
	c := exec.Command(self, "--run", fmt.Sprintf("ulimit -v %d -t %d; exec %s %s", addresses,
		int(processor.Seconds())+10, program, h.args))
	c.Dir = dir
	out, err := c.Output()
	require.NoError(t, err)
	var used usage
	require.NoError(t, json.Unmarshal(out, &used))
	t.Logf("status %d, %d MiB, %v: %.200s", used.Status, used.Memory, used.Time, used.Message)

	memory := h.memory
	if memory == 0 {
		memory = usualMemory
	}
	assert.LessOrEqual(t, used.Memory, memory, "MiB of memory")
	assert.Less(t, used.Time, processor)
	assert.NotContains(t, used.Message, "goroutine ", "it panicked")
	assert.Less(t, len(used.Message), 5000, "a message is for people")
	if h.fine {
		assert.Zero(t, used.Status, used.Message)
		return
	}
	assert.Contains(t, []int{1, 2}, used.Status, used.Message)
	assert.Contains(t, used.Message, h.says)
}
