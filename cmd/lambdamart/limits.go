package main

import (
	"os"
	"runtime"
	"runtime/debug"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/internal/limits"
)

// useLimits keeps the process within the limits of its control group, unless the variables of the Go runtime,
// GOMAXPROCS and GOMEMLIMIT, are set.
//
// The runtime already limits the number of threads to the CPU quota, rounded up, but uses at least two. With
// a quota of one CPU or less, two threads are slower than one: they use up the quota in half the time and
// then wait for each other.
//
// The garbage collector lets the heap grow to twice its live size, regardless of the memory limit, and works
// more near GOMEMLIMIT. A tenth of the limit is left for everything else; less if the limit is small, because
// the runtime counts a few megabytes that it never touches.
func useLimits() {
	if cpus, limited := limits.CPUs(); limited && cpus <= 1 && os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(1)
	}
	if bytes, source, limited := limits.Memory(); limited && os.Getenv("GOMEMLIMIT") == "" {
		const untouched, few = 2 << 20, 128 << 20
		if source == limits.Addresses && bytes < few {
			cli.NewConsole(os.Stderr).Warn("ulimit -v leaves so few addresses that the Go runtime, which reserves " +
				"over 1 GB that is not memory, may end with \"out of memory\": add 2 GB to it, or limit the memory by " +
				"a control group instead (systemd-run -p MemoryMax=)")
		}
		debug.SetMemoryLimit(bytes - max(bytes/10-untouched, bytes/20))
	}
}
