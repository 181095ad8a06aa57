//go:build mpi

package mpi

import (
	"syscall"
	"unsafe"
)

// action is the kernel's struct sigaction on 64-bit Linux.
type action struct {
	handler, flags, restorer uintptr
	mask                     uint64
}

func sigaction(signal int, set, old *action) {
	syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(signal), uintptr(unsafe.Pointer(set)),
		uintptr(unsafe.Pointer(old)), unsafe.Sizeof(action{}.mask), 0, 0)
}

// keepHandlers returns a function that restores the current signal handlers. UCX, which many MPI libraries
// use, replaces those of SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGHUP and SIGUSR1 to print reports.
func keepHandlers() (restore func()) {
	var before [65]action
	for s := 1; s < len(before); s++ {
		sigaction(s, nil, &before[s])
	}
	return func() {
		for s := 1; s < len(before); s++ {
			var now action
			if sigaction(s, nil, &now); now.handler != before[s].handler {
				sigaction(s, &before[s], nil)
			}
		}
	}
}
