package oip

// A message of Protocol Buffers is a sequence of fields, each a key (number and type) and a value
// (protobuf.dev, "Encoding"). Package protowire decodes the values.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// errMalformed is wrapped by the errors about bytes that are not a message.
var errMalformed = errors.New("malformed message")

// field is one field of a message. Bits or Bytes is set, depending on Kind.
type field struct {
	Number protowire.Number
	Kind   protowire.Type
	Bits   uint64 // of a varint, or of 32 or 64 fixed bits
	Bytes  []byte // part of the message
}

// visitFields calls do for each field of a message, and stops at the first error of do. Groups, which are
// obsolete, are fields without a value.
func visitFields(message []byte, do func(field) error) error {
	for len(message) > 0 {
		f, size, err := next(message)
		if err != nil {
			return err
		}
		if err := do(f); err != nil {
			return err
		}
		message = message[size:]
	}
	return nil
}

// next returns the first field of a message, and the number of its bytes.
func next(message []byte) (f field, size int, err error) {
	key := 0
	if f.Number, f.Kind, key = protowire.ConsumeTag(message); key < 0 {
		return f, 0, fmt.Errorf("%w: no field where one should begin: %w", errMalformed, protowire.ParseError(key))
	}
	value := f.consume(message[key:])
	if value < 0 {
		return f, 0, fmt.Errorf("%w: field %d: %w", errMalformed, f.Number, protowire.ParseError(value))
	}
	return f, key + value, nil
}

// consume sets the value of f, and returns the number of its bytes, or a negative number that
// [protowire.ParseError] explains.
func (f *field) consume(b []byte) (n int) {
	switch f.Kind {
	case protowire.VarintType:
		f.Bits, n = protowire.ConsumeVarint(b)
	case protowire.BytesType:
		f.Bytes, n = protowire.ConsumeBytes(b)
	case protowire.Fixed64Type:
		f.Bits, n = protowire.ConsumeFixed64(b)
	case protowire.Fixed32Type:
		var bits uint32
		bits, n = protowire.ConsumeFixed32(b)
		f.Bits = uint64(bits)
	default:
		n = protowire.ConsumeFieldValue(f.Number, f.Kind, b)
	}
	return n
}

// ints appends the values of a field of repeated integers, packed or not.
func (f field) ints(dst []int64) ([]int64, error) {
	if f.Kind == protowire.VarintType {
		return append(dst, int64(f.Bits)), nil
	}
	for b := f.Bytes; len(b) > 0; {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return nil, fmt.Errorf("%w: bad integer in field %d", errMalformed, f.Number)
		}
		dst, b = append(dst, int64(v)), b[n:]
	}
	return dst, nil
}

// floats appends the values of a field of repeated float32, packed or not.
func (f field) floats(dst []float64) ([]float64, error) {
	if f.Kind == protowire.Fixed32Type {
		return append(dst, float64(math.Float32frombits(uint32(f.Bits)))), nil
	}
	if len(f.Bytes)%4 != 0 {
		return nil, fmt.Errorf("%w: field %d of float32 has %d bytes, which is not a multiple of 4", errMalformed,
			f.Number, len(f.Bytes))
	}
	for b := f.Bytes; len(b) > 0; b = b[4:] {
		dst = append(dst, float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
	}
	return dst, nil
}

// doubles appends the values of a field of repeated float64, packed or not.
func (f field) doubles(dst []float64) ([]float64, error) {
	if f.Kind == protowire.Fixed64Type {
		return append(dst, math.Float64frombits(f.Bits)), nil
	}
	if len(f.Bytes)%8 != 0 {
		return nil, fmt.Errorf("%w: field %d of float64 has %d bytes, which is not a multiple of 8", errMalformed,
			f.Number, len(f.Bytes))
	}
	for b := f.Bytes; len(b) > 0; b = b[8:] {
		dst = append(dst, math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
	return dst, nil
}
