//go:build linux

package aid

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// GuardedPages returns this many pages of memory, between two pages that cannot be accessed: assembly that
// reads or writes beyond either end faults. The memory is valid until the test ends.
func GuardedPages(t testing.TB, pages int) []byte {
	t.Helper()
	size := os.Getpagesize()
	all, err := unix.Mmap(-1, 0, (pages+2)*size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, unix.Munmap(all)) })
	require.NoError(t, unix.Mprotect(all[:size], unix.PROT_NONE))
	require.NoError(t, unix.Mprotect(all[len(all)-size:], unix.PROT_NONE))
	return all[size : len(all)-size : len(all)-size]
}
