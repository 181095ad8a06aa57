// Package outofcore is for data larger than memory: it allocates memory that is backed by a file, and reads a
// large file past the cache of the operating system.
//
// Each pass over a file that does not fit into memory reads all of it. In a mapping, each page is a fault;
// the kernel evicts pages that it has read ahead before they are used, and keeps those that the next pass
// needs last. So a pass reads pieces of the file into buffers of its own, which leaves the cache alone.
package outofcore

import (
	"fmt"
	"os"
)

// Reader reads bytes of a mapped file without using the mapping, and calls use with one piece after the
// other. The length of each piece but the last is a multiple of unit. A piece is valid until use returns. A
// Reader panics with an [*Error] if the bytes cannot be read. Goroutines may share it.
//
// A nil Reader calls use once, with the mapped bytes.
type Reader func(mapped []byte, unit int, use func(piece []byte))

// Each calls r, or if r is nil use with all bytes.
func (r Reader) Each(bytes []byte, unit int, use func(piece []byte)) {
	if r == nil {
		use(bytes)
		return
	}
	r(bytes, unit, use)
}

// pieceSize is about the number of bytes that are read at a time, enough for a disk to be at full speed.
const pieceSize = 1 << 19

// Error means that bytes of a file could not be read.
type Error struct {
	File *os.File
	Err  error
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %v", e.File.Name(), e.Err) }
func (e *Error) Unwrap() error { return e.Err }
