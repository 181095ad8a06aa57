package model

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/tree"
)

// Kinds of errors for all formats, for use with [errors.Is]. The packages of the formats have more specific
// kinds, and error types that contain the place.
var (
	// ErrFormat: the file violates its format.
	ErrFormat = document.ErrFormat
	// ErrUnsupported: a kind of model that cannot be read, or that a target or an engine cannot represent.
	ErrUnsupported = document.ErrUnsupported
)

// kindError is an error of a kind that its text does not mention.
type kindError struct{ err, kind error }

func (e *kindError) Error() string   { return e.err.Error() }
func (e *kindError) Unwrap() []error { return []error{e.err, e.kind} }

// writtenError is the error for reading a format that is only written.
type writtenError struct {
	format Format
	run    string // how the program that loads the file scores test vectors
}

func (e *writtenError) Error() string {
	return fmt.Sprintf("%v is written and not read: give the model that it was exported from", e.format)
}

func (e *writtenError) Unwrap() error { return ErrUnsupported }

// ReadFile reads the model in the file at path, which may be compressed with gzip or zstd; "-" is standard
// input. Errors name the file, and otherwise come from [Read].
func ReadFile(path string) (e *tree.Ensemble, format Format, err error) {
	err = stream.ReadFile(path, func(r io.Reader, name string) error {
		if e, format, err = Read(r); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
	return e, format, err
}

// Read reads a model in any format, which it recognizes by the content. The ensemble is valid; see
// [tree.Ensemble.Validate]. Errors wrap [ErrUnknown], [ErrFormat] or [ErrUnsupported], or come from r.
func Read(r io.Reader) (*tree.Ensemble, Format, error) {
	data, err := io.ReadAll(stream.WithoutMark(r))
	if err != nil {
		return nil, "", fmt.Errorf("model: %w", err)
	}
	found := find(data)
	if found == nil {
		_, err := Detect(data)
		return nil, "", err
	}
	if found.read == nil {
		return nil, found.format, &writtenError{found.format, found.run}
	}
	e, err := found.read(data)
	return e, found.format, classified(err)
}

// isRead reports whether [Read] can read a format.
func isRead(format Format) bool {
	return slices.ContainsFunc(table, func(e entry) bool { return e.format == format && e.read != nil })
}

// classified turns an error about an invalid tree, which packages of formats return unchanged, into an
// ErrFormat, because the tree comes from the file.
func classified(err error) error {
	var invalid *tree.InvalidError
	if errors.As(err, &invalid) && !errors.Is(err, ErrFormat) {
		return &kindError{err, ErrFormat}
	}
	return err
}
