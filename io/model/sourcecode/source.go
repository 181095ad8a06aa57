// Package sourcecode writes models as source code, in Go or in C, and reads such code
// back. The code needs no library, not even the language's own.
//
// # The code
//
// A Go file is a package with
//
//	const NumFeatures = 136
//	var FeatureNames = [NumFeatures]string{...}
//	func Score(row []float64) float64
//
// and a C file, in C99 for hosts or freestanding, has, with the name that
// [Options] gives,
//
//	#define RANKER_NUM_FEATURES 136
//	const char *const ranker_feature_names[RANKER_NUM_FEATURES];
//	double ranker_score(const double *row);
//
// row has a value for each feature, in the order of the names; NaN is a missing
// value. Scoring allocates nothing and may be done from any number of threads.
//
// Below that is one table of all nodes, one of all leaf values, and one of the
// trees' roots. A node's row is {feature, threshold, decision, left, right}. The
// decision has the bits of [tree.Decision], and 16 for a threshold of +Inf. Children
// count through the whole table, and a child c < 0 is leaf ^c. Categorical splits
// and linear leaves add tables of their own, where a model has them.
//
// # Exactness
//
// Everything is float64, the comparison is value <= threshold, and numbers are
// written in decimals that read back to the same bits. The score equals the
// model's in every bit, for every row and all missing types, averages and linear
// leaves included. In C this asks for IEEE arithmetic: the file does not compile
// with -ffast-math, nor where double is computed in a wider type.
//
// # Reading
//
// Read takes only what Write writes: it writes the model that it has read, and
// compares. So a file that was edited, or formatted otherwise, is refused, and
// what was read is what the code does.
package sourcecode

import (
	"errors"
	"fmt"
)

// Language is what the code is written in.
type Language string

// The languages.
const (
	Go Language = "go"
	C  Language = "c"
)

// Kinds of faults, to be found with [errors.Is].
var (
	// ErrFormat: the text is not what a source file has in this place.
	ErrFormat = errors.New("not source code of a model")
	// ErrChanged: the text is not as it was written.
	ErrChanged = errors.New("source code that was changed")
	// ErrNumber: a number that is not one, or that source code cannot hold.
	ErrNumber = errors.New("bad number")
	// ErrName: a name that the language cannot hold.
	ErrName = errors.New("bad name")
)

// Error is a fault in a source file, with its place.
type Error struct {
	Line int // counted from 1; 0 if no line is meant
	Err  error
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("source: %v", e.Err)
	}
	return fmt.Sprintf("source: line %d: %v", e.Line, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }
