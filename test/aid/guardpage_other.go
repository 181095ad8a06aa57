//go:build !linux

package aid

import (
	"os"
	"testing"
)

// GuardedPages returns this many pages of memory. Only on Linux what lies beside it cannot be accessed.
func GuardedPages(_ testing.TB, pages int) []byte { return make([]byte, pages*os.Getpagesize()) }
