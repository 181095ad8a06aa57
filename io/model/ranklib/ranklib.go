// Package ranklib reads and writes the LambdaMART and MART models of RankLib,
// which Elasticsearch and OpenSearch load as model/ranklib.
//
// # The format
//
// Lines that begin with #, the first of which names the kind of model, an empty
// line, and XML (see io/model/internal/treexml):
//
//	## LambdaMART
//	## No. of trees = 1
//
//	<ensemble>
//	<tree id="1" weight="0.1">
//	<split>
//	<feature>39</feature>
//	<threshold>0.78125</threshold>
//	<split pos="left">
//	<output>-0.64</output>
//	</split>
//	<split pos="right">
//	<output>1.7</output>
//	</split>
//	</split>
//	</tree>
//	</ensemble>
//
// # How RankLib scores
//
// Values, thresholds, outputs and weights are float32. A row goes left if
// x <= threshold. NaN, and values that are absent, are 0. After each tree
// output·weight is added to the score, and the sum rounded to float32.
//
// Features are ordinals that count from 1: in a file for RankLib the numbers of the
// LETOR data, in a search engine the places in the feature set.
//
// # What a model becomes
//
// Ordinal n is column n of the model, so that it scores LETOR files as they are;
// column 0 is not used. (Not so in files of ours that say otherwise, see below.) Every row falls into the leaves that RankLib sends it to,
// also where its values are not float32. (One exception in text: RankLib rounds
// decimals to float32 at once, and we to float64 first, which matters to those that
// are nearer to the middle between two float32 than float64 can tell.) Leaves are output·weight, exactly. Sums are
// float64 and more exact than RankLib's: scores differ by its rounding, at most
// n·2^-24·Σ|leaf| for n trees. Rounded to float32 after each tree they are equal in
// every bit. Weights, gains and counts are not in the file, and zero.
//
// Other kinds of models, such as Random Forests and Coordinate Ascent, are
// refused by name.
//
// # What is written
//
// No indentation: the loader of older plugins wants none. Weights are 1. Where column
// 0 is not ordinal 0 (see [Options]) a line "## Ordinal of column 0 = 1" says so;
// RankLib passes over it, and we read the columns as they were.
package ranklib

import (
	"errors"
	"fmt"

	"github.com/lambdamart/lambdamart/io/model/internal/treexml"
)

// Kinds of faults, to be found with [errors.Is].
var (
	// ErrFormat: the file is not a model of RankLib's.
	ErrFormat = treexml.ErrFormat
	// ErrTruncated: the file ends too early.
	ErrTruncated = treexml.ErrTruncated
	// ErrNumber: a number that is none, or is out of range.
	ErrNumber = treexml.ErrNumber
	// ErrDepth: a tree is deeper than 5,000 splits.
	ErrDepth = treexml.ErrDepth
	// ErrUnsupported: the model is of a kind that is not read.
	ErrUnsupported = errors.New("unsupported kind of model")
	// ErrOrdinal: a column would have an ordinal below 1.
	ErrOrdinal = errors.New("ordinals count from 1")
	// ErrValue: a number that float32 cannot hold.
	ErrValue = errors.New("number cannot be written")
)

// Error is a fault in a model file, with its place. Err wraps one of the errors
// above.
type Error struct {
	Path         string // of the file; empty if the model was read from a plain reader
	Line, Column int    // counted from 1; 0 in writing
	Tree         int    // number of the tree, from 0; -1 outside of trees
	Err          error
}

func (e *Error) Error() string {
	text := "ranklib: "
	if e.Path != "" {
		text += e.Path + ": "
	}
	if e.Line > 0 {
		text += fmt.Sprintf("line %d, column %d: ", e.Line, e.Column)
	}
	if e.Tree >= 0 {
		text += fmt.Sprintf("tree %d: ", e.Tree)
	}
	return text + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// placed makes an Error of one of treexml's.
func placed(err error) error {
	if fault := (*treexml.Error)(nil); errors.As(err, &fault) {
		return &Error{Line: fault.Line, Column: fault.Column, Tree: fault.Tree, Err: fault.Err}
	}
	return err
}
