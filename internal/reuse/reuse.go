// Package reuse sizes buffers that live longer than one use.
package reuse

import "sync"

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
