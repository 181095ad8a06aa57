package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/lambdamart/lambdamart/io/data"
)

// UsageError is the error for a command line or a configuration that is invalid regardless of the content of
// files.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *UsageError) Unwrap() error { return e.Err }

// Usagef returns a [*UsageError] with the text of [fmt.Errorf].
func Usagef(format string, args ...any) error { return &UsageError{fmt.Errorf(format, args...)} }

// Usage wraps an error of parameters in a [*UsageError]. It returns nil for nil.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return &UsageError{err}
}

// DataError returns an error of opening or loading data. It wraps the error in a [*UsageError] if a parameter
// caused it.
func DataError(err error) error {
	if errors.Is(err, data.ErrBinned) || errors.Is(err, data.ErrBinning) {
		return &UsageError{err}
	}
	return err
}

// OpenError converts an error from opening data that a model is to score. An error about the numbering of
// features gets the model's file name.
func OpenError(model string, err error) error {
	if errors.Is(err, data.ErrFeatureZero) {
		return fmt.Errorf("%s: %w", model, data.ErrFeatureZero)
	}
	return DataError(err)
}

// interrupted returns the cause for which ctx was canceled, such as a signal, or err if it was not
// canceled.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
