package scratch

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps a new file without a name. Its blocks are reserved, so that no store meets a full disk.
func mapFile(folder string, size int) ([]byte, error) {
	f, err := os.CreateTemp(folder, ".lambdamart-*.tmp")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return nil, err
	}
	if err := unix.Fallocate(int(f.Fd()), 0, 0, int64(size)); err != nil {
		return nil, err
	}
	return unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

func unmap(b []byte) error { return unix.Munmap(b) }
