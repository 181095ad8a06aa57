// Package reuse sizes buffers that live longer than one use.
package reuse

import (
	"sync"
	"unsafe"
)

// Slice returns a slice of length n: in the memory of s if that is large enough, and in new
// memory of exactly n elements otherwise. The elements are whatever the memory held before, so
// the caller must write each one before reading it. s must not be used afterwards.
func Slice[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// Zeros returns a slice of n zeros. s is as in [Slice].
func Zeros[T any](s []T, n int) []T {
	s = Slice(s, n)
	clear(s)
	return s
}

// Touch loads a number of each cache line and returns their sum, which has no meaning: the caller keeps it,
// so that the compiler does not remove the loads. It is called for all memory that is about to be read in
// another order, so that the cache misses overlap.
func Touch[T float64 | float32 | uint16 | uint8](values []T) float64 {
	cacheLine := 64 / int(unsafe.Sizeof(T(0))) // in numbers; it affects only the speed
	sum := T(0)
	for i := 0; i < len(values); i += cacheLine {
		sum += values[i]
	}
	return float64(sum)
}

// Pool is a [sync.Pool] of values of one type, which begin as zero values.
type Pool[T any] struct{ pool sync.Pool }

// Get returns a value that was put, or a new one.
func (p *Pool[T]) Get() *T {
	if v, ok := p.pool.Get().(*T); ok {
		return v
	}
	return new(T)
}

// Put gives a value back.
func (p *Pool[T]) Put(v *T) { p.pool.Put(v) }
