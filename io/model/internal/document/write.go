package document

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"strconv"
)

// Writer builds a document, value after value, as JSON or as UBJSON. In JSON, numbers are the
// shortest decimals that read back as the same value.
type Writer struct {
	b      []byte
	ubjson bool
	comma  bool // the current array or object has a value already
	line   bool // the next value begins a line
}

// NewJSON returns a writer of JSON without white space.
func NewJSON() *Writer { return &Writer{} }

// NewUBJSON returns a writer of UBJSON with lengths of 64 bits and typed arrays, as XGBoost
// writes and requires it.
func NewUBJSON() *Writer { return &Writer{ubjson: true} }

// Bytes returns the document so far; the slice belongs to the writer.
func (w *Writer) Bytes() []byte { return w.b }

// separate writes a comma before every value of an array or object but the first, and a line
// end if Line asked for one.
func (w *Writer) separate() {
	if w.comma && !w.ubjson {
		w.b = append(w.b, ',')
	}
	if w.line {
		w.b = append(w.b, '\n')
	}
	w.comma, w.line = true, false
}

// Object writes an object; fields writes its keys and values.
func (w *Writer) Object(fields func()) {
	w.separate()
	w.b, w.comma = append(w.b, '{'), false
	fields()
	w.b, w.comma = append(w.b, '}'), true
}

// Key writes a key of an object. Its value must follow.
func (w *Writer) Key(key string) *Writer {
	w.separate()
	if w.ubjson {
		w.counted(key)
	} else {
		w.quote(key)
		w.b = append(w.b, ':')
	}
	w.comma = false
	return w
}

// Array writes an array of n values; element writes value i.
func (w *Writer) Array(n int, element func(i int)) {
	w.separate()
	w.b, w.comma = append(w.b, '['), false
	if w.ubjson {
		w.length(n)
	}
	for i := range n {
		element(i)
	}
	if !w.ubjson {
		w.b = append(w.b, ']')
	}
	w.comma = true
}

// Line lets the next value of an array begin a line, in JSON.
func (w *Writer) Line() { w.line = !w.ubjson }

// Text writes a string.
func (w *Writer) Text(s string) {
	w.separate()
	if w.ubjson {
		w.b = append(w.b, 'S')
		w.counted(s)
	} else {
		w.quote(s)
	}
}

// Bool writes a boolean.
func (w *Writer) Bool(v bool) {
	w.separate()
	switch {
	case !w.ubjson:
		w.b = strconv.AppendBool(w.b, v)
	case v:
		w.b = append(w.b, 'T')
	default:
		w.b = append(w.b, 'F')
	}
}

// Null writes a null.
func (w *Writer) Null() {
	w.separate()
	if w.ubjson {
		w.b = append(w.b, 'Z')
	} else {
		w.b = append(w.b, "null"...)
	}
}

// number writes an integer without a decimal point, and null for NaN and infinities, which JSON
// does not have.
func (w *Writer) number(v float64) {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		w.Null()
	case v == math.Trunc(v) && math.Abs(v) < 1<<53:
		w.Int(int64(v))
	default:
		w.Float64(v)
	}
}

// Int writes an integer.
func (w *Writer) Int(v int64) {
	w.separate()
	if w.ubjson {
		w.b = binary.BigEndian.AppendUint64(append(w.b, 'L'), uint64(v))
	} else {
		w.b = strconv.AppendInt(w.b, v, 10)
	}
}

// Float32 writes a finite number.
func (w *Writer) Float32(v float32) { w.float(float64(v), 32) }

// Float64 writes a finite number.
func (w *Writer) Float64(v float64) { w.float(v, 64) }

func (w *Writer) float(v float64, bits int) {
	w.separate()
	switch {
	case !w.ubjson:
		w.b = appendFloat(w.b, v, bits)
	case bits == 32:
		w.b = binary.BigEndian.AppendUint32(append(w.b, 'd'), math.Float32bits(float32(v)))
	default:
		w.b = binary.BigEndian.AppendUint64(append(w.b, 'D'), math.Float64bits(v))
	}
}

// appendFloat appends the shortest decimal that reads back as v, with a point or an exponent:
// XGBoost refuses an integer where it expects a floating-point number.
func appendFloat(b []byte, v float64, bits int) []byte {
	from := len(b)
	b = strconv.AppendFloat(b, v, 'g', -1, bits)
	if !bytes.ContainsAny(b[from:], ".e") {
		b = append(b, ".0"...)
	}
	return b
}

// Float32s writes an array of finite numbers.
func (w *Writer) Float32s(list []float32) {
	typed(w, 'd', list, func(b []byte, v float32) []byte {
		if w.ubjson {
			return binary.BigEndian.AppendUint32(b, math.Float32bits(v))
		}
		return appendFloat(b, float64(v), 32)
	})
}

// Int32s writes an array of integers.
func (w *Writer) Int32s(list []int32) {
	typed(w, 'l', list, func(b []byte, v int32) []byte {
		if w.ubjson {
			return binary.BigEndian.AppendUint32(b, uint32(v))
		}
		return strconv.AppendInt(b, int64(v), 10)
	})
}

// Int64s writes an array of integers.
func (w *Writer) Int64s(list []int64) {
	typed(w, 'L', list, func(b []byte, v int64) []byte {
		if w.ubjson {
			return binary.BigEndian.AppendUint64(b, uint64(v))
		}
		return strconv.AppendInt(b, v, 10)
	})
}

// Bytes8 writes an array of integers from 0 to 255.
func (w *Writer) Bytes8(list []byte) {
	typed(w, 'U', list, func(b []byte, v byte) []byte {
		if w.ubjson {
			return append(b, v)
		}
		return strconv.AppendInt(b, int64(v), 10)
	})
}

func typed[T any](w *Writer, marker byte, list []T, add func([]byte, T) []byte) {
	w.separate()
	w.b = append(w.b, '[')
	if w.ubjson {
		w.b = append(w.b, '$', marker)
		w.length(len(list))
	}
	for i, v := range list {
		if i > 0 && !w.ubjson {
			w.b = append(w.b, ',')
		}
		w.b = add(w.b, v)
	}
	if !w.ubjson {
		w.b = append(w.b, ']')
	}
}

// length writes the number of values of a UBJSON container.
func (w *Writer) length(n int) {
	w.b = binary.BigEndian.AppendUint64(append(w.b, '#', 'L'), uint64(n))
}

// counted writes a UBJSON string without its type.
func (w *Writer) counted(s string) {
	w.b = binary.BigEndian.AppendUint64(append(w.b, 'L'), uint64(len(s)))
	w.b = append(w.b, s...)
}

// quote writes a JSON string.
func (w *Writer) quote(s string) {
	text, _ := json.Marshal(s) // every string has a JSON form
	w.b = append(w.b, text...)
}
