package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// shortened runs a command and limits each read and write of the file to the given number of bytes, as a
// network file system may. It returns the number of calls that it shortened. It traces the command, and
// when a call begins, it changes the register that holds the number of bytes.
func shortened(t *testing.T, c *exec.Cmd, file string, most uint64) (calls int) {
	t.Helper()
	runtime.LockOSThread() // ptrace works only from one thread
	defer runtime.UnlockOSThread()
	c.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := c.Start(); err != nil {
		t.Skip("processes cannot be traced here: ", err)
	}
	defer func() { _ = c.Process.Kill(); _ = c.Wait() }()
	begun := map[int]bool{} // threads inside a call
	for {
		var status syscall.WaitStatus
		thread, err := syscall.Wait4(-1, &status, syscall.WALL, nil)
		require.NoError(t, err)
		if status.Exited() || status.Signaled() {
			if thread == c.Process.Pid {
				require.Zero(t, status.ExitStatus(), "%v", c.Args)
				return calls
			}
			continue
		}
		deliver := 0
		switch signal := status.StopSignal(); {
		case signal == syscall.SIGTRAP|0x80:
			if begun[thread] = !begun[thread]; begun[thread] && shorten(t, c.Process.Pid, thread, file, most) {
				calls++
			}
		case signal == syscall.SIGTRAP && thread == c.Process.Pid && len(begun) == 0: // the program is loaded
			require.NoError(t, syscall.PtraceSetOptions(thread,
				syscall.PTRACE_O_TRACESYSGOOD|syscall.PTRACE_O_TRACECLONE|unix.PTRACE_O_EXITKILL))
		case signal == syscall.SIGTRAP || signal == syscall.SIGSTOP: // a new thread
		default:
			deliver = int(signal)
		}
		_ = syscall.PtraceSyscall(thread, deliver) // an error if the thread has just ended
	}
}

// shorten reduces the number of bytes of a read or write if the call is on the file, and reports whether it
// did.
func shorten(t *testing.T, process, thread int, file string, most uint64) bool {
	var r syscall.PtraceRegs
	if syscall.PtraceGetRegs(thread, &r) != nil || r.Rdx <= most {
		return false
	}
	switch r.Orig_rax {
	case syscall.SYS_READ, syscall.SYS_PREAD64, syscall.SYS_WRITE, syscall.SYS_PWRITE64:
	default:
		return false
	}
	if path, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", process, r.Rdi)); path != file {
		return false
	}
	r.Rdx = most
	require.NoError(t, syscall.PtraceSetRegs(thread, &r))
	return true
}

// TestShortCounts: short counts from the kernel change neither what is read nor what is written.
func TestShortCounts(t *testing.T) {
	dir := folderToRead(t)
	check := func(args []string, file string, most uint64) {
		output := filepath.Join(dir, "new")
		plain := succeed(t, dir, args...)
		want, _ := os.ReadFile(output)
		c := command(t, dir, args...)
		var stdout, stderr bytes.Buffer
		c.Stdout, c.Stderr = &stdout, &stderr
		calls := shortened(t, c, file, max(most, uint64(len(want)/1000))) // each call takes the tracer's time
		got, _ := os.ReadFile(output)
		if !strings.HasSuffix(file, ".bin") { // bins are mapped
			assert.Positive(t, calls, "no call was shortened: %v", args)
		}
		assert.Equal(t, plain.stdout, stdout.String(), args)
		assert.Equal(t, string(want), string(got), args)
		_ = os.Remove(output)
	}
	for _, args := range readers() {
		parameter, name, _ := strings.Cut(args[len(args)-1], "=")
		path := filepath.Join(dir, name)
		check(append(append([]string{}, args[:len(args)-1]...), parameter+"="+path), path, 1000)
	}
	for _, args := range waysOfWriting() {
		check(to(args, filepath.Join(dir, "new")), filepath.Join(dir, ".new.0.tmp"), 10)
	}
}
