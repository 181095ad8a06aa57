package model

import (
	"errors"
	"fmt"
	"io"

	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/io/model/internal/fault"
	"github.com/lambdamart/lambdamart/tree"
)

// Kinds of faults in a file, to be found with [errors.Is], whatever the format. The packages of
// the formats have further kinds, and an error type each that holds the place.
var (
	// ErrFormat: the file is not what its format says.
	ErrFormat = fault.ErrFormat
	// ErrUnsupported: the model is of a kind that is not read, or that a target or an engine cannot hold.
	ErrUnsupported = fault.ErrUnsupported
)

// kindError is an error of a kind that its text does not name.
type kindError struct{ err, kind error }

func (e *kindError) Error() string   { return e.err.Error() }
func (e *kindError) Unwrap() []error { return []error{e.err, e.kind} }

// writtenError says that a file is in a format that is only written.
type writtenError struct {
	format Format
	run    string // how the program that loads the file scores test vectors
}

func (e *writtenError) Error() string {
	return fmt.Sprintf("%v is written and not read: give the model that it was exported from", e.format)
}

func (e *writtenError) Unwrap() error { return ErrUnsupported }

// ReadFile reads the model in the file at path, plain or compressed with gzip or zstd; "-" is
// standard input. Errors name the file, and are otherwise those of [Read].
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
// [tree.Ensemble.Validate]. Errors wrap [ErrUnknown], [ErrFormat] or [ErrUnsupported], or
// are those of r.
func Read(r io.Reader) (*tree.Ensemble, Format, error) {
	data, err := io.ReadAll(r)
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

// classified makes an error about an invalid tree, which packages of formats return as it is, an
// ErrFormat: the file is the source of the tree.
func classified(err error) error {
	var invalid *tree.InvalidError
	if errors.As(err, &invalid) && !errors.Is(err, ErrFormat) {
		return &kindError{err, ErrFormat}
	}
	return err
}
