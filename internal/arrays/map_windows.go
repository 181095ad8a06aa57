package arrays

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Map maps the first size bytes of a file into memory: see map_unix.go.
func Map(f *os.File, size int, writable bool) (data []byte, unmap func() error, err error) {
	protection, access := uint32(windows.PAGE_READONLY), uint32(windows.FILE_MAP_READ)
	if writable {
		protection, access = windows.PAGE_READWRITE, windows.FILE_MAP_READ|windows.FILE_MAP_WRITE
	}
	mapping, err := windows.CreateFileMapping(windows.Handle(f.Fd()), nil, protection, 0, 0, nil)
	if err != nil {
		return nil, nil, err
	}
	defer windows.CloseHandle(mapping) // the view remains
	address, err := windows.MapViewOfFile(mapping, access, 0, 0, uintptr(size))
	if err != nil {
		return nil, nil, err
	}
	data = unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), size)
	return data, func() error { return windows.UnmapViewOfFile(address) }, nil
}
