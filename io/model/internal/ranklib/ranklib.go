// Package ranklib reads and writes the LambdaMART and MART models of RankLib, which Elasticsearch
// and OpenSearch load as model/ranklib.
//
// # The format
//
// Lines that begin with #, the first of which names the kind of model, an empty line, and XML. White space
// has no meaning; other elements and document types are refused:
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
// Values, thresholds, outputs and weights are float32. A row goes left if x <= threshold. NaN and
// absent values count as 0. After each tree, output·weight is added to the score and the sum is
// rounded to float32.
//
// Features are ordinals from 1: in a file for RankLib, the feature numbers of LETOR data; in a search engine,
// the positions in the feature set.
//
// # What a model becomes
//
// Ordinal n is column n of the model, so the model scores LETOR files unchanged; column 0 is not used. (Files
// written here may use another numbering, see below.) Every row reaches the same leaves as in RankLib, even
// if its values are not float32, with one exception for data read from text: RankLib rounds decimals directly
// to float32, and we round them to float64 first. This matters only for decimals that are closer to the
// midpoint of two float32 than float64 can resolve.
//
// Leaves are output·weight, exactly. Sums are float64 and more exact than RankLib's: for n trees, scores
// differ by at most n·2^-24·Σ|leaf|. Rounding the sum to float32 after each tree gives RankLib's scores
// exactly. Weights, gains and counts are not in the file and are zero.
//
// Other kinds of models, such as Random Forests and Coordinate Ascent, are refused by name.
//
// # What is written
//
// The XML is not indented, because the loader of older plug-ins does not support indentation. Weights are 1.
// If column 0 is not ordinal 0 (see [Options]), the file contains a line "## Ordinal of column 0 = 1".
// RankLib ignores the line; Read uses it to restore the columns.
package ranklib

import (
	"bytes"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
)

// Kinds of faults, to be found with [errors.Is]. A file that violates the format is
// ErrFormat of package io/model.
var (
	// ErrUnsupported: the model is of a kind that is not read.
	ErrUnsupported = document.Kind(document.ErrUnsupported, "unsupported kind of model")
	// ErrModel: an element or text is not the one that the format has there.
	ErrModel = document.Kind(document.ErrFormat, "not a model")
	// ErrOrdinal: a column would have an ordinal below 1.
	ErrOrdinal = document.Kind(document.ErrFormat, "ordinals count from 1")
)

// Is reports whether data, the content of a file, looks like a model of RankLib.
func Is(data []byte) bool {
	text := document.TrimLeft(data)
	return bytes.HasPrefix(text, []byte("##")) || bytes.HasPrefix(text, []byte("<ensemble"))
}
