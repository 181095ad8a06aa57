package binned

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"runtime"
	"runtime/debug"
	"unsafe"

	"github.com/lambdamart/lambdamart/internal/par"
)

// Guard begins a use of the sets of open files, and returns the function that ends it, which the caller
// defers. If one of the files was written or cut off since it was opened, or can no longer be read, that
// function sets err to an error that wraps [ErrChanged]: what was computed means nothing.
//
// A load from the mapping beyond the end of a truncated file is a fault. Guard catches faults of its own
// goroutine and of the workers of package par. To find files whose content has changed, it computes all
// checksums again after use.
func Guard(err *error, files ...*File) (end func()) {
	if len(files) == 0 {
		return func() {}
	}
	before := debug.SetPanicOnFault(true)
	return func() {
		defer debug.SetPanicOnFault(before)
		if fault := faultOf(recover(), files); fault != nil {
			*err = fault
		}
		for _, f := range files {
			if changed := catchFault(f.verify, f); changed != nil {
				*err = changed
				return
			}
		}
	}
}

// catchFault returns the error of use, or one that names the file if use met a fault in its memory.
func catchFault(use func() error, f *File) (err error) {
	defer func() {
		if fault := faultOf(recover(), []*File{f}); fault != nil {
			err = fault
		}
	}()
	return use()
}

// faultOf returns the error for a panic about the memory of one of the files, and nil if there is no panic.
// It panics again for any other.
func faultOf(panicked any, files []*File) error {
	if panicked == nil {
		return nil
	}
	address, isFault := faultAddress(panicked)
	for _, f := range files {
		if isFault && f.holds(address) {
			return named(f.path, fault(ErrChanged, "its bytes can no longer be read"))
		}
	}
	panic(panicked)
}

// faultAddress returns the address in memory that could not be read, if the panic is such a fault.
func faultAddress(v any) (address uintptr, ok bool) {
	err, isError := v.(error)
	var memory interface {
		runtime.Error
		Addr() uintptr
	}
	if !isError || !errors.As(err, &memory) {
		return 0, false
	}
	return memory.Addr(), true
}

// holds reports whether an address is in the file's memory, up to the end of its last page.
func (f *File) holds(address uintptr) bool {
	first := uintptr(unsafe.Pointer(unsafe.SliceData(f.data)))
	page := uintptr(os.Getpagesize())
	return address >= first && address < first+(uintptr(len(f.data))+page-1)/page*page
}

// verify returns an error if the file has changed since it was opened.
func (f *File) verify() error {
	now, err := f.mapping.stat()
	if err != nil {
		return named(f.path, err)
	}
	if size := int64(len(f.data)); now.size != size {
		return named(f.path, fault(ErrChanged, "it had %d bytes and has %d", size, now.size))
	}
	pool := par.New(f.workers)
	defer pool.Close()
	if now == f.mapping.opened {
		_, err = verified(f.data, sumWith(pool))
	}
	if now != f.mapping.opened || err != nil {
		return named(f.path, fault(ErrChanged, "it was written"))
	}
	return nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sumBlock is the number of bytes in a block. Each block of a section has its own checksum.
const sumBlock = 1 << 20

// checksum computes the checksum of a section.
type checksum func(section []byte) uint32

// sumWith returns a checksum that sums blocks in parallel, by the workers of pool.
func sumWith(pool *par.Pool) checksum {
	return func(section []byte) uint32 {
		blocks := make([]byte, 4*((len(section)+sumBlock-1)/sumBlock))
		pool.Blocks(len(section), sumBlock, func(_, from, to int) {
			binary.LittleEndian.PutUint32(blocks[from/sumBlock*4:], crc32.Checksum(section[from:to], castagnoli))
		})
		return crc32.Checksum(blocks, castagnoli)
	}
}
