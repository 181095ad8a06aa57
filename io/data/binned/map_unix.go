//go:build unix

package binned

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

var errNotRegular = errors.New("not a regular file; binned data is mapped into memory")

// load maps a file into memory. unmap must be called when data is not used any more.
func load(path string) (data []byte, unmap func() error, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close() // the mapping remains
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	size := int(info.Size())
	switch {
	case !info.Mode().IsRegular():
		return nil, nil, errNotRegular
	case int64(size) != info.Size():
		return nil, nil, unix.EFBIG
	case size == 0: // nothing can be mapped; decode returns the error
		return nil, func() error { return nil }, nil
	}
	data, err = unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	return data, func() error { return unix.Munmap(data) }, err
}
