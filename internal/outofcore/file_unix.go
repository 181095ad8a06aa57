//go:build unix

package outofcore

import (
	"errors"
	"io"
	"os"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// File is a file and all of its bytes in a mapping.
type File struct {
	file   *os.File
	mapped []byte
	held   int // bytes

	mutex sync.Mutex
	free  []*buffer // unused buffers, which the garbage collector does not free, unlike those of a sync.Pool
}

// NewFile returns a file whose bytes are all in mapped. Nobody else may read f, which may only support reads
// of whole pages from now on. Passes read through the cache where the file system has no direct reads.
func NewFile(f *os.File, mapped []byte) *File {
	x := &File{file: f, mapped: mapped}
	if avoidCache(f) && x.fill(new(buffer), 0, min(1, len(mapped))) != nil {
		useCache(f)
	}
	return x
}

// Hold makes passes read the first bytes of the file from the mapping, because memory has room for this many
// of them. The system begins to load them. No pass may run at the same time.
func (x *File) Hold(bytes int) {
	x.held = min(max(0, bytes), len(x.mapped))
	if x.held > 0 {
		_ = unix.Madvise(x.mapped[:x.held], unix.MADV_WILLNEED)
	}
}

// Each is a [Reader].
func (x *File) Each(bytes []byte, unit int, use func(piece []byte)) {
	at := x.offset(bytes)
	held := len(bytes)
	if x.held-at < held {
		held = max(0, x.held-at) / unit * unit
	}
	if held > 0 {
		use(bytes[:held:held])
		at, bytes = at+held, bytes[held:]
	}
	most := max(unit, pieceSize/unit*unit)
	b := x.take()
	defer x.giveBack(b)
	for end := at + len(bytes); at < end; at += most {
		size := min(most, end-at)
		if err := x.fill(b, at, size); err != nil {
			panic(&Error{x.file, err})
		}
		use(b.piece[:size:size])
	}
}

// take returns an unused buffer.
func (x *File) take() *buffer {
	x.mutex.Lock()
	defer x.mutex.Unlock()
	if n := len(x.free); n > 0 {
		b := x.free[n-1]
		x.free = x.free[:n-1]
		return b
	}
	return new(buffer)
}

func (x *File) giveBack(b *buffer) {
	x.mutex.Lock()
	defer x.mutex.Unlock()
	x.free = append(x.free, b)
}

// TouchSeldom tells the system that few pages of some bytes are read through the mapping, so that it does not
// read ahead around them. Errors do no harm and are ignored.
func (x *File) TouchSeldom(bytes []byte) {
	page, at := os.Getpagesize(), x.offset(bytes)
	begin, end := (max(at, x.held)+page-1)/page*page, (at+len(bytes))/page*page
	if begin < end {
		_ = unix.Madvise(x.mapped[begin:end], unix.MADV_RANDOM)
	}
}

// offset returns the place of mapped bytes in the file.
func (x *File) offset(bytes []byte) int {
	begin := uintptr(unsafe.Pointer(unsafe.SliceData(x.mapped)))
	return int(uintptr(unsafe.Pointer(unsafe.SliceData(bytes))) - begin)
}

// buffer has bytes of whole pages of a file, at an address that is page-aligned.
type buffer struct {
	memory []byte
	piece  []byte // the part of memory from the first byte that was asked for
}

// fill reads size bytes of the file from at, and perhaps more.
func (x *File) fill(b *buffer, at, size int) error {
	page := os.Getpagesize()
	first := at / page * page
	pages := b.pages((at+size-first+page-1)/page*page, page)
	b.piece = pages[at-first:]
	for n := 0; n < at-first+size; {
		more, err := unix.Pread(int(x.file.Fd()), pages[n:], int64(first+n))
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return err
		case more == 0:
			return io.ErrUnexpectedEOF
		default:
			n += more
		}
	}
	return nil
}

// pages returns size bytes of memory, page-aligned.
func (b *buffer) pages(size, page int) []byte {
	if len(b.memory) < size+page {
		b.memory = make([]byte, size+page)
	}
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(b.memory)))) & (page - 1)
	return b.memory[skip : skip+size]
}
