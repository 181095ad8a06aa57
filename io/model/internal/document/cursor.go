package document

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/internal/wording"
)

// Cursor is a place in a document. The zero Cursor, and every cursor after the first fault of the document,
// is at no value and returns only empty values and zeros.
type Cursor struct {
	document *Document
	value    *value
	parent   *Cursor
	key      string // in an object
	index    int    // in an array; -1 in an object
}

// Root returns the document's outermost value.
func (d *Document) Root() Cursor { return Cursor{document: d, value: &d.root, index: -1} }

// Sound reports whether the cursor is at a value and the document has had no fault so far.
func (c Cursor) Sound() bool { return c.value != nil && c.document.err == nil }

// Fail records err with the place of the cursor, if it is the first fault of the document.
func (c Cursor) Fail(err error) {
	if c.Sound() {
		c.document.err = &Error{c.value.offset, c.path(), err}
	}
}

// Failf is like Fail, for an error of a kind and the text that the other arguments make.
func (c Cursor) Failf(kind error, format string, args ...any) {
	c.Fail(fmt.Errorf("%w: %s", kind, fmt.Sprintf(format, args...)))
}

func (c Cursor) path() string {
	if c.parent == nil {
		return ""
	}
	above := c.parent.path()
	switch {
	case c.index >= 0:
		return fmt.Sprintf("%s[%d]", above, c.index)
	case above == "":
		return Clip(c.key)
	}
	return above + "." + Clip(c.key)
}

// want reports whether the cursor is at a value of kind k, and fails if the value has another kind.
func (c Cursor) want(k kind) bool {
	if !c.Sound() {
		return false
	}
	if err := c.value.isA(k); err != nil {
		c.Fail(err)
		return false
	}
	return true
}

// IsObject reports whether the value is an object.
func (c Cursor) IsObject() bool { return c.Sound() && c.value.kind == object }

// IsArray reports whether the value is an array.
func (c Cursor) IsArray() bool {
	return c.Sound() && (c.value.kind == array || c.value.kind == numbers)
}

// Optional returns the value under a key of an object, or a cursor at no value if it is not there.
func (c Cursor) Optional(key string) Cursor {
	if c.IsObject() {
		for i := range c.value.fields {
			if c.value.fields[i].key == key {
				return c.child(i)
			}
		}
	}
	return Cursor{}
}

// child returns value i of an array or object.
func (c Cursor) child(i int) Cursor {
	f := &c.value.fields[i]
	child := Cursor{c.document, &f.value, &c, f.key, i}
	if c.value.kind == object {
		child.index = -1
	}
	return child
}

// Has reports whether the value is an object that has the key.
func (c Cursor) Has(key string) bool { return c.Optional(key).Sound() }

// Field returns the value under a key, and fails if the object does not have it.
func (c Cursor) Field(key string) Cursor {
	if !c.want(object) {
		return Cursor{}
	}
	f := c.Optional(key)
	if !f.Sound() {
		c.Failf(ErrMissing, "%q", key)
	}
	return f
}

// Known fails if the object has a key that is not in keys.
func (c Cursor) Known(keys []string) {
	if !c.want(object) {
		return
	}
	for i := range c.value.fields {
		if f := &c.value.fields[i]; !slices.Contains(keys, f.key) {
			c.child(i).Failf(ErrUnknownKey, "%q", Clip(f.key))
			return
		}
	}
}

// Len returns the number of values of an array or object.
func (c Cursor) Len() int {
	switch {
	case !c.Sound():
		return 0
	case c.value.kind == numbers:
		return c.value.count
	}
	return len(c.value.fields)
}

// Elements calls visit for each value of an array, until the document has a fault. It fails for an array of
// numbers: see Float32s and similar methods.
func (c Cursor) Elements(visit func(i int, e Cursor)) {
	if c.Sound() && c.value.kind == numbers {
		c.Failf(ErrKind, "%v, want an array of other values", numbers)
	}
	if !c.want(array) {
		return
	}
	for i := range c.value.fields {
		if c.document.err != nil {
			return
		}
		visit(i, c.child(i))
	}
}

// Entries calls visit for each value of an object, in the order of the file,
// until the document has a fault.
func (c Cursor) Entries(visit func(key string, e Cursor)) {
	if !c.want(object) {
		return
	}
	for i := range c.value.fields {
		if c.document.err != nil {
			return
		}
		visit(c.value.fields[i].key, c.child(i))
	}
}

// Text returns the value, which must be a string.
func (c Cursor) Text() string { return one(c, (*value).text) }

// Number returns the text of the value, which must be a number of JSON, or a string that may be one.
func (c Cursor) Number() string {
	if c.Sound() && c.value.kind == number && c.value.marker == 0 {
		return c.value.raw
	}
	return c.Text()
}

// Bool returns the value, which must be a boolean, or 0 or 1.
func (c Cursor) Bool() bool { return one(c, (*value).flag) == 1 }

// Int returns the value, which must be an integer from low to high, written without a fraction.
func (c Cursor) Int(low, high int64) int64 {
	return one(c, func(v *value) (int64, error) { return v.integer(low, high) })
}

// Float64 returns the value, which must be a number, rounded to float64. NaN and infinities are numbers.
func (c Cursor) Float64() float64 { return one(c, (*value).float64) }

// Float32 returns the value, which must be a number, rounded once to float32.
func (c Cursor) Float32() float32 { return one(c, (*value).float32) }

// Float32s returns the value, which must be an array of n numbers, each rounded once to float32.
func (c Cursor) Float32s(n int) []float32 { return list(c, n, (*value).float32) }

// Float64s returns the value, which must be an array of n numbers.
func (c Cursor) Float64s(n int) []float64 { return list(c, n, (*value).float64) }

// Int32s returns the value, which must be an array of n integers from low to high.
func (c Cursor) Int32s(n int, low, high int32) []int32 {
	return list(c, n, func(v *value) (int32, error) {
		x, err := v.integer(int64(low), int64(high))
		return int32(x), err
	})
}

// Flags returns the value, which must be an array of n booleans or of n integers 0 or 1, as 0 and 1.
func (c Cursor) Flags(n int) []int32 { return list(c, n, (*value).flag) }

// Texts returns the value, which must be an array of strings.
func (c Cursor) Texts() []string { return list(c, c.Len(), (*value).text) }

// one converts the value with parse. It returns the zero value after a fault.
func one[T any](c Cursor, parse func(v *value) (T, error)) (x T) {
	if !c.Sound() {
		return x
	}
	found, err := parse(c.value)
	if err != nil {
		c.Fail(err)
		return x
	}
	return found
}

// list converts an array of n values. It allocates nothing before it knows that the array has n values.
func list[T any](c Cursor, n int, parse func(v *value) (T, error)) []T {
	if !c.IsArray() {
		c.want(array)
		return nil
	}
	if c.Len() != n {
		c.Failf(ErrLength, "%s, want %d", wording.Count(c.Len(), "value"), n)
		return nil
	}
	list := make([]T, 0, n)
	for i, v := range c.value.values() {
		x, err := parse(v)
		if err != nil {
			Cursor{c.document, v, &c, "", i}.Fail(err)
			return list
		}
		list = append(list, x)
	}
	return list
}

// values returns the values of an array with their places. Numbers of an array of numbers are one value after
// the other in the same memory.
func (v *value) values() iter.Seq2[int, *value] {
	return func(yield func(int, *value) bool) {
		for i := range v.fields {
			if !yield(i, &v.fields[i].value) {
				return
			}
		}
		one := value{kind: number, marker: v.marker, offset: v.offset}
		for i, raw := 0, v.raw; raw != ""; i++ {
			if n := width(v.marker); n > 0 {
				one.raw, raw = raw[:n], raw[n:]
			} else {
				one.raw, raw, _ = strings.Cut(raw, ",")
				one.raw = strings.Trim(one.raw, " \t\r\n")
			}
			if !yield(i, &one) {
				return
			}
		}
	}
}

// isA returns an error unless the value is of kind k.
func (v *value) isA(k kind) error {
	if v.kind != k {
		return fmt.Errorf("%w: %v, want %v", ErrKind, v.kind, k)
	}
	return nil
}

func (v *value) text() (string, error) {
	if err := v.isA(text); err != nil {
		return "", err
	}
	return strings.Clone(v.raw), nil // a substring would keep the whole file in memory
}

// flag returns 1 for true, and 0 for false.
func (v *value) flag() (int32, error) {
	if v.kind == number {
		n, err := v.integer(0, 1)
		return int32(n), err
	}
	if v.raw == "true" {
		return 1, v.isA(boolean)
	}
	return 0, v.isA(boolean)
}

func (v *value) integer(low, high int64) (n int64, err error) {
	if err := v.isA(number); err != nil {
		return 0, err
	}
	switch v.marker {
	case 0:
		if n, err = strconv.ParseInt(v.raw, 10, 64); err != nil {
			return 0, fmt.Errorf("%w: %q, want a whole number from %d to %d", ErrNumber, Clip(v.raw), low,
				high)
		}
	case 'd', 'D':
		return 0, fmt.Errorf("%w: %v, want a whole number", ErrNumber, float(v.marker, v.raw))
	default:
		n = integer(v.marker, v.raw)
	}
	if n < low || n > high {
		return 0, fmt.Errorf("%w: %d, want %d to %d", ErrNumber, n, low, high)
	}
	return n, nil
}

func (v *value) float64() (float64, error) { return v.float(64) }

func (v *value) float32() (float32, error) {
	x, err := v.float(32)
	return float32(x), err
}

// float rounds to float64 or float32. It is a fault if rounding makes a finite number infinite.
func (v *value) float(bits int) (x float64, err error) {
	if err := v.isA(number); err != nil {
		return 0, err
	}
	switch v.marker {
	case 0:
		if x, err = strconv.ParseFloat(v.raw, bits); err != nil {
			return 0, fmt.Errorf("%w: %q is beyond float%d", ErrNumber, Clip(v.raw), bits)
		}
		return x, nil
	case 'd', 'D':
		x = float(v.marker, v.raw)
	default:
		x = float64(integer(v.marker, v.raw))
	}
	if bits == 32 && math.IsInf(float64(float32(x)), 0) && !math.IsInf(x, 0) {
		return 0, fmt.Errorf("%w: %v is beyond float32", ErrNumber, x)
	}
	return x, nil
}

// Is fails unless the value is the integer want.
func (c Cursor) Is(want int64) {
	if c.Sound() {
		if n := c.Int(math.MinInt64, math.MaxInt64); n != want {
			c.Failf(ErrNumber, "%d, want %d", n, want)
		}
	}
}
