package limits

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/lambdamart/lambdamart/internal/wording"
)

// ErrMemory is wrapped by the error for work that needs more memory than the process may use.
var ErrMemory = errors.New("not enough memory")

// Check returns an error that wraps [ErrMemory] if this many bytes are more than nine tenths of what the
// process may use, since the program itself needs some: the system ends a process that uses more, without a
// message. what names the work in the error, and advice explains how to make it need less.
func Check(bytes int, what, advice string) error {
	most, source, limited := Room()
	if !limited || int64(bytes) <= most-most/10 {
		return nil
	}
	return fmt.Errorf("%w: %s needs about %s MB, and may use %s MB (%s): %s; the environment variable "+
		"GOMEMLIMIT=off tries it all the same",
		ErrMemory, what, wording.Thousands(bytes/1e6+1), wording.Thousands(most/1e6), source, advice)
}

// Room returns the memory that the process may use, in bytes, and the source of this limit: the variable
// GOMEMLIMIT of the Go runtime if it is set, and otherwise the file that [Memory] returns.
func Room() (bytes int64, source string, limited bool) {
	if os.Getenv("GOMEMLIMIT") == "" {
		return Memory()
	}
	return debug.SetMemoryLimit(-1), "GOMEMLIMIT", true
}
