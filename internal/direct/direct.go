// Package direct reads a file that memory does not hold, past the cache of the system.
//
// Each pass over such a file reads all of it. In a mapping every page is a fault, and the system finds room
// for it by a look at many others, drops pages that were read ahead before they are used, and keeps those
// that the next pass comes to last. So a pass reads pieces of the file into memory of its own, and the cache
// stays as it is.
package direct

import (
	"fmt"
	"os"
)

// Reader reads bytes of a mapped file without the mapping: it calls use with them, piece after piece. All
// pieces but the last have a multiple of unit bytes, and none may be used after the call that gets it. A
// Reader panics with an [*Error] if the bytes cannot be read. Any number of goroutines may use it.
//
// A nil Reader calls use once, with the mapped bytes.
type Reader func(mapped []byte, unit int, use func(piece []byte))

// Each calls use with bytes as the reader does.
func (r Reader) Each(bytes []byte, unit int, use func(piece []byte)) {
	if r == nil {
		use(bytes)
		return
	}
	r(bytes, unit, use)
}

// pieceSize is about the number of bytes that are read at a time. A disk that has two such reads to do was as
// fast as with any other number and size of them.
const pieceSize = 1 << 19

// Error says that bytes of a file could not be read.
type Error struct {
	File *os.File
	Err  error
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %v", e.File.Name(), e.Err) }
func (e *Error) Unwrap() error { return e.Err }
