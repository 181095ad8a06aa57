package main

import (
	"os"
	"runtime"
	"runtime/debug"

	"github.com/lambdamart/lambdamart/internal/limits"
)

// useLimits keeps the process within what its control group may use, unless the variables of the Go
// runtime, GOMAXPROCS and GOMEMLIMIT, say otherwise.
//
// The runtime already has as many threads compute as there are CPUs in the quota, rounded up, but two
// at least. With a quota of one CPU or less, two take longer than one: they use it up in half the time
// and then wait for each other.
//
// The garbage collector lets the heap grow to twice what is in use, whatever the limit of memory. It works
// more where the limit is near. A tenth is left for all else, less than that where the limit is small, since
// the runtime counts a few megabytes that it never touches.
func useLimits() {
	if cpus, limited := limits.CPUs(); limited && cpus <= 1 && os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(1)
	}
	if bytes, _, limited := limits.Memory(); limited && os.Getenv("GOMEMLIMIT") == "" {
		const untouched = 2 << 20
		debug.SetMemoryLimit(bytes - max(bytes/10-untouched, bytes/20))
	}
}
