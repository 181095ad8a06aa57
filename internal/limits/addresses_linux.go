package limits

import (
	"io/fs"
	"os"
	"strconv"
	"sync"
	"syscall"
)

// ofRuntime is about what the runtime still reserves after startup: stacks and arenas of threads, and the
// heap in pieces of 64 MB.
const ofRuntime = 256 << 20

// addresses returns how many bytes of the limit of the address space (RLIMIT_AS, ulimit -v) were left for
// data when it was first called. limited is false if there is no such limit. At startup, the runtime reserves
// more than a gigabyte of addresses that are not memory.
var addresses = sync.OnceValues(func() (left int64, limited bool) {
	var r syscall.Rlimit
	used := reserved(os.DirFS("/"))
	if syscall.Getrlimit(syscall.RLIMIT_AS, &r) != nil || r.Cur >= noLimit || used == 0 {
		return 0, false
	}
	return max(0, int64(r.Cur)-used-ofRuntime), true
})

// reserved returns the size of the address space of the process in bytes, 0 if it is not known: the first
// number of statm counts its pages.
func reserved(root fs.FS) int64 {
	w := words(root, "proc/self/statm")
	if len(w) == 0 {
		return 0
	}
	pages, _ := strconv.ParseInt(w[0], 10, 64)
	return pages * int64(os.Getpagesize())
}
