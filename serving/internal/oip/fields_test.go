package oip

import (
	"io"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
)

// tagged returns a field with the given key and value.
func tagged(number protowire.Number, kind protowire.Type, value []byte) []byte {
	return append(protowire.AppendTag(nil, number, kind), value...)
}

// fieldsOf returns all fields of a message.
func fieldsOf(t *testing.T, message []byte) []field {
	var fields []field
	require.NoError(t, visitFields(message, func(f field) error {
		fields = append(fields, f)
		return nil
	}))
	return fields
}

// TestFieldsOfEachKind has a field of each wire type, and one after a group, which is skipped.
func TestFieldsOfEachKind(t *testing.T) {
	message := tagged(1, protowire.VarintType, protowire.AppendVarint(nil, 300))
	message = append(message, tagged(2, protowire.BytesType, protowire.AppendString(nil, "text"))...)
	message = append(message, tagged(3, protowire.Fixed32Type, protowire.AppendFixed32(nil, 7))...)
	message = append(message, tagged(4, protowire.Fixed64Type, protowire.AppendFixed64(nil, 8))...)
	message = append(message, tagged(5, protowire.StartGroupType, protowire.AppendGroup(nil, 5, []byte{8, 1}))...)
	message = append(message, tagged(6, protowire.VarintType, []byte{1})...)
	want := []field{
		{1, protowire.VarintType, 300, nil},
		{2, protowire.BytesType, 0, []byte("text")},
		{3, protowire.Fixed32Type, 7, nil},
		{4, protowire.Fixed64Type, 8, nil},
		{5, protowire.StartGroupType, 0, nil},
		{6, protowire.VarintType, 1, nil},
	}
	assert.Equal(t, want, fieldsOf(t, message))
}

// TestRepeatedNumbers: packed and separate values mean the same.
func TestRepeatedNumbers(t *testing.T) {
	packed := func(values []byte) field { return field{Kind: protowire.BytesType, Bytes: values} }
	minus := uint64(math.MaxUint64) // -1
	ints, err := packed(protowire.AppendVarint([]byte{5}, minus)).ints(nil)
	require.NoError(t, err)
	assert.Equal(t, []int64{5, -1}, ints)
	ints, err = field{Kind: protowire.VarintType, Bits: minus}.ints(ints)
	require.NoError(t, err)
	assert.Equal(t, []int64{5, -1, -1}, ints)

	half := protowire.AppendFixed32(nil, math.Float32bits(.5))
	floats, err := packed(half).floats(nil)
	require.NoError(t, err)
	floats, err = field{Kind: protowire.Fixed32Type, Bits: uint64(math.Float32bits(.5))}.floats(floats)
	require.NoError(t, err)
	floats, err = packed(protowire.AppendFixed64(nil, math.Float64bits(.1))).doubles(floats)
	require.NoError(t, err)
	floats, err = field{Kind: protowire.Fixed64Type, Bits: math.Float64bits(.1)}.doubles(floats)
	require.NoError(t, err)
	assert.Equal(t, []float64{.5, .5, .1, .1}, floats)
}

// TestMalformed: every error wraps errMalformed; truncation also wraps io.ErrUnexpectedEOF.
func TestMalformed(t *testing.T) {
	ignore := func(field) error { return nil }
	for name, message := range map[string][]byte{
		"half a key":       {0x80},
		"no value":         {8},
		"bytes too short":  {18, 5, 'a'},
		"half a fixed32":   {29, 1, 2},
		"group not closed": {43, 8, 1},
	} {
		err := visitFields(message, ignore)
		assert.ErrorIs(t, err, errMalformed, name)
		assert.ErrorIs(t, err, io.ErrUnexpectedEOF, name)
	}
	assert.ErrorIs(t, visitFields([]byte{0}, ignore), errMalformed, "field 0")
	assert.ErrorIs(t, visitFields([]byte{44}, ignore), errMalformed, "the end of a group that did not begin")
	for _, f := range []func(field) error{
		func(f field) error { _, err := f.ints(nil); return err },
		func(f field) error { _, err := f.floats(nil); return err },
		func(f field) error { _, err := f.doubles(nil); return err },
	} {
		assert.ErrorIs(t, f(field{Kind: protowire.BytesType, Bytes: []byte{0x80}}), errMalformed)
	}
}

// TestVisitEndsWithTheFirstError: the caller's error is returned unchanged.
func TestVisitEndsWithTheFirstError(t *testing.T) {
	calls := 0
	err := visitFields([]byte{8, 1, 8, 2}, func(field) error { calls++; return io.EOF })
	assert.Equal(t, io.EOF, err)
	assert.Equal(t, 1, calls)
}
