//go:build mpi && (linux || darwin)

package mpi

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/ebitengine/purego"
)

// library is an MPI library that is open.
type library struct {
	name string
	constants
	functions
}

// constants are the handles that a binary interface passes to functions.
type constants struct {
	world, int64, sum, max uintptr
	inPlace, funneled      uintptr
}

// functions are addresses in the library.
type functions struct {
	initThread, finalize, rank, size, abort, version uintptr
	allreduce, reduceScatter, allgather              uintptr

	exit uintptr // C's
}

// names are file names of libraries, the likeliest first. Open MPI and MPICH have several, by version.
func names() []string {
	if name := os.Getenv(libraryVariable); name != "" {
		return []string{name}
	}
	openMPI := []string{"libmpi.so.40", "libmpi.so.80"}
	mpich := []string{"libmpi_abi.so.1", "libmpi_abi.so.0", "libmpi.so.12", "libmpich.so.12"}
	if runtime.GOOS == "darwin" {
		openMPI, mpich = []string{"libmpi.40.dylib"}, []string{"libmpi_abi.1.dylib", "libmpi.12.dylib"}
	}
	if FindLaunch().Variable == "OMPI_COMM_WORLD_SIZE" || os.Getenv("PMIX_RANK") != "" {
		return append(openMPI, mpich...)
	}
	return append(mpich, openMPI...)
}

// open opens the MPI library.
func open() (*library, error) {
	var errs []error
	for _, name := range names() {
		// RTLD_GLOBAL, because Open MPI opens plug-ins that look for its symbols.
		handle, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		l := &library{name: name}
		if err := l.find(handle); err != nil {
			return nil, fmt.Errorf("%s is not a known MPI library: %w", name, err)
		}
		return l, nil
	}
	return nil, fmt.Errorf("no MPI library is found; install one, add its folder to LD_LIBRARY_PATH, "+
		"or name it in %s: %w", libraryVariable, errors.Join(errs...))
}

// find finds the symbols of a library.
func (l *library) find(handle uintptr) error {
	if err := l.findConstants(handle); err != nil {
		return err
	}
	return lookUp(handle, map[string]*uintptr{
		"MPI_Init_thread": &l.initThread, "MPI_Finalize": &l.finalize,
		"MPI_Comm_rank": &l.rank, "MPI_Comm_size": &l.size,
		"MPI_Abort": &l.abort, "MPI_Get_library_version": &l.version,
		"MPI_Allreduce": &l.allreduce, "MPI_Reduce_scatter": &l.reduceScatter, "MPI_Allgather": &l.allgather,
		"exit": &l.exit,
	})
}

// findConstants detects which of three binary interfaces a library has. Open MPI's handles are addresses
// of symbols. Those of MPICH (the MPICH ABI Compatibility Initiative) and of MPI 5 (MPI: A Message-Passing
// Interface Standard, version 5.0, chapter 20) are numbers.
func (l *library) findConstants(handle uintptr) error {
	if _, err := purego.Dlsym(handle, "ompi_mpi_comm_world"); err == nil && !strings.Contains(l.name, "_abi") {
		l.inPlace, l.funneled = 1, 1
		return lookUp(handle, map[string]*uintptr{
			"ompi_mpi_comm_world": &l.world, "ompi_mpi_int64_t": &l.int64,
			"ompi_mpi_op_sum": &l.sum, "ompi_mpi_op_max": &l.max,
		})
	}
	if _, err := purego.Dlsym(handle, "MPI_Abi_get_version"); err == nil && strings.Contains(l.name, "_abi") {
		l.constants = constants{world: 0x101, int64: 0x258, sum: 0x21, max: 0x23, inPlace: 1, funneled: 1024}
		return nil
	}
	l.constants = constants{world: 0x44000000, int64: 0x4c00083a, sum: 0x58000003, max: 0x58000001,
		inPlace: ^uintptr(0), funneled: 1}
	return nil
}

func lookUp(handle uintptr, symbols map[string]*uintptr) (err error) {
	for symbol, dst := range symbols {
		if *dst, err = purego.Dlsym(handle, symbol); err != nil {
			return err
		}
	}
	return nil
}
