package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
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

// byteReader is the source of a Thrift struct.
type byteReader interface {
	io.Reader
	io.ByteReader
}

// thrift reads structs of the compact protocol. It keeps the first error; after that all values are
// zero and all structs end.
type thrift struct {
	in    byteReader
	depth int
	err   error
}

// fields calls field for every field of a struct. field reads the value by one of the methods
// below, or calls skip.
func (t *thrift) fields(field func(id int, kind byte)) {
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
		field(id, kind)
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
	if kind != thriftList && kind != thriftSet {
		t.fail("a list was expected")
	}
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
		t.fields(func(_ int, kind byte) { t.skip(kind) })
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

func (t *thrift) bool(kind byte) bool {
	if kind != thriftTrue && kind != thriftFalse {
		t.fail("a boolean was expected")
	}
	return kind == thriftTrue
}

// longestName is the length of the longest text that is read into memory.
const longestName = 1 << 16

func (t *thrift) text(kind byte) string { return t.textUpTo(kind, longestName) }

// textUpTo is like text, for texts of up to most bytes.
func (t *thrift) textUpTo(kind byte, most int) string {
	if kind != thriftBinary {
		t.fail("a text was expected")
		return ""
	}
	n := t.uvarint()
	if n > uint64(most) {
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

func (t *thrift) byte() byte {
	if t.err != nil {
		return 0
	}
	b, err := t.in.ReadByte()
	t.check(err)
	return b
}

func (t *thrift) uvarint() uint64 {
	if t.err != nil {
		return 0
	}
	n, err := binary.ReadUvarint(t.in)
	t.check(err)
	return n
}

func (t *thrift) varint() int64 {
	if t.err != nil {
		return 0
	}
	n, err := binary.ReadVarint(t.in)
	t.check(err)
	return n
}

func (t *thrift) discard(n uint64) {
	if t.err != nil || n > 1<<40 {
		t.fail("a value of %d bytes", n)
		return
	}
	_, err := io.CopyN(io.Discard, t.in, int64(n))
	t.check(err)
}

func (t *thrift) check(err error) {
	if err != nil {
		t.fail("%w", err)
	}
}

func (t *thrift) fail(format string, args ...any) {
	if t.err == nil {
		t.err = fmt.Errorf("%w: header: "+format, append([]any{ErrDamaged}, args...)...)
	}
}
