package parquet

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"sync"
)

// Types of Thrift's compact protocol
// (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md).
const (
	thriftStop   = 0
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

// deepest is the largest depth of structs and lists.
const deepest = 64

// thrift reads structs of the compact protocol. A Go struct names by tags the fields that it keeps, in
// ascending order; others are skipped. A pointer or a slice is nil if its field is absent. thrift keeps the
// first error; after that all values are zero and all structs end.
type thrift struct {
	in      *bufio.Reader
	longest int // bytes of the longest text that is read into memory
	depth   int
	err     error
}

// fieldNumbers are the numbers of the fields of each type of Go structs, in their order.
var fieldNumbers sync.Map

func numbersOf(t reflect.Type) []int {
	if numbers, known := fieldNumbers.Load(t); known {
		return numbers.([]int)
	}
	numbers := make([]int, t.NumField())
	for i := range numbers {
		numbers[i], _ = strconv.Atoi(t.Field(i).Tag.Get("thrift"))
	}
	fieldNumbers.Store(t, numbers)
	return numbers
}

// read reads a struct, given a pointer to it.
func (t *thrift) read(dst any) error {
	t.value(thriftStruct, reflect.ValueOf(dst).Elem())
	return t.err
}

// value reads a value into a Go variable of the type that it should have.
func (t *thrift) value(kind byte, dst reflect.Value) {
	switch dst.Kind() {
	case reflect.Pointer:
		dst.Set(reflect.New(dst.Type().Elem()))
		t.value(kind, dst.Elem())
	case reflect.Struct:
		t.expect(kind == thriftStruct, "a struct")
		t.fields(dst)
	case reflect.Slice:
		t.list(kind, func(kind byte) {
			n := dst.Len()
			dst.Grow(1)
			dst.SetLen(n + 1)
			t.value(kind, dst.Index(n))
		})
	case reflect.String:
		dst.SetString(t.text(kind))
	case reflect.Bool:
		t.expect(kind == thriftTrue || kind == thriftFalse, "a boolean")
		dst.SetBool(kind == thriftTrue)
	default:
		v := t.int(kind)
		t.expect(!dst.OverflowInt(v), "a smaller number")
		dst.SetInt(v)
	}
}

// fields reads the fields of a struct. It skips those that dst does not have: all if dst is no value.
func (t *thrift) fields(dst reflect.Value) {
	var numbers []int
	if dst.IsValid() {
		numbers = numbersOf(dst.Type())
	}
	t.deeper("structs")
	id := 0
	for t.err == nil {
		head := t.byte()
		kind := head & 15
		if t.err != nil || kind == thriftStop {
			break
		}
		if delta := int(head >> 4); delta > 0 {
			id += delta
		} else {
			id = int(t.varint())
		}
		if i := slices.Index(numbers, id); i >= 0 {
			t.value(kind, dst.Field(i))
		} else {
			t.skip(kind)
		}
	}
	t.depth--
}

// deeper notes that values begin within a value, which ends with t.depth--.
func (t *thrift) deeper(what string) {
	if t.depth++; t.depth > deepest {
		t.fail("%s are nested too deeply", what)
	}
}

// list calls element for every element of a list.
func (t *thrift) list(kind byte, element func(kind byte)) {
	t.expect(kind == thriftList || kind == thriftSet, "a list")
	head := t.byte()
	n := uint64(head >> 4)
	if n == 15 {
		n = t.uvarint()
	}
	for ; n > 0 && t.err == nil; n-- {
		element(head & 15)
	}
}

// skip skips a value.
func (t *thrift) skip(kind byte) {
	switch kind {
	case thriftTrue, thriftFalse:
	case thriftByte:
		t.byte()
	case thriftI16, thriftI32, thriftI64:
		t.uvarint()
	case thriftDouble:
		t.discard(8)
	case thriftBinary:
		t.discard(t.uvarint())
	case thriftList, thriftSet:
		t.deeper("lists")
		t.list(kind, t.skipElement)
		t.depth--
	case thriftMap:
		t.skipMap()
	case thriftStruct:
		t.fields(reflect.Value{})
	default:
		t.fail("there is no type %d", kind)
	}
}

func (t *thrift) skipMap() {
	n := t.uvarint()
	if n == 0 {
		return
	}
	t.deeper("maps")
	kinds := t.byte()
	for ; n > 0 && t.err == nil; n-- {
		t.skipElement(kinds >> 4)
		t.skipElement(kinds & 15)
	}
	t.depth--
}

// skipElement is like skip, for elements of lists and maps, where booleans take a byte.
func (t *thrift) skipElement(kind byte) {
	if kind == thriftTrue || kind == thriftFalse {
		kind = thriftByte
	}
	t.skip(kind)
}

func (t *thrift) int(kind byte) int64 {
	switch kind {
	case thriftI16, thriftI32, thriftI64:
		return t.varint()
	case thriftByte:
		return int64(int8(t.byte()))
	}
	t.fail("an integer was expected")
	return 0
}

func (t *thrift) text(kind byte) string {
	t.expect(kind == thriftBinary, "a text")
	n := t.uvarint()
	if n > uint64(t.longest) {
		t.fail("a text of %d bytes", n)
	}
	if t.err != nil {
		return ""
	}
	text := make([]byte, n)
	_, err := io.ReadFull(t.in, text)
	t.check(err)
	return string(text)
}

func (t *thrift) byte() byte { return next(t, io.ByteReader.ReadByte) }

func (t *thrift) uvarint() uint64 { return next(t, binary.ReadUvarint) }

func (t *thrift) varint() int64 { return next(t, binary.ReadVarint) }

// next reads a number, which is 0 after an error.
func next[T byte | uint64 | int64](t *thrift, read func(in io.ByteReader) (T, error)) T {
	if t.err != nil {
		return 0
	}
	n, err := read(t.in)
	t.check(err)
	return n
}

func (t *thrift) discard(n uint64) {
	if t.err != nil || n > 1<<40 {
		t.fail("a value of %d bytes", n)
		return
	}
	_, err := t.in.Discard(int(n))
	t.check(err)
}

func (t *thrift) check(err error) {
	if err != nil {
		t.fail("%w", err)
	}
}

func (t *thrift) expect(there bool, what string) {
	if !there {
		t.fail("%s was expected", what)
	}
}

func (t *thrift) fail(format string, args ...any) {
	if t.err == nil {
		t.err = fmt.Errorf("%w: header: "+format, append([]any{ErrDamaged}, args...)...)
	}
}

// kindsOf are the types of Thrift of the Go types that are written.
var kindsOf = map[reflect.Kind]byte{reflect.Int32: thriftI32, reflect.Int64: thriftI64,
	reflect.String: thriftBinary, reflect.Slice: thriftList, reflect.Struct: thriftStruct}

// appendStruct appends a struct as thrift reads it, without the fields that are nil.
func appendStruct(b []byte, v reflect.Value) []byte {
	last := 0
	for i, number := range numbersOf(v.Type()) {
		field := v.Field(i)
		if kind := field.Kind(); (kind == reflect.Pointer || kind == reflect.Slice) && field.IsNil() {
			continue
		}
		field = reflect.Indirect(field)
		b = append(b, byte(number-last)<<4|kindsOf[field.Kind()]) // all steps are below 16
		b, last = appendValue(b, field), number
	}
	return append(b, thriftStop)
}

func appendValue(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Struct:
		return appendStruct(b, v)
	case reflect.String:
		return append(binary.AppendUvarint(b, uint64(v.Len())), v.String()...)
	case reflect.Slice:
		n, kind := v.Len(), kindsOf[v.Type().Elem().Kind()]
		if n < 15 {
			b = append(b, byte(n)<<4|kind)
		} else {
			b = binary.AppendUvarint(append(b, 15<<4|kind), uint64(n))
		}
		for i := range n {
			b = appendValue(b, v.Index(i))
		}
		return b
	}
	return binary.AppendVarint(b, v.Int())
}
