package document

import (
	"errors"
	"fmt"
)

// Roots of all kinds of errors, to be found with [errors.Is].
var (
	// ErrFormat: the file violates its format.
	ErrFormat = errors.New("the file is not what its format says")
	// ErrUnsupported: the file is valid, but of a kind that cannot be read or written.
	ErrUnsupported = errors.New("unsupported")
)

// Kinds of [ErrFormat] that several formats have.
var (
	// ErrSyntax: the file violates the syntax of JSON or UBJSON.
	ErrSyntax = Kind(ErrFormat, "syntax")
	// ErrKind: a value is of the wrong kind.
	ErrKind = Kind(ErrFormat, "wrong kind of value")
	// ErrTruncated: the file ends too early.
	ErrTruncated = Kind(ErrFormat, "file ends too early")
	// ErrDepth: trees, or arrays and objects, nest deeper than a limit.
	ErrDepth = Kind(ErrFormat, "nested too deep")
	// ErrMissing: a required key is absent.
	ErrMissing = Kind(ErrFormat, "missing key")
	// ErrUnknownKey: a key is unknown or occurs twice.
	ErrUnknownKey = Kind(ErrFormat, "unexpected key")
	// ErrNumber: a value is not a number, or is out of range.
	ErrNumber = Kind(ErrFormat, "bad number")
	// ErrLength: the length of a list contradicts the rest of the file.
	ErrLength = Kind(ErrFormat, "wrong length")
)

// Kind returns a new kind of error with the given text, which wraps root without mentioning it.
func Kind(root error, text string) error { return &faultKind{root, text} }

type faultKind struct {
	root error
	text string
}

func (k *faultKind) Error() string { return k.text }
func (k *faultKind) Unwrap() error { return k.root }

const longestToken = 40 // bytes of a file that an error message repeats

// Clip shortens a piece of a file for an error message.
func Clip(s string) string {
	if len(s) > longestToken {
		return s[:longestToken] + "..."
	}
	return s
}

// Error is a fault with its place.
type Error struct {
	Offset int    // of the value, in bytes from 0
	Path   string // to the value, such as learner.trees[3].left; empty at the top
	Err    error  // wraps a kind of fault, or is the argument of Fail
}

func (e *Error) Error() string {
	text := ""
	if e.Offset > 0 {
		text = fmt.Sprintf("byte %d: ", e.Offset)
	}
	if e.Path != "" {
		text += e.Path + ": "
	}
	return text + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }
