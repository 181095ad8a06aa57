package aid

import (
	"os"
	"testing"
	"unsafe"
)

// Fence is memory between two pages that cannot be accessed: a test whose assembly reads or writes beyond
// either end crashes.
type Fence[T any] []T

// NewFence returns memory that holds at least the given number of values, which must not have pointers. It is
// valid until the test ends.
func NewFence[T any](t testing.TB, most int) Fence[T] {
	t.Helper()
	var one T
	size, page := int(unsafe.Sizeof(one)), os.Getpagesize()
	pages := GuardedPages(t, max(1, (most*size+page-1)/page))
	return unsafe.Slice((*T)(unsafe.Pointer(&pages[0])), len(pages)/size)
}

// Slice returns n values at the end of the memory or at its beginning. What they were is undefined.
func (f Fence[T]) Slice(n int, atEnd bool) []T {
	if atEnd {
		return f[len(f)-n:]
	}
	return f[:n:n]
}

// Hold returns a copy of values at the end of the memory or at its beginning.
func (f Fence[T]) Hold(values []T, atEnd bool) []T {
	held := f.Slice(len(values), atEnd)
	copy(held, values)
	return held
}
