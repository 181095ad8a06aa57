// Package limits finds how many CPUs and how much memory the process may use on a machine that it
// shares: what its control group, or one above it, is limited to (cgroups(7)). Containers have such
// limits, and batch systems set them.
//
// Both versions of control groups are read. If there are none, memory is limited by the machine itself; on
// systems other than Linux nothing is known.
package limits

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/internal/wording"
)

// CPUs returns the CPU time that the process may use for a second, in CPUs: 1.5 is 150 ms in every
// 100 ms. limited is false if there is no limit.
func CPUs() (cpus float64, limited bool) { return cpusOf(os.DirFS("/")) }

// Addresses is the source of a limit of the address space.
const Addresses = "what ulimit -v leaves beside the reserves of the Go runtime"

// Memory returns the memory that the process may use, in bytes, and the source of this limit: a file, or what
// ulimit -v left when Memory was first called. limited is false if there is no limit.
func Memory() (bytes int64, source string, limited bool) {
	bytes, source, limited = memoryOf(os.DirFS("/"))
	if left, few := addresses(); few && left < bytes {
		return left, Addresses, true
	}
	return bytes, source, limited
}

// cpusOf reads cpu.max, "QUOTA PERIOD" in microseconds, where "max" is no limit, and in version 1
// cpu.cfs_quota_us, where -1 is none, and cpu.cfs_period_us.
func cpusOf(root fs.FS) (cpus float64, limited bool) {
	least := math.Inf(1)
	for _, folder := range groups(root, "cpu") {
		quota, period := words(root, path.Join(folder, "cpu.max")), ""
		if len(quota) == 2 {
			period = quota[1]
		} else if quota = words(root, path.Join(folder, "cpu.cfs_quota_us")); len(quota) == 1 {
			period = strings.Join(words(root, path.Join(folder, "cpu.cfs_period_us")), "")
		} else {
			continue
		}
		q, err := strconv.ParseFloat(quota[0], 64)
		p, errPeriod := strconv.ParseFloat(period, 64)
		if err == nil && errPeriod == nil && q > 0 && p > 0 {
			least = min(least, q/p)
		}
	}
	return least, !math.IsInf(least, 1)
}

// noLimit is a limit that no machine reaches: version 1 has a number of that size for no limit.
const noLimit = 1 << 60

// memoryOf reads memory.max, in bytes, where "max" is no limit, and memory.limit_in_bytes of version 1.
// The machine has no more than its memory and the space to swap.
func memoryOf(root fs.FS) (bytes int64, file string, limited bool) {
	bytes, file = noLimit, "/"+memInfo
	if n := machine(root); n > 0 {
		bytes = n
	}
	for _, folder := range groups(root, "memory") {
		for _, name := range []string{"memory.max", "memory.limit_in_bytes"} {
			w := words(root, path.Join(folder, name))
			if len(w) != 1 {
				continue
			}
			if n, err := strconv.ParseInt(w[0], 10, 64); err == nil && n >= 0 && n < bytes {
				bytes, file = n, "/"+path.Join(folder, name)
			}
		}
	}
	return bytes, file, bytes < noLimit
}

const memInfo = "proc/meminfo"

// machine returns the memory of the machine in bytes, with the space to swap, 0 if it is not known. Lines
// are "MemTotal:   24684092 kB".
func machine(root fs.FS) (bytes int64) {
	w := words(root, memInfo)
	for i, word := range w {
		if (word == "MemTotal:" || word == "SwapTotal:") && i+1 < len(w) {
			kilobytes, _ := strconv.ParseInt(w[i+1], 10, 64)
			bytes += kilobytes << 10
		}
	}
	return bytes
}

// words returns the words of a small file, none if it cannot be read.
func words(root fs.FS, name string) []string {
	b, err := fs.ReadFile(root, name)
	if err != nil {
		return nil
	}
	return strings.Fields(string(b))
}

// ErrMemory is wrapped by the error for work that needs more memory than the process may use.
var ErrMemory = errors.New("not enough memory")

// Check returns an error that wraps [ErrMemory] if this many bytes are more than nine tenths of what the
// process may use, since the program itself needs some: the system ends a process that uses more, without a
// message. what names the work in the error, and advice explains how to make it need less.
func Check(bytes int, what, advice string) error {
	most, source, limited := Room()
	most -= most / 10
	if !limited || int64(bytes) <= most {
		return nil
	}
	return fmt.Errorf("%w: %s needs about %s MB, and may use %s MB, nine tenths of %s: %s; the environment "+
		"variable "+
		"GOMEMLIMIT=off tries it all the same",
		ErrMemory, what, wording.Thousands(bytes/1e6+1), wording.Thousands(most/1e6), source, advice)
}

// Room returns the memory that the process may use, in bytes, and the source of this limit: the variable
// GOMEMLIMIT of the Go runtime if it is set, and otherwise that of [Memory].
func Room() (bytes int64, source string, limited bool) {
	if os.Getenv("GOMEMLIMIT") == "" {
		return Memory()
	}
	return debug.SetMemoryLimit(-1), "GOMEMLIMIT", true
}
