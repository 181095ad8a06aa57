package worker

import (
	"fmt"
	"os"
	"strconv"
	"unsafe"
)

// file is a file that the parent process has filled with arrays: an open file descriptor that this
// process inherited, or a path.
type file struct {
	FD   int    `json:"fd"`
	Path string `json:"path"`
	Size int    `json:"size"`
}

func (f file) open(flag int) (*os.File, error) {
	if f.Path != "" {
		return os.OpenFile(f.Path, flag, 0)
	}
	return os.NewFile(uintptr(f.FD), fmt.Sprintf("file descriptor %d", f.FD)), nil
}

// name returns a path by which the file can be opened, which on systems other than Linux only a file
// with a path has.
func (f file) name() string {
	if f.Path != "" {
		return f.Path
	}
	return fmt.Sprintf("/proc/self/fd/%d", f.FD)
}

// mapped maps the file into memory. The file itself is closed: the mapping alone keeps its memory.
func (f file) mapped() (data []byte, unmap func() error, err error) {
	opened, err := f.open(os.O_RDONLY)
	if err != nil {
		return nil, nil, err
	}
	defer opened.Close()
	if data, unmap, err = mapFile(opened, f.Size, false); err != nil {
		return nil, nil, fmt.Errorf("arrays of the parent process: %w", err)
	}
	return data, unmap, nil
}

// number is an element type of arrays.
type number interface {
	float64 | float32 | int64 | int32
}

// vector returns n numbers of data that begin at an offset, without copying them.
func vector[T number](data []byte, offset, n int) ([]T, error) {
	var zero T
	size := int(unsafe.Sizeof(zero))
	switch {
	case offset < 0 || n < 0 || offset > len(data) || n > (len(data)-offset)/size:
		return nil, fmt.Errorf("%d numbers at byte %d are not in the %d bytes of shared memory", n, offset, len(data))
	case offset%size != 0:
		return nil, fmt.Errorf("numbers at byte %d are not aligned", offset)
	case n == 0:
		return nil, nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&data[offset])), n), nil
}

// buffer is the memory in which the parent process puts rows and finds results. The environment names
// it: the number of an inherited file descriptor, or a path.
type buffer struct {
	file  *os.File
	data  []byte
	unmap func() error
}

const bufferName = "LAMBDAMART_WORKER_BUFFER"

// bytes returns the buffer, which the parent process has made at least so large.
func (b *buffer) bytes(size int) ([]byte, error) {
	if size <= len(b.data) {
		return b.data, nil
	}
	if b.file == nil {
		var err error
		if b.file, err = bufferFile(os.Getenv(bufferName)).open(os.O_RDWR); err != nil {
			return nil, err
		}
	}
	b.release()
	data, unmap, err := mapFile(b.file, size, true)
	if err != nil {
		return nil, fmt.Errorf("the buffer that is shared with the parent process: %w", err)
	}
	b.data, b.unmap = data, unmap
	return data, nil
}

func bufferFile(name string) file {
	if fd, err := strconv.Atoi(name); err == nil {
		return file{FD: fd}
	}
	return file{Path: name}
}

func (b *buffer) release() {
	if b.unmap != nil {
		b.unmap()
	}
	b.data, b.unmap = nil, nil
}

func (b *buffer) close() {
	b.release()
	if b.file != nil {
		b.file.Close()
	}
}
