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
		if i > 0 {
			b = append(b, ',')
		}
		b = add(b, v)
	}
	return append(b, ']')
}

// AppendQuoted appends a text as JSON.
func AppendQuoted(b []byte, s string) []byte {
	text, _ := json.Marshal(s) // every string has a JSON form
	return append(b, text...)
}

// JSON returns the value as JSON. Infinities and NaN, which JSON does not have, become null.
func (c Cursor) JSON() string {
	text, _ := json.Marshal(c.plain()) // its numbers are finite
	return string(text)
}

// plain returns the value as package json has it.
func (c Cursor) plain() any {
	switch {
	case !c.at():
		return nil
	case c.value.kind == numbers:
		list := make([]any, 0, c.Len())
		for _, v := range c.Float64s(c.Len()) {
			list = append(list, finite(v))
		}
		return list
	case c.value.kind == array:
		list := make([]any, 0, c.Len())
		c.Elements(func(_ int, e Cursor) { list = append(list, e.plain()) })
		return list
	case c.value.kind == object:
		fields := map[string]any{}
		c.Entries(func(key string, e Cursor) { fields[key] = e.plain() })
		return fields
	case c.value.kind == number:
		return finite(c.Float64())
	case c.value.kind == text:
		return c.value.raw
	case c.value.kind == boolean:
		return c.Bool()
	}
	return nil
}

// finite returns v, or nil if it is not finite.
func finite(v float64) any {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return v
}
