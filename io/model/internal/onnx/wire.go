package onnx

import "encoding/binary"

// A message of Protocol Buffers is a sequence of fields, each a key and a value (protobuf.dev, "Encoding").
// Two kinds of values occur here: varints, and bytes after their length. Varints are those of package binary.
const (
	kindVarint = 0
	kindBytes  = 2
)

// appendKey begins a field.
func appendKey(dst []byte, number, kind int) []byte {
	return binary.AppendUvarint(dst, uint64(number<<3|kind))
}

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
