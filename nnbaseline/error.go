package nnbaseline

import (
	"errors"
	"fmt"
)

// nanError means that a feature value is NaN, and that Params.NaN does not define a replacement.
type nanError struct {
	Row     int // number in the data, or among the rows of the call
	Feature int
	Name    string // name of the feature
}

func (e *nanError) Error() string {
	return fmt.Sprintf("nnbaseline: feature %d (%s) of row %d is NaN; train with nan=mean to count the "+
		"feature's mean for it, or fill it in", e.Feature, e.Name, e.Row)
}

// Renumber replaces the number of the row by number of it.
func (e *nanError) Renumber(number func(row int) int) { e.Row = number(e.Row) }

// infiniteError means that a feature value is infinite.
type infiniteError struct {
	Row, Feature int
}

func (e *infiniteError) Error() string {
	return fmt.Sprintf("nnbaseline: feature %d of row %d is infinite; networks need finite values: cap it, "+
		"or leave the feature out", e.Feature, e.Row)
}

// Renumber replaces the number of the row by number of it.
func (e *infiniteError) Renumber(number func(row int) int) { e.Row = number(e.Row) }

// Errors of [ReadModel] about a model file wrap one of these.
var (
	// ErrForeign means that the file is not a model of this package.
	ErrForeign = errors.New("not a neural model of lambdamart")
	// ErrVersion means that another version of this package wrote the file.
	ErrVersion = errors.New("its format has another version; use the version of lambdamart that made it, or " +
		"train again")
	// ErrCut means that the end of the file is missing.
	ErrCut = errors.New("the model is cut off; copy it again")
	// ErrDamaged means that bytes have changed since the file was written.
	ErrDamaged = errors.New("the model is damaged; copy it again")
	// ErrInvalid means that the checksum is right, but that the content describes no model.
	ErrInvalid = errors.New("the model was written wrongly; train it again")
)

// fault returns an error that wraps the kind of fault. The text, if any, describes it and its place.
func fault(kind error, format string, args ...any) error {
	if format == "" {
		return fmt.Errorf("nnbaseline: %w", kind)
	}
	return fmt.Errorf("nnbaseline: "+format+": %w", append(args, kind)...)
}
