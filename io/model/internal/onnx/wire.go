package onnx

import "google.golang.org/protobuf/encoding/protowire"

// Messages are written field by field with package protowire; one operator does not justify generated code
// for onnx.proto.

func appendVarint(dst []byte, number protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(dst, number, protowire.VarintType), v)
}

func appendBytes(dst []byte, number protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(dst, number, protowire.BytesType), v)
}

func appendString(dst []byte, number protowire.Number, v string) []byte {
	return protowire.AppendString(protowire.AppendTag(dst, number, protowire.BytesType), v)
}
