package onnx

import "google.golang.org/protobuf/encoding/protowire"

// Messages are written by package protowire, field by field, and read by package protobuf; generated code for
// onnx.proto is not needed for one operator. protowire adds nothing to the stripped command (10.80 MB with it
// and with an encoder of our own). When the program starts, a package below it hashes nine samples of the
// executable, which takes less than a tenth of a millisecond.

func appendVarint(dst []byte, number protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(dst, number, protowire.VarintType), v)
}

func appendBytes(dst []byte, number protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(dst, number, protowire.BytesType), v)
}

func appendString(dst []byte, number protowire.Number, v string) []byte {
	return protowire.AppendString(protowire.AppendTag(dst, number, protowire.BytesType), v)
}
