// Package document reads JSON and UBJSON into values that know their place, so
// that a fault found long after parsing is still told with path and byte offset.
//
// # What is read
//
// JSON is RFC 8259, and the numbers NaN, Infinity and -Infinity, which XGBoost
// and Python write. UBJSON is draft 12 (ubjson.org), its typed arrays included,
// but for high-precision numbers ('H').
//
// In both, an object that has a key twice is refused, as is anything but white
// space after the value, and nesting of more than [MaxDepth].
//
// # Memory
//
// An array of numbers stays as the bytes of the file, and is converted when it
// is asked for. Every other value takes some 80 bytes. A model whose trees are
// arrays of numbers (XGBoost's save_model) takes little more than its file, one
// whose trees are nested objects (dumps) some ten times that, and no document
// more than some 150 times. Sizes that a file declares are believed only as far as
// there are bytes for them.
//
// # Errors
//
// Readers go through a document with cursors. The first fault is kept by the
// document (see [Document.Err]); what a cursor gives after it is empty or zero.
package document

import (
	"errors"
	"fmt"
)

// MaxDepth is how deep arrays and objects may nest.
const MaxDepth = 5000

// Kinds of faults, to be found with [errors.Is].
var (
	// ErrSyntax: the bytes are not of the format.
	ErrSyntax = errors.New("syntax")
	// ErrTruncated: the file ends too early.
	ErrTruncated = errors.New("file ends too early")
	// ErrDepth: arrays and objects nest deeper than MaxDepth.
	ErrDepth = errors.New("nested too deep")
	// ErrMissing: an object lacks a key.
	ErrMissing = errors.New("missing key")
	// ErrUnknownKey: an object has a key that is not known, or has one twice.
	ErrUnknownKey = errors.New("unexpected key")
	// ErrKind: a value is of another kind than it must be.
	ErrKind = errors.New("wrong kind of value")
	// ErrNumber: a number is not in range.
	ErrNumber = errors.New("bad number")
	// ErrLength: an array has another length than the rest of the file says.
	ErrLength = errors.New("wrong length")
)

// Error is a fault with its place.
type Error struct {
	Offset int    // of the value, in bytes from 0
	Path   string // to the value, such as learner.trees[3].left; empty at the top
	Err    error  // wraps one of the errors above, or what a reader found
}

func (e *Error) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("byte %d: %v", e.Offset, e.Err)
	}
	return fmt.Sprintf("byte %d: %s: %v", e.Offset, e.Path, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// kind tells what a value is.
type kind uint8

const (
	null kind = iota
	boolean
	number
	text
	numbers // an array of numbers only, not empty
	array
	object
)

func (k kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "an array of numbers", "an array", "an object"}[k]
}

// value is one value of a document.
type value struct {
	kind   kind
	marker byte   // UBJSON type of a number, or of the numbers of an array; 0 in JSON
	offset int    // in the file
	raw    string // string: its text; number: its bytes; numbers: the bytes between the brackets; boolean: "true" or "false"
	count  int    // of numbers
	fields []field
}

// field is a value of an object under its key, or of an array, without one.
type field struct {
	key string
	value
}

// Document is a parsed file.
type Document struct {
	root value
	err  error
}

// Err returns the first fault that a cursor has met, an [*Error].
func (d *Document) Err() error { return d.err }

// Parse reads JSON, or UBJSON if IsUBJSON(data). Errors are [*Error].
func Parse(data []byte) (*Document, error) {
	if IsUBJSON(data) {
		return parseUBJSON(string(data))
	}
	return parseJSON(string(data))
}

// IsUBJSON tells whether data is UBJSON rather than JSON: an object or array
// that goes on with a type, a count, or the length of a key. JSON goes on with
// white space, a quote, a bracket or a number.
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

// duplicate finds a key that an object has twice.
func duplicate(fields []field) (int, bool) {
	if len(fields) < 16 { // without memory for the many small ones
		for i := range fields {
			for j := range i {
				if fields[i].key == fields[j].key {
					return i, true
				}
			}
		}
		return 0, false
	}
	seen := make(map[string]struct{}, len(fields))
	for i := range fields {
		if _, twice := seen[fields[i].key]; twice {
			return i, true
		}
		seen[fields[i].key] = struct{}{}
	}
	return 0, false
}

func checkKeys(fields []field) error {
	if i, twice := duplicate(fields); twice {
		return &Error{Offset: fields[i].offset, Err: fmt.Errorf("%w: %q is there twice", ErrUnknownKey, Clip(fields[i].key))}
	}
	return nil
}

const maxToken = 40 // bytes of the file that an error message repeats

// Clip shortens a piece of a file for an error message.
func Clip(s string) string {
	if len(s) > maxToken {
		return s[:maxToken] + "..."
	}
	return s
}

// Also returns err so that it is found as kind too, and reads as before. Packages
// use it to give the faults found here the names that their own users know.
func Also(err, kind error) error { return &also{err, kind} }

type also struct{ err, kind error }

func (a *also) Error() string   { return a.err.Error() }
func (a *also) Unwrap() []error { return []error{a.err, a.kind} }
