// Package document reads JSON and UBJSON into values that know their place in the file, so errors can name
// path and byte offset even if the fault is found long after parsing. It also writes numbers, texts and
// lists as JSON.
//
// # What is read
//
// JSON is RFC 8259 with the additional numbers NaN, Infinity and -Infinity, which XGBoost and Python write.
// UBJSON is draft 12 (ubjson.org) including typed arrays, but without high-precision numbers ('H').
//
// Both formats refuse duplicate keys in an object, anything but white space after the outermost value, and
// nesting deeper than [MaxDepth].
//
// # Memory
//
// An array of numbers is kept as the bytes of the file and converted on request. Every other value takes
// about 80 bytes. A model whose trees are arrays of numbers (XGBoost's save_model) needs little more memory
// than the size of its file, a model of nested objects (dumps) about ten times its size, and no document more
// than about 150 times its size. Sizes that a file declares are trusted only if the
// file has enough bytes for them.
//
// # Errors
//
// Readers navigate a document with cursors. The document stores the first fault (see [Document.Err]); after
// it, cursors return only empty values and zeros.
//
// Each format has its own wording, but all errors wrap [ErrFormat] or [ErrUnsupported], which package
// io/model exports, and often a kind that several formats have, such as [ErrNumber].
package document

import (
	"bytes"
	"fmt"
)

// MaxDepth is the deepest nesting of arrays and objects that is read.
const MaxDepth = 5000

// kind is the kind of a value.
type kind uint8

const (
	null kind = iota
	boolean
	number
	text
	numbers // a non-empty array of numbers only
	array
	object
)

func (k kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "an array of numbers", "an array",
		"an object"}[k]
}

// value is one value of a document.
type value struct {
	kind   kind
	marker byte // UBJSON type of a number, or of the numbers of an array; 0 in JSON
	offset int  // in the file, in bytes
	// for a string its text, for a number its bytes, for numbers the bytes between the brackets, for a
	// boolean "true" or "false"
	raw    string
	count  int // number of elements, if kind is numbers
	fields []field
}

// field is a value of an object with its key, or a value of an array without one.
type field struct {
	key string
	value
}

// Document is a parsed file.
type Document struct {
	text string // of JSON
	root value
	err  error
}

// Err returns the first fault that a cursor found, which is an [*Error].
func (d *Document) Err() error { return d.err }

// Parse reads data as UBJSON if [IsUBJSON] recognizes it, and as JSON otherwise. Errors are [*Error].
func Parse(data []byte) (*Document, error) {
	p := &parser{text: string(data), left: len(data)}
	d := &Document{text: p.text}
	if IsUBJSON(data) {
		d.root = p.ubjson(p.marker())
		if p.at < len(data) {
			p.fail(p.at, ErrSyntax, "more after the end of the value")
		}
	} else {
		d.root = p.json()
		if p.space(); p.at < len(data) {
			p.unexpected("the end of the file")
		}
	}
	return d, p.err
}

// parser reads a file from its beginning to its end. It stores the first fault, and then moves to the end of
// the file and returns only empty values and zeros.
type parser struct {
	text  string
	at    int
	depth int
	left  int // how many more values of UBJSON that take no bytes are accepted
	err   error
}

func (p *parser) fail(at int, kind error, format string, args ...any) {
	if p.err == nil {
		p.err = &Error{Offset: at, Err: fmt.Errorf("%w: %s", kind, fmt.Sprintf(format, args...))}
		p.at = len(p.text)
	}
}

// skip reports whether the next byte is c, and skips it.
func (p *parser) skip(c byte) bool {
	if p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

// enter counts the level of an array or object, which the caller counts down after it.
func (p *parser) enter(at int) {
	if p.depth++; p.depth > MaxDepth {
		p.fail(at, ErrDepth, "more than %d levels", MaxDepth)
	}
}

// IsUBJSON reports whether data is UBJSON rather than JSON: an object or array whose opening
// bracket is followed by a type, a count or the length of a key. In JSON, white space, a quote,
// a bracket or a number follows.
func IsUBJSON(data []byte) bool {
	if len(data) < 2 {
		return false
	}
	switch data[0] {
	case '{', '[':
		switch data[1] {
		case '$', '#', 'i', 'U', 'I', 'l', 'L':
			return true
		case 'Z', 'T', 'F', 'd', 'D', 'C', 'S', 'H':
			return data[0] == '['
		}
	}
	return false
}

// TrimLeft returns the content of a text file without leading white space and byte order mark.
func TrimLeft(data []byte) []byte { return bytes.TrimLeft(data, " \t\r\n\ufeff") }

// Opening returns the first byte of a JSON file after white space and a byte order mark: a bracket,
// if the value is an array or an object. It returns 0 for UBJSON and for an empty file.
func Opening(data []byte) byte {
	text := TrimLeft(data)
	if len(text) == 0 || IsUBJSON(data) {
		return 0
	}
	return text[0]
}

// checkKeys refuses a key that an object has twice.
func (p *parser) checkKeys(fields []field) {
	seen := make(map[string]bool, len(fields))
	for i := range fields {
		key := fields[i].key
		if seen[key] {
			p.fail(fields[i].offset, ErrUnknownKey, "%q is there twice", Clip(key))
		}
		seen[key] = true
	}
}
