package document

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
)

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

// AppendList appends a list as JSON, with add for each value.
func AppendList[T any](b []byte, list []T, add func([]byte, T) []byte) []byte {
	b = append(b, '[')
	for i, v := range list {
		b = add(appendComma(b, i), v)
	}
	return append(b, ']')
}

// appendComma appends a comma if i is not the first value.
func appendComma(b []byte, i int) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	return b
}

// AppendQuoted appends a text as JSON.
func AppendQuoted(b []byte, s string) []byte {
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
			b = append(AppendQuoted(appendComma(b, i), c.value.fields[i].key), ':')
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
		return AppendList(b, c.Float64s(c.Len()), appendNumber)
	case number:
		return appendNumber(b, c.Float64())
	case text:
		return AppendQuoted(b, c.value.raw)
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
