package onnx

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// A message of protobuf is a sequence of fields, each a key (number and type) and a value.
// Package protowire encodes and decodes them; generated code for onnx.proto and the protobuf
// runtime are not needed for one operator. protowire adds nothing to the stripped command
// (10.80 MB with it and with an encoder of our own). When the program starts, a package below it
// hashes nine samples of the executable, which takes less than a tenth of a millisecond.

func appendVarint(dst []byte, number protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(dst, number, protowire.VarintType), v)
}

func appendBytes(dst []byte, number protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(dst, number, protowire.BytesType), v)
}

func appendString(dst []byte, number protowire.Number, v string) []byte {
	return protowire.AppendString(protowire.AppendTag(dst, number, protowire.BytesType), v)
}

// field is one field of a message. Either bits or bytes is set, depending on kind.
type field struct {
	number protowire.Number
	kind   protowire.Type
	bits   uint64 // of a varint, or of 32 or 64 fixed bits
	bytes  []byte // part of the message
}

// nextField splits the first field off a message.
func nextField(message []byte) (f field, rest []byte, err error) {
	n := 0
	if f.number, f.kind, n = protowire.ConsumeTag(message); n < 0 {
		return f, nil, fmt.Errorf("%w: no field where one should begin", errFormat)
	}
	rest = message[n:]
	switch f.kind {
	case protowire.VarintType:
		f.bits, n = protowire.ConsumeVarint(rest)
	case protowire.BytesType:
		f.bytes, n = protowire.ConsumeBytes(rest)
	case protowire.Fixed64Type:
		f.bits, n = protowire.ConsumeFixed64(rest)
	case protowire.Fixed32Type:
		var bits uint32
		bits, n = protowire.ConsumeFixed32(rest)
		f.bits = uint64(bits)
	default:
		return f, nil, fmt.Errorf("%w: field %d of unknown kind %d", errFormat, f.number, f.kind)
	}
	if n < 0 {
		return f, nil, fmt.Errorf("%w: field %d ends too early: %w", errFormat, f.number, io.ErrUnexpectedEOF)
	}
	return f, rest[n:], nil
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

// ints appends the values of a field of repeated integers, packed or not.
func (f field) ints(dst []int64) ([]int64, error) {
	if f.kind == protowire.VarintType {
		return append(dst, int64(f.bits)), nil
	}
	for b := f.bytes; len(b) > 0; {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return nil, fmt.Errorf("%w: bad integer in field %d", errFormat, f.number)
		}
		dst, b = append(dst, int64(v)), b[n:]
	}
	return dst, nil
}

// floats appends the values of a field of repeated float32, packed or not.
func (f field) floats(dst []float64) ([]float64, error) {
	if f.kind == protowire.Fixed32Type {
		return append(dst, float64(math.Float32frombits(uint32(f.bits)))), nil
	}
	if len(f.bytes)%4 != 0 {
		return nil, fmt.Errorf("%w: %d bytes of float32 in field %d", errFormat, len(f.bytes), f.number)
	}
	for b := f.bytes; len(b) > 0; b = b[4:] {
		dst = append(dst, float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
	}
	return dst, nil
}

// doubles appends the values of a field of repeated float64, packed or not.
func (f field) doubles(dst []float64) ([]float64, error) {
	if f.kind == protowire.Fixed64Type {
		return append(dst, math.Float64frombits(f.bits)), nil
	}
	if len(f.bytes)%8 != 0 {
		return nil, fmt.Errorf("%w: %d bytes of float64 in field %d", errFormat, len(f.bytes), f.number)
	}
	for b := f.bytes; len(b) > 0; b = b[8:] {
		dst = append(dst, math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
	return dst, nil
}
