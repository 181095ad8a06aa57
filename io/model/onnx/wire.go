package onnx

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// Protobuf's wire form: a message is a sequence of fields, each a key (number<<3 |
// kind) and a value. (Protocol Buffers Documentation, "Encoding".)
const (
	kindVarint = 0
	kind64     = 1
	kindBytes  = 2
	kind32     = 5
)

func appendVarint(dst []byte, number int, v uint64) []byte {
	return binary.AppendUvarint(appendKey(dst, number, kindVarint), v)
}

func appendBytes(dst []byte, number int, v []byte) []byte {
	dst = binary.AppendUvarint(appendKey(dst, number, kindBytes), uint64(len(v)))
	return append(dst, v...)
}

func appendString(dst []byte, number int, v string) []byte {
	return appendBytes(dst, number, []byte(v))
}

func appendKey(dst []byte, number, kind int) []byte {
	return binary.AppendUvarint(dst, uint64(number)<<3|uint64(kind))
}

// field is one field of a message. Of bits and bytes one is filled.
type field struct {
	number, kind int
	bits         uint64 // varint, 32 or 64 bits
	bytes        []byte // part of the message
}

// nextField splits the first field off a message.
func nextField(message []byte) (f field, rest []byte, err error) {
	key, n := binary.Uvarint(message)
	if n <= 0 || key>>3 == 0 || key>>3 > math.MaxInt32 {
		return f, nil, fmt.Errorf("%w: no field where one should begin", ErrFormat)
	}
	f.number, f.kind = int(key>>3), int(key&7)
	rest = message[n:]
	width := 0
	switch f.kind {
	case kindVarint:
		f.bits, width = binary.Uvarint(rest)
	case kindBytes:
		length, n := binary.Uvarint(rest)
		if n <= 0 || length > uint64(len(rest)-n) {
			return f, nil, fmt.Errorf("%w: field %d ends too early: %w", ErrFormat, f.number, io.ErrUnexpectedEOF)
		}
		width = n + int(length)
		f.bytes = rest[n:width]
	case kind64:
		if width = 8; len(rest) >= 8 {
			f.bits = binary.LittleEndian.Uint64(rest)
		}
	case kind32:
		if width = 4; len(rest) >= 4 {
			f.bits = uint64(binary.LittleEndian.Uint32(rest))
		}
	default:
		return f, nil, fmt.Errorf("%w: field %d of unknown kind %d", ErrFormat, f.number, f.kind)
	}
	if width < 0 || width > len(rest) || f.kind == kindVarint && width == 0 {
		return f, nil, fmt.Errorf("%w: field %d ends too early: %w", ErrFormat, f.number, io.ErrUnexpectedEOF)
	}
	return f, rest[width:], nil
}

// visit calls do for each field of a message.
func visit(message []byte, do func(field) error) error {
	for len(message) > 0 {
		f, rest, err := nextField(message)
		if err != nil {
			return err
		}
		if err := do(f); err != nil {
			return err
		}
		message = rest
	}
	return nil
}

// ints appends the values of a field of repeated integers, packed or single.
func (f field) ints(dst []int64) ([]int64, error) {
	if f.kind == kindVarint {
		return append(dst, int64(f.bits)), nil
	}
	for b := f.bytes; len(b) > 0; {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, fmt.Errorf("%w: bad integer in field %d", ErrFormat, f.number)
		}
		dst, b = append(dst, int64(v)), b[n:]
	}
	return dst, nil
}

// floats appends the values of a field of repeated float32, packed or single.
func (f field) floats(dst []float64) ([]float64, error) {
	if f.kind == kind32 {
		return append(dst, float64(math.Float32frombits(uint32(f.bits)))), nil
	}
	if len(f.bytes)%4 != 0 {
		return nil, fmt.Errorf("%w: %d bytes of float32 in field %d", ErrFormat, len(f.bytes), f.number)
	}
	for b := f.bytes; len(b) > 0; b = b[4:] {
		dst = append(dst, float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
	}
	return dst, nil
}

// doubles appends the values of a field of repeated float64, packed or single.
func (f field) doubles(dst []float64) ([]float64, error) {
	if f.kind == kind64 {
		return append(dst, math.Float64frombits(f.bits)), nil
	}
	if len(f.bytes)%8 != 0 {
		return nil, fmt.Errorf("%w: %d bytes of float64 in field %d", ErrFormat, len(f.bytes), f.number)
	}
	for b := f.bytes; len(b) > 0; b = b[8:] {
		dst = append(dst, math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
	return dst, nil
}
