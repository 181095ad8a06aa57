package binned

import (
	"encoding/binary"
	"unsafe"
)

// number is the type of the elements of a section that is used in place.
type number interface {
	int64 | uint32 | uint64 | float64
}

// isLittleEndian reports whether numbers are stored in memory as in a file.
func isLittleEndian() bool {
	return binary.NativeEndian.Uint16([]byte{1, 0}) == 1
}

// numbersOf returns the little-endian numbers of a section: in its memory if the machine is little-endian,
// and copies otherwise.
func numbersOf[T number](section []byte) []T {
	var zero T
	size := int(unsafe.Sizeof(zero))
	n := len(section) / size
	if n == 0 {
		return nil
	}
	first := unsafe.Pointer(unsafe.SliceData(section))
	if isLittleEndian() && uintptr(first)%uintptr(size) == 0 {
		return unsafe.Slice((*T)(first), n)
	}
	values := make([]T, n)
	if _, err := binary.Decode(section, binary.LittleEndian, values); err != nil {
		panic(err) // the section has as many bytes
	}
	return values
}

// bytesOf is the inverse of numbersOf.
func bytesOf[T number](values []T) []byte {
	var zero T
	if len(values) > 0 && isLittleEndian() {
		return unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), len(values)*int(unsafe.Sizeof(zero)))
	}
	section, err := binary.Append(nil, binary.LittleEndian, values)
	if err != nil {
		panic(err) // numbers have a size
	}
	return section
}
