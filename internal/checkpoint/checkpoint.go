// Package checkpoint encodes the state of a training run, and decodes it: numbers one after the other,
// little-endian, and slices as their length, in 8 bytes, and then their elements.
package checkpoint

import (
	"encoding/binary"
	"errors"
)

// ErrShort means that bytes end before the numbers that are to be read, or continue after them.
var ErrShort = errors.New("the stored numbers are fewer or more than there should be")

// Number is what can be stored. Integers have a fixed size.
type Number interface {
	~int8 | ~uint8 | ~int32 | ~uint32 | ~int64 | ~uint64 | ~float32 | ~float64
}

// Append appends a number to b.
func Append[T Number](b []byte, v T) []byte {
	b, _ = binary.Append(b, binary.LittleEndian, v) // fails for other types only
	return b
}

// AppendSlice appends a slice to b.
func AppendSlice[T Number](b []byte, v []T) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(len(v)))
	b, _ = binary.Append(b, binary.LittleEndian, v)
	return b
}

// Reader reads what Append and AppendSlice wrote. After the first error, everything that it reads is
// zero or empty.
type Reader struct {
	rest []byte
	err  error
}

// NewReader returns a reader of b.
func NewReader(b []byte) *Reader { return &Reader{rest: b} }

// Close returns [ErrShort] if numbers were missing, or if some were not read.
func (r *Reader) Close() error {
	if r.err == nil && len(r.rest) > 0 {
		return ErrShort
	}
	return r.err
}

// Failed reports whether numbers were missing.
func (r *Reader) Failed() bool { return r.err != nil }

// take returns the next n bytes, or nil if there are not that many.
func (r *Reader) take(n uint64) []byte {
	if r.err != nil || n > uint64(len(r.rest)) {
		r.err = ErrShort
		return nil
	}
	part := r.rest[:n]
	r.rest = r.rest[n:]
	return part
}

// Read reads a number.
func Read[T Number](r *Reader) T {
	var v T
	if part := r.take(uint64(binary.Size(v))); part != nil {
		_, _ = binary.Decode(part, binary.LittleEndian, &v)
	}
	return v
}

// ReadSlice reads a slice. An empty one is nil.
func ReadSlice[T Number](r *Reader) []T {
	var element T
	n, size := Read[uint64](r), uint64(binary.Size(element))
	if n == 0 || n > uint64(len(r.rest))/size {
		if n > 0 {
			r.err = ErrShort
		}
		return nil
	}
	v := make([]T, n)
	_, _ = binary.Decode(r.take(n*size), binary.LittleEndian, v)
	return v
}
