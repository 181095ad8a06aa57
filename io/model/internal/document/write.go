package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// Object is an object to write, with its fields in order. A value is a string, an int, an Object, or a
// slice of one of these or of int32, int64, float32 (finite numbers) or byte (numbers from 0 to 255), or a
// float32 or a pair of Objects.
type Object []Field

// Field is a field of an [Object].
type Field struct {
	Key   string
	Value any
}

// AppendJSON appends v to b as JSON without white space, except that each Object of a slice is on a line of
// its own. Numbers are the shortest decimals that read back as the same value.
func AppendJSON(b []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		return appendQuoted(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case float32:
		return AppendFloat(b, float64(v), 32)
	case Object:
		b = append(b, '{')
		for i, f := range v {
			b = append(appendQuoted(appendComma(b, i), f.Key), ':')
			b = AppendJSON(b, f.Value)
		}
		return append(b, '}')
	case []Object:
		return appendList(b, v, func(b []byte, o Object) []byte { return AppendJSON(append(b, '\n'), o) })
	case [2]Object:
		return appendList(b, v[:], func(b []byte, o Object) []byte { return AppendJSON(b, o) })
	case []string:
		return appendList(b, v, appendQuoted)
	case []int:
		return appendList(b, v, appendInt[int])
	case []int32:
		return appendList(b, v, appendInt[int32])
	case []int64:
		return appendList(b, v, appendInt[int64])
	case []byte:
		return appendList(b, v, appendInt[byte])
	case []float32:
		return appendList(b, v, func(b []byte, x float32) []byte { return AppendJSON(b, x) })
	}
	panic(fmt.Sprintf("document: a %T", v))
}

// appendComma appends a comma if i is not the first value.
func appendComma(b []byte, i int) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	return b
}

func appendList[T any](b []byte, list []T, add func([]byte, T) []byte) []byte {
	b = append(b, '[')
	for i, v := range list {
		b = add(appendComma(b, i), v)
	}
	return append(b, ']')
}

func appendInt[T int | int32 | int64 | byte](b []byte, v T) []byte {
	return strconv.AppendInt(b, int64(v), 10)
}

// AppendFloat appends the shortest decimal that reads back as the finite number v, of 32 or 64 bits, with a
// point or an exponent: XGBoost refuses an integer where it expects a floating-point number.
func AppendFloat(b []byte, v float64, bits int) []byte {
	from := len(b)
	b = strconv.AppendFloat(b, v, 'g', -1, bits)
	if !bytes.ContainsAny(b[from:], ".e") {
		b = append(b, ".0"...)
	}
	return b
}

func appendQuoted(b []byte, s string) []byte {
	text, _ := json.Marshal(s) // every string has a JSON form
	return append(b, text...)
}

// JSON returns the value as JSON. Infinities and NaN, which JSON does not have, become null.
func (c Cursor) JSON() string { return string(c.appendJSON(nil)) }

func (c Cursor) appendJSON(b []byte) []byte {
	if !c.at() {
		return append(b, "null"...)
	}
	switch c.value.kind {
	case object:
		b = append(b, '{')
		for i := range c.value.fields {
			b = append(appendQuoted(appendComma(b, i), c.value.fields[i].key), ':')
			b = c.child(i).appendJSON(b)
		}
		return append(b, '}')
	case array:
		b = append(b, '[')
		for i := range c.value.fields {
			b = c.child(i).appendJSON(appendComma(b, i))
		}
		return append(b, ']')
	case numbers:
		return appendList(b, c.Float64s(c.Len()), appendNumber)
	case number:
		return appendNumber(b, c.Float64())
	case text:
		return appendQuoted(b, c.value.raw)
	case boolean:
		return strconv.AppendBool(b, c.Bool())
	}
	return append(b, "null"...)
}

// appendNumber appends a whole number without a point.
func appendNumber(b []byte, v float64) []byte {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return append(b, "null"...)
	case v == math.Trunc(v) && math.Abs(v) < 1<<53:
		return strconv.AppendInt(b, int64(v), 10)
	}
	return AppendFloat(b, v, 64)
}
