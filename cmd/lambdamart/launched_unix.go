//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// notifyLaunched adds the signal that Open MPI's mpirun forwards to all processes.
func notifyLaunched(signals chan<- os.Signal) { signal.Notify(signals, syscall.SIGUSR1) }
