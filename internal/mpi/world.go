//go:build mpi && (linux || darwin)

package mpi

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
	"golang.org/x/sys/unix"

	"github.com/lambdamart/lambdamart/internal/peers"
)

// Built reports whether the program can join ranks.
const Built = true

// World is the group of all ranks, MPI_COMM_WORLD.
type World struct {
	lib        *library
	rank, size int
	version    string
	host       string

	in, out []int64                   // outside of Go's heap: what MPI reads and writes
	counts  []int32                   // likewise
	traffic Traffic                   // so far
	since   atomic.Pointer[time.Time] // when the collective began that this rank is in; nil: it is in none
}

var _ peers.Transport = (*World)(nil)

// bufferWords is the number of integers that are exchanged at a time.
const bufferWords = 1 << 20

// Join joins the ranks that a launcher has started, and keeps the calling goroutine on its thread. It
// returns nil if no launcher has started the process, which is alone then. Call Leave at the end.
func Join() (*World, error) {
	launch := FindLaunch()
	if launch.Variable == "" {
		return nil, nil
	}
	runtime.LockOSThread()
	defer keepHandlers()()
	lib, err := open()
	if err != nil {
		if launch.Size == 1 {
			return nil, nil
		}
		return nil, err
	}
	w := &World{lib: lib, counts: offHeap[int32](1 << 16),
		in: offHeap[int64](bufferWords), out: offHeap[int64](bufferWords)}
	if err := w.init(launch); err != nil {
		return nil, err
	}
	w.watch()
	return w, nil
}

// init initializes the library.
func (w *World) init(launch Launch) error {
	at := address(w.counts)
	if code := call(w.lib.initThread, 0, 0, w.lib.funneled, at); code != 0 {
		return fmt.Errorf("MPI_Init_thread of %s fails with code %d", w.lib.name, code)
	}
	call(w.lib.rank, w.lib.world, at)
	w.rank = int(w.counts[0])
	call(w.lib.size, w.lib.world, at)
	w.size = int(w.counts[0])
	call(w.lib.version, address(w.in), at)
	text := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w.in))), max(0, min(int(w.counts[0]), 8192)))
	w.version, _, _ = strings.Cut(string(text), "\n")
	w.version = strings.Join(strings.Fields(strings.Trim(w.version, "\x00")), " ")
	w.host, _ = os.Hostname()
	switch {
	case w.size != launch.Size:
		return launch.errSingleton(w.size, w.Library())
	case w.size > len(w.counts):
		return fmt.Errorf("%d ranks; at most %d are possible", w.size, len(w.counts))
	}
	return nil
}

// offHeap returns memory outside of Go's heap, which is never given back.
func offHeap[T any](n int) []T {
	var element T
	b, err := unix.Mmap(-1, 0, n*int(unsafe.Sizeof(element)), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		panic(fmt.Sprintf("mpi: memory for buffers: %v", err))
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

func address[T any](s []T) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(s))) }

func call(function uintptr, args ...uintptr) int {
	result, _, _ := purego.SyscallN(function, args...)
	return int(int32(result))
}

// Library returns the version and the file name of the MPI library.
func (w *World) Library() string { return fmt.Sprintf("%s, %s", w.version, w.lib.name) }

// Host returns the name of this rank's machine.
func (w *World) Host() string { return w.host }

// Exchanged returns what this rank has exchanged with the others so far.
func (w *World) Exchanged() Traffic { return w.traffic }

// Rank implements [peers.Transport].
func (w *World) Rank() int { return w.rank }

// Size implements [peers.Transport].
func (w *World) Size() int { return w.size }

// collective calls a function of the library to which this rank contributes this many integers. By default
// the library ends all ranks itself on an error, and returns no code.
func (w *World) collective(name string, words int, function uintptr, args ...uintptr) {
	start := time.Now()
	w.since.Store(&start)
	code := call(function, args...)
	w.since.Store(nil)
	w.traffic.Collectives++
	w.traffic.Bytes += int64(words) * 8
	w.traffic.Waiting += time.Since(start)
	if code != 0 {
		fmt.Fprintf(os.Stderr, "lambdamart: rank %d of %d on %s: %s fails with code %d\n", w.rank, w.size, w.host,
			name, code)
		w.Abort(1)
	}
}

// Sum implements [peers.Transport].
func (w *World) Sum(data []int64) { w.allreduce(data, w.lib.sum) }

// Max implements [peers.Transport].
func (w *World) Max(data []int64) { w.allreduce(data, w.lib.max) }

func (w *World) allreduce(data []int64, operation uintptr) {
	for len(data) > 0 {
		n := copy(w.in, data)
		w.collective("MPI_Allreduce", n, w.lib.allreduce, w.lib.inPlace, address(w.in), uintptr(n),
			w.lib.int64, operation, w.lib.world)
		data = data[copy(data, w.in[:n]):]
	}
}

// ReduceScatter implements [peers.Transport]. Each call of the library exchanges as much of every rank's part
// as fits into its share of the buffer.
func (w *World) ReduceScatter(dst, src []int64, counts []int) {
	share := len(w.in) / w.size
	for from, more := 0, true; more; from += share {
		n, begin := 0, 0
		more = false
		for rank, count := range counts {
			part := src[begin:][:count]
			begin += count
			part = part[min(from, count):min(from+share, count)]
			n += copy(w.in[n:], part)
			w.counts[rank] = int32(len(part))
			more = more || from+share < count
		}
		w.collective("MPI_Reduce_scatter", n, w.lib.reduceScatter, address(w.in), address(w.out),
			address(w.counts), w.lib.int64, w.lib.sum, w.lib.world)
		if own := counts[w.rank]; from < own {
			copy(dst[from:min(from+share, own)], w.out)
		}
	}
}

// AllGather implements [peers.Transport].
func (w *World) AllGather(dst, src []int64) {
	share := len(w.out) / w.size
	for from := 0; from < len(src); from += share {
		n := copy(w.in, src[from:min(from+share, len(src))])
		w.collective("MPI_Allgather", n, w.lib.allgather, address(w.in), uintptr(n), w.lib.int64,
			address(w.out), uintptr(n), w.lib.int64, w.lib.world)
		for rank := range w.size {
			copy(dst[rank*len(src)+from:][:n], w.out[rank*n:])
		}
	}
}

// watch ends the program if it waits longer in a collective than the environment allows. MPI itself waits
// forever for a rank that hangs.
func (w *World) watch() {
	seconds, err := strconv.ParseFloat(os.Getenv(timeoutVariable), 64)
	if err != nil || seconds <= 0 {
		return
	}
	limit := time.Duration(seconds * float64(time.Second))
	go func() {
		for range time.Tick(min(time.Second, limit/4)) {
			if since := w.since.Load(); since != nil && time.Since(*since) > limit {
				fmt.Fprintf(os.Stderr, "lambdamart: rank %d of %d on %s has waited for the others for %v (%s=%v); "+
					"those that do not say so hang\n",
					w.rank, w.size, w.host, limit, timeoutVariable, seconds)
				time.Sleep(2 * time.Second) // so that the other ranks can report it, too
				os.Exit(1)
			}
		}
	}()
}

// patience is how long a rank that was interrupted waits for the others.
const patience = 20 * time.Second

// Leave ends this process with an exit status: the largest one of all ranks. A status of 0, or of an
// interruption (128 and more), waits for the others; any other one ends them.
//
// The process ends by C's exit, which calls the functions that the library has registered for it. Only then
// does MPICH 5 tell the launcher that this rank is done; a launcher that is not told kills the ranks that are
// not done.
func (w *World) Leave(status int) int {
	if status != 0 && status < 128 {
		w.Abort(status)
	}
	if status != 0 {
		time.AfterFunc(patience, func() { os.Exit(status) })
	}
	status = peers.Join(w).MaxOf(status)
	call(w.lib.finalize)
	call(w.lib.exit, uintptr(status))
	return status // not reached
}

// delivery is how long a launcher has to read what a rank has written before it is told to end all ranks.
// MPICH's launcher drops what it has not read by then, and the error message with it.
const delivery = 200 * time.Millisecond

// Abort ends all ranks with an exit status.
func (w *World) Abort(status int) {
	time.Sleep(delivery)
	call(w.lib.abort, w.lib.world, uintptr(status))
	os.Exit(status)
}

// errSingleton is the error for an MPI library that sees fewer processes than the launcher has started.
func (l Launch) errSingleton(size int, library string) error {
	return fmt.Errorf("a launcher has started %d processes (%s=%d), and the MPI library sees %d (%s): "+
		"they belong to different MPIs; start them by the mpirun of that library, by srun --mpi=pmix or "+
		"--mpi=pmi2, or name the launcher's library in %s",
		l.Size, l.Variable, l.Size, size, library, libraryVariable)
}
