// Package reuse sizes buffers that live longer than one use.
package reuse

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
