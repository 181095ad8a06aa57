package outofcore

import (
	"golang.org/x/sys/unix"

	"github.com/lambdamart/lambdamart/internal/stream"
)

// mapFile maps a new file without a name. Its blocks are reserved, so that no write to the mapping can fail
// because the disk is full.
func mapFile(folder string, size int) ([]byte, error) {
	f, err := stream.Temporary(folder)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := unix.Fallocate(int(f.Fd()), 0, 0, int64(size)); err != nil {
		return nil, err
	}
	return unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

func unmap(b []byte) error { return unix.Munmap(b) }
