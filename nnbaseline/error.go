package nnbaseline

import (
	"errors"
	"fmt"
)

// NaNError is a feature value that is NaN, where Params.NaN does not say what to
// put in its place.
type NaNError struct {
	Row     int // in the data, or in the call
	Feature int
	Name    string // of the feature
}

func (e *NaNError) Error() string {
	return fmt.Sprintf("nnbaseline: feature %d (%s) of row %d is NaN; train with nan=mean to count the feature's mean for it, or fill it in", e.Feature, e.Name, e.Row)
}

// Renumber replaces the number of the row by number of it.
func (e *NaNError) Renumber(number func(row int) int) { e.Row = number(e.Row) }

// InfiniteError is a feature value that is infinite.
type InfiniteError struct {
	Row, Feature int
}

func (e *InfiniteError) Error() string {
	return fmt.Sprintf("nnbaseline: feature %d of row %d is infinite; networks need finite values: cap it, or leave the feature out", e.Feature, e.Row)
}

// Renumber replaces the number of the row by number of it.
func (e *InfiniteError) Renumber(number func(row int) int) { e.Row = number(e.Row) }

// FeatureError is a feature whose number is too large.
type FeatureError struct {
	Row, Feature int
}

func (e *FeatureError) Error() string {
	return fmt.Sprintf("nnbaseline: row %d has feature %d; networks take %d features, all of them in memory for each row: number the features that occur from 0 on", e.Row, e.Feature, maxFeatures)
}

// What can be wrong with a model file: what a [*FormatError] wraps.
var (
	// ErrForeign: the file is something else.
	ErrForeign = errors.New("not a neural model of lambdamart")
	// ErrVersion: the file was written by another version of this package.
	ErrVersion = errors.New("its format has another version; use the version of lambdamart that made it, or train again")
	// ErrCut: the end of the file is missing.
	ErrCut = errors.New("the model is cut off; copy it again")
	// ErrDamaged: bytes have changed since the file was written.
	ErrDamaged = errors.New("the model is damaged; copy it again")
	// ErrInvalid: the checksum is right, but what the file says cannot be.
	ErrInvalid = errors.New("the model was written wrongly; train it again")
)

// FormatError says what is wrong with a model file.
type FormatError struct {
	Detail string // where and what; may be empty
	Err    error  // the kind of fault
}

func (e *FormatError) Error() string {
	if e.Detail == "" {
		return "nnbaseline: " + e.Err.Error()
	}
	return fmt.Sprintf("nnbaseline: %s: %v", e.Detail, e.Err)
}

// Unwrap returns the kind of fault.
func (e *FormatError) Unwrap() error { return e.Err }

func fault(kind error, format string, args ...any) error {
	return &FormatError{fmt.Sprintf(format, args...), kind}
}
