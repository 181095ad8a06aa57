// Package mpi joins the ranks that a launcher, such as mpirun, has started: [World] is a [peers.Transport].
//
// With the build tag mpi, the MPI library of the machine is opened at run time, without cgo, so that one
// binary runs with Open MPI, MPICH and its relatives (Intel MPI, MVAPICH), and libraries with the standard
// binary interface of MPI 5. Without the tag, and on systems other than Linux and macOS, there is no MPI, and
// a process that a launcher has started beside others is an error: each would do all the work, and write
// the same files.
//
// # Rules
//
//   - All calls come from the goroutine that has called [Join], which stays on its thread
//     (MPI_THREAD_FUNNELED).
//   - Buffers that MPI sees are outside of Go's heap: a device may keep their pages registered, which Go's
//     garbage collector would give back to the system. They are small, and large exchanges take several
//     calls.
//   - Libraries replace signal handlers when they are initialized. Go's handlers are restored, because
//     without them a nil dereference would not be a panic.
//   - A rank that ends without [World.Leave] with status 0 would end the others, too, with status 0 (MPICH).
package mpi

import (
	"os"
	"strconv"
	"time"
)

// Variables of the environment that this package reads.
const (
	libraryVariable = "LAMBDAMART_MPI"         // the library to open, or "off": the process is alone
	timeoutVariable = "LAMBDAMART_MPI_TIMEOUT" // seconds in a collective after which a rank gives up
)

// sizes are the variables in which launchers tell a process how many processes there are.
var sizes = []string{
	"OMPI_COMM_WORLD_SIZE", // mpirun of Open MPI
	"PMI_SIZE",             // mpiexec of MPICH and Intel MPI, srun --mpi=pmi2
	"MV2_COMM_WORLD_SIZE",  // MVAPICH
	"SLURM_STEP_NUM_TASKS", // srun
}

// Launch describes the launcher that has started this process, according to the environment.
type Launch struct {
	Variable string // the environment variable that Size is from; empty if no launcher was found
	Size     int    // processes of the job
}

// FindLaunch finds the launcher in the environment.
func FindLaunch() Launch {
	if os.Getenv(libraryVariable) == "off" {
		return Launch{}
	}
	for _, name := range sizes {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil && n > 0 {
			return Launch{name, n}
		}
	}
	return Launch{}
}

// Traffic is what a rank has exchanged with the others.
type Traffic struct {
	Collectives int
	Bytes       int64         // of the messages that this rank has contributed
	Waiting     time.Duration // in collectives: for the network, and for slower ranks
}

// Since returns the traffic since before was measured.
func (t Traffic) Since(before Traffic) Traffic {
	return Traffic{t.Collectives - before.Collectives, t.Bytes - before.Bytes, t.Waiting - before.Waiting}
}
