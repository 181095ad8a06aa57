// Package lightgbm reads and writes LightGBM's models: its model text and the JSON of its dump_model.
//
// # The text
//
// A model file has a header, trees and trailing sections. Lines end in \n; \r\n is read too. A
// line is key=value or a bare word. The elements of arrays are separated by single spaces.
//
// The header is written in this order, and read in any order:
//
//	tree                        first line of every file
//	version=v3                  v2, v3, v4 or absent when read
//	num_class=1                 more than one class is refused
//	num_tree_per_iteration=1    like num_class; the same as num_class if absent
//	label_index=0
//	max_feature_idx=F-1
//	objective=lambdarank        optional; may have parameters, as "binary sigmoid:1"
//	average_output              optional: scores are divided by the number of trees
//	feature_names=...           F names
//	monotone_constraints=...    optional: F of -1, 0, 1
//	feature_infos=...           F entries: [min:max], none, or categories a:b:c
//	tree_sizes=...              bytes of each tree, see below; may be absent when read
//	(blank line)
//
// Each tree has n leaves and n-1 nodes; children and the bits of decisions are as in [tree.Tree]:
//
//	Tree=0                      numbered from 0
//	num_leaves=n
//	num_cat=c                   number of categorical splits
//	split_feature=...           n-1 each:
//	split_gain=...
//	threshold=...
//	decision_type=...
//	left_child=...
//	right_child=...
//	leaf_value=...              n each:
//	leaf_weight=...
//	leaf_count=...
//	internal_value=...          n-1 each:
//	internal_weight=...
//	internal_count=...
//	cat_boundaries=...          c+1, only if c > 0
//	cat_threshold=...           32-bit words; the last boundary is their number
//	is_linear=0                 if 1, four more lines:
//	leaf_const=...              n
//	num_features=...            n: number of features of each leaf's linear function
//	leaf_features=...           the features of all leaves, leaf after leaf
//	leaf_coeff=...              their coefficients
//	shrinkage=...
//	(two blank lines)
//
// num_leaves, num_cat and leaf_value are required. Trees with more than one leaf also require split_feature,
// threshold, decision_type, left_child and right_child. Other arrays are zero if absent, and an absent
// shrinkage is 1.
//
// tree_sizes[i] is the number of bytes from the T of Tree=i to the T of the next tree or the e of "end of
// trees". LightGBM uses it to find the trees and aborts the process if it is wrong, so wrong sizes are
// refused here. A \r before \n may be counted or not.
//
// After the trees:
//
//	end of trees                absent in version v2
//	(blank line)
//	feature_importances:        name=number of splits, or gain (saved_feature_importance_type); not read
//	(blank line)
//	parameters:                 optional; kept unchanged, except for the lines
//	[query_context_columns: …]  which features are query context, as querycontext.Columns writes them
//	[category_features: …]      the features of pandas_categorical; only in our own models
//	...
//	end of parameters
//	(blank line)
//	pandas_categorical:...      optional, by LightGBM's Python package: texts of categories
//
// Unknown keys are refused: LightGBM has added keys that change scores, such as is_linear, and a reader that
// skips them would compute wrong scores without an error.
//
// # What is written
//
// Version v3, which LightGBM 3 and 4, treelite, shap and leaves all read. Version v4 has the same lines, but
// leaves refuses it, so it is written only on request. Numbers are the shortest decimals that read back as
// the same float64. The bytes depend only on the model. As in LightGBM, an ensemble without trees is written
// as one tree with one leaf of value 0. Names that LightGBM or leaves cannot read back are refused.
//
// # The JSON
//
// The JSON is an object with the keys of the header, the features, the list of trees "tree_info", and other
// keys that are not read. A tree has num_leaves, num_cat, shrinkage and its root, tree_structure. A node has
//
//	split_index       number of the node
//	split_feature     number of the feature
//	split_gain
//	threshold         a number, or the categories of a set as text: "1||5||7"
//	decision_type     "<=", or "==" for sets
//	default_left      true or false
//	missing_type      "None", "Zero" or "NaN"
//	internal_value, internal_weight, internal_count
//	left_child, right_child    nodes or leaves
//
// and a leaf has leaf_index, leaf_value, leaf_weight, leaf_count and, in linear trees,
// leaf_const, leaf_features and leaf_coeff. The only leaf of a tree has no index. Weights and
// counts may be absent, as in the dumps of LightGBM 2. Keys of trees that are not named here are
// refused. "feature_infos" has min_value, max_value and values, which are categories, for each
// feature that is used.
//
// The JSON represents a model exactly, except for its parameters and for infinite thresholds. These become
// the largest finite numbers, so only infinite values go to another side. (LightGBM itself writes 1e300.)
// LightGBM does not read its JSON.
package lightgbm

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
)

// Kinds of errors in a model file besides those of package document, for use with [errors.Is]. They also wrap
// ErrFormat of package io/model if the file violates the format.
var (
	// ErrVersion: the file is of an unknown version.
	ErrVersion = document.Kind(document.ErrUnsupported, "unknown version")
	// ErrMulticlass: the model has more than one score per row.
	ErrMulticlass = document.Kind(document.ErrUnsupported, "more than one class")
	// ErrTreeSizes: tree_sizes contradicts the trees.
	ErrTreeSizes = document.Kind(document.ErrFormat, "wrong tree_sizes")
	// ErrName: a feature name that cannot be written.
	ErrName = errors.New("name cannot be written")
)

// errFormat: the text violates the format.
var errFormat = document.Kind(document.ErrFormat, "not a LightGBM model text")

// Error is an error in a model text, with its place. Err wraps one of the errors above or ErrFormat of
// package io/model, or is a [*tree.InvalidError].
type Error struct {
	Line int    // counted from 1; 0 if no line is meant
	Tree int    // number of the tree; -1 outside of trees
	Key  string // such as "threshold"; may be empty
	Err  error
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("lightgbm: ")
	if e.Line > 0 {
		fmt.Fprintf(&b, "line %d: ", e.Line)
	}
	if e.Tree >= 0 {
		fmt.Fprintf(&b, "tree %d: ", e.Tree)
	}
	if e.Key != "" {
		fmt.Fprintf(&b, "%s: ", e.Key)
	}
	return b.String() + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// Is reports whether data, the content of a file, looks like a model text.
func Is(data []byte) bool {
	line, _, more := bytes.Cut(document.TrimLeft(data), []byte("\n"))
	return more && string(bytes.TrimSuffix(line, []byte("\r"))) == firstLine
}

// IsJSON reports whether data, the content of a file, looks like the JSON of dump_model.
func IsJSON(data []byte) bool {
	return document.Opening(data) == '{' && bytes.Contains(data, []byte(`"tree_structure"`))
}
