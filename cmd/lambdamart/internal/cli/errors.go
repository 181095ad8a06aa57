package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/lambdamart/lambdamart/io/data"
)

// UsageError is a command line or a configuration that cannot be understood, or that asks for what
// is impossible whatever the files contain.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong.
func (e *UsageError) Unwrap() error { return e.Err }

// Usagef returns a [*UsageError] with the text of [fmt.Errorf].
func Usagef(format string, args ...any) error { return &UsageError{fmt.Errorf(format, args...)} }

// Usage returns an error of parameters as a [*UsageError]; nil if it is nil.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return &UsageError{err}
}

// DataError returns an error of opening or loading data, as a [*UsageError] if a parameter caused it.
func DataError(err error) error {
	if errors.Is(err, data.ErrBinned) || errors.Is(err, data.ErrBinning) {
		return &UsageError{err}
	}
	return err
}

// OpenError returns an error of opening data to be scored by a model. It names the file of the model if
// the error is about how its features are numbered.
func OpenError(model string, err error) error {
	if errors.Is(err, data.ErrFeatureZero) {
		return fmt.Errorf("%s: %w", model, data.ErrFeatureZero)
	}
	return DataError(err)
}

// interrupted returns the cause for which ctx was cancelled, such as a signal, or err if it was not.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
