package oip

import (
	"encoding/binary"
	"math"
)

// Datatype is the type of a tensor's elements, by its name in the protocol.
type Datatype string

// Datatypes of outputs, and of metadata.
const (
	FP64  Datatype = "FP64"
	FP32  Datatype = "FP32"
	INT64 Datatype = "INT64"
	BYTES Datatype = "BYTES"
)

// kind is the way in which elements are stored.
type kind int

const (
	unknown kind = iota
	floats
	ints
	texts
)

// size describes a datatype.
type size struct {
	kind     kind
	bytes    int  // of an element in binary; 0 for BYTES, whose elements have different lengths
	unsigned bool // of integers
}

// datatypes are the supported ones. FP16 and BF16 are missing because trees compare values, and the low
// precision of these types would send documents to wrong leaves.
var datatypes = map[Datatype]size{
	FP64: {floats, 8, false}, FP32: {floats, 4, false},
	INT64: {ints, 8, false}, "INT32": {ints, 4, false}, "INT16": {ints, 2, false}, "INT8": {ints, 1, false},
	"UINT64": {ints, 8, true}, "UINT32": {ints, 4, true}, "UINT16": {ints, 2, true}, "UINT8": {ints, 1, true},
	"BOOL": {ints, 1, true},
	BYTES:  {texts, 0, false},
}

func (d Datatype) kind() kind { return datatypes[d].kind }

// check returns an error for a datatype that cannot be read.
func (d Datatype) check(name string) error {
	if d.kind() == unknown {
		return Invalid("input %q: the datatype %q is not supported; send FP64, FP32, integers, BOOL or BYTES", name,
			string(d))
	}
	return nil
}

// inRange reports whether an integer is in the range of the datatype.
func (d Datatype) inRange(v int64) bool {
	s := datatypes[d]
	switch {
	case d == "BOOL":
		return v == 0 || v == 1
	case s.unsigned:
		return v >= 0 && (s.bytes == 8 || v < 1<<(8*s.bytes))
	case s.bytes == 8:
		return true
	}
	return v >= -1<<(8*s.bytes-1) && v < 1<<(8*s.bytes-1)
}

// fromRaw sets the elements from their binary form, which is little-endian. Each element of BYTES follows its
// length, a number of four bytes.
func (t *Tensor) fromRaw(shape []int64, raw []byte) error {
	if err := t.Type.check(t.Name); err != nil {
		return err
	}
	bytes := max(1, datatypes[t.Type].bytes)
	n, err := elements(t.Name, shape, len(raw)/bytes)
	if err != nil {
		return err
	}
	t.Shape = withShape(shape)
	if t.Type == BYTES {
		return t.textsFromRaw(n, raw)
	}
	if len(raw) != n*bytes {
		return Invalid("input %q: the shape %v of %s needs %d bytes, and the data has %d", t.Name, shape, t.Type,
			n*bytes, len(raw))
	}
	return t.numbersFromRaw(n, raw)
}

func (t *Tensor) numbersFromRaw(n int, raw []byte) error {
	switch t.Type {
	case FP64:
		t.Floats = make([]float64, n)
		for i := range t.Floats {
			t.Floats[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
		}
		return nil
	case FP32:
		t.Floats = make([]float64, n)
		for i := range t.Floats {
			t.Floats[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])))
		}
		return nil
	}
	t.Ints = make([]int64, n)
	s := datatypes[t.Type]
	for i := range t.Ints {
		t.Ints[i] = intFromRaw(raw[i*s.bytes:], s)
	}
	return t.checkInts()
}

// intFromRaw returns the integer at the beginning of raw. Unsigned integers beyond int64 become negative, and
// inRange refuses them.
func intFromRaw(raw []byte, s size) int64 {
	var v uint64
	for b := range s.bytes {
		v |= uint64(raw[b]) << (8 * b)
	}
	if shift := 64 - 8*s.bytes; !s.unsigned {
		return int64(v<<shift) >> shift
	}
	return int64(v)
}

// checkInts returns an error for an integer outside the range of the datatype.
func (t *Tensor) checkInts() error {
	for i, v := range t.Ints {
		if !t.Type.inRange(v) {
			return Invalid("input %q: element %d is outside of the range of %s, or of INT64", t.Name, i, t.Type)
		}
	}
	return nil
}

func (t *Tensor) textsFromRaw(n int, raw []byte) error {
	t.Texts = make([]string, 0, min(n, len(raw)/4))
	for len(raw) >= 4 {
		length := binary.LittleEndian.Uint32(raw)
		if raw = raw[4:]; uint64(length) > uint64(len(raw)) {
			return Invalid("input %q: element %d has a length of %d bytes, and %d follow", t.Name, len(t.Texts),
				length, len(raw))
		}
		t.Texts = append(t.Texts, string(raw[:length]))
		raw = raw[length:]
	}
	if len(raw) > 0 || len(t.Texts) != n {
		return Invalid("input %q: the shape %v says %d elements, and the data has %d", t.Name, t.Shape, n,
			len(t.Texts))
	}
	return nil
}
