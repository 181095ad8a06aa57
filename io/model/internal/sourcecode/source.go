// Package sourcecode writes models as source code in Go, C or Java. The code
// needs no library, in Go and C not even the standard library of the language.
//
// # The code
//
// A Go file is a package with
//
//	const NumFeatures = 136
//	var FeatureNames = [NumFeatures]string{...}
//	func Score(row []float64) float64
//
// and a C file, in C99 for hosted and freestanding environments, has, with the name in [Options],
//
//	#define RANKER_NUM_FEATURES 136
//	const char *const ranker_feature_names[RANKER_NUM_FEATURES];
//	double ranker_score(const double *row);
//
// and a Java file, for Java 8 and newer, is a class with
//
//	public static final int NUM_FEATURES = 136;
//	public static String[] featureNames()
//	public static double score(double[] row)
//
// A model with query context has a function for the documents of a query instead, since its scores depend on
// all of them: ScoreQuery(rows) in Go, ranker_score_query(rows, count, scores) in C and scoreQuery(rows) in
// Java. It computes the columns by the formulas of package querycontext, and equals the model's scores in
// every bit too. It allocates, and uses math and slices in Go and the standard library in C.
//
// row has a value for each feature, in the order of the names; NaN is a missing value. Scoring
// allocates nothing and may run in any number of threads.
//
// The rest of the file is one table of all nodes, one of all leaf values and one of the roots of
// the trees. The row of a node is {feature, threshold, decision, left, right}. The decision has
// the bits of [tree.Decision], and 16 for a threshold of +Inf. Children are numbers in the table
// of all nodes, and a child c < 0 is leaf ^c. Models with categorical splits or linear leaves have
// additional tables. In Java, the rows are lines of texts, since the arrays of a class cannot be
// initialized with more than some thousand numbers.
//
// # Exactness
//
// Everything is float64, the comparison is value <= threshold, and numbers are decimals that read
// back as the same bits. The score equals the model's in every bit, for every row and all missing
// types, including averages and linear leaves. In C this requires IEEE arithmetic: the file does
// not compile with -ffast-math, nor on targets that compute double in a wider type. In Java it requires
// Java 17 or newer, or a processor that computes double in its own width, as all of today do.
package sourcecode

import (
	"bytes"
	"fmt"

	"github.com/lambdamart/lambdamart/io/model/internal/fault"
)

// Language is the language of the code.
type Language string

// The languages.
const (
	Go   Language = "go"
	C    Language = "c"
	Java Language = "java"
)

// Kinds of faults, to be found with [errors.Is]. A file that is not what the format says is
// ErrFormat of package io/model.
var (
	// ErrNumber: a value is not a number, or source code cannot hold it.
	ErrNumber = fault.ErrNumber
	// ErrName: a name that the language cannot hold.
	ErrName = fault.Kind(fault.ErrFormat, "bad name")
)

// errFormat: the text is not what a source file has in this place.
var errFormat = fault.Kind(fault.ErrFormat, "not source code of a model")

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

// Is reports whether data, the content of a file or its first 200 bytes, looks like code in the
// given language that [Write] has written.
func Is(data []byte, l Language) bool {
	f, err := formOf(l)
	return err == nil && bytes.HasPrefix(data, []byte(f.first))
}
