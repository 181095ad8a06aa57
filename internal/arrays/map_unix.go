//go:build unix

package arrays

import (
	"os"

	"golang.org/x/sys/unix"
)

// Map maps the first size bytes of a file into memory that is shared with other processes.
func Map(f *os.File, size int, writable bool) (data []byte, unmap func() error, err error) {
	access := unix.PROT_READ
	if writable {
		access |= unix.PROT_WRITE
	}
	data, err = unix.Mmap(int(f.Fd()), 0, size, access, unix.MAP_SHARED)
	return data, func() error { return unix.Munmap(data) }, err
}
