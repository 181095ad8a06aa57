// Package fault defines the kinds of errors that the formats of model files share. Each format has its own
// wording, but all errors wrap one of two roots, which package io/model exports.
package fault

import "errors"

// Roots of all kinds, to be found with [errors.Is].
var (
	// ErrFormat: the file violates its format.
	ErrFormat = errors.New("the file is not what its format says")
	// ErrUnsupported: the file is valid, but of a kind that cannot be read or written.
	ErrUnsupported = errors.New("unsupported")
)

// Kinds of [ErrFormat] that several formats have.
var (
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
func Kind(root error, text string) error { return &kind{root, text} }

type kind struct {
	root error
	text string
}

func (k *kind) Error() string { return k.text }
func (k *kind) Unwrap() error { return k.root }

const maxToken = 40 // bytes of a file that an error message repeats

// Clip shortens a piece of a file for an error message.
func Clip(s string) string {
	if len(s) > maxToken {
		return s[:maxToken] + "..."
	}
	return s
}
