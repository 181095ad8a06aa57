//go:build unix

package direct

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
	free  []*buffer // as many as were used at once: the garbage collector takes them from no pass
}

// NewFile returns a file of which mapped has all bytes. Nobody else reads f, since it may give whole pages
// only from now on. Where the file system has no other reads than those through the cache, passes do with
// these.
func NewFile(f *os.File, mapped []byte) *File {
	x := &File{file: f, mapped: mapped}
	if avoidCache(f) && x.fill(new(buffer), 0, min(1, len(mapped))) != nil {
		useCache(f)
	}
	return x
}

// Hold has passes use this many of the first bytes where they are mapped: memory has room for them. The
// system begins to read them. No pass may run meanwhile.
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

// take returns a buffer that nobody uses.
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

// TouchSeldom says that single pages of some bytes are read through the mapping at most, so that the system
// reads none around them. That it cannot does no harm.
func (x *File) TouchSeldom(bytes []byte) {
	page, at := os.Getpagesize(), x.offset(bytes)
	begin, end := (max(at, x.held)+page-1)/page*page, (at+len(bytes))/page*page
	if begin < end {
		_ = unix.Madvise(x.mapped[begin:end], unix.MADV_RANDOM)
	}
}

// offset returns where mapped bytes are in the file.
func (x *File) offset(bytes []byte) int {
	begin := uintptr(unsafe.Pointer(unsafe.SliceData(x.mapped)))
	return int(uintptr(unsafe.Pointer(unsafe.SliceData(bytes))) - begin)
}

// buffer has bytes of whole pages of a file, at an address that is one of a page.
type buffer struct {
	memory []byte
	piece  []byte // a part of memory, from the byte on that was asked for
}

// fill reads this many bytes of the file, and perhaps more.
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

// pages returns memory of this many bytes that begins with a page.
func (b *buffer) pages(size, page int) []byte {
	if len(b.memory) < size+page {
		b.memory = make([]byte, size+page)
	}
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(b.memory)))) & (page - 1)
	return b.memory[skip : skip+size]
}
