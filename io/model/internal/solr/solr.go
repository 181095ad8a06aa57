// Package solr writes and reads models for Apache Solr's learning-to-rank module
// (org.apache.solr.ltr.model.MultipleAdditiveTreesModel).
//
// # The format
//
// A file is one JSON object, which is uploaded to Solr's model store:
//
//	{"class":"org.apache.solr.ltr.model.MultipleAdditiveTreesModel",
//	 "name":"...",                        name of the model in queries
//	 "store":"...",                       the feature store; may be absent
//	 "features":[{"name":"..."},...],     at least one
//	 "params":{
//	   "isNullSameAsZero":false,          since Solr 9.2; absent means true
//	   "trees":[{"weight":"1","root":NODE},...]}}
//
// NODE is a leaf {"value":"0.5"} or a split
//
//	{"feature":"...","threshold":"0.5","missing":"left","left":NODE,"right":NODE}
//
// where missing ("left" or "right") exists since Solr 9.2. Solr refuses unknown keys, so a file
// with isNullSameAsZero and missing does not load before 9.2. Numbers are strings or JSON numbers.
//
// # How Solr scores
//
// Values, thresholds, leaf values and weights are float32. A value goes left if
//
//	value <= fl32(threshold + 1e-6f)
//
// The leaf values times the weights of their trees are added in float32, in order, starting with 0. A feature
// that a document lacks is 0; with isNullSameAsZero false it is NaN, which goes to the side that missing
// names. If a tree uses a feature that the model does not list, Solr scores 0 for the tree; Read refuses it.
//
// # What is written
//
// Weights are 1. Leaf values are rounded to float32. Thresholds are chosen so that, after Solr adds 1e-6,
// every float32 value takes the same path as in the model. For a few thresholds near zero, where float32 is
// finer than 1e-6, there is no such number: [Deviations] lists them with the affected values. The features
// are those that the model uses, in its order.
//
// isNullSameAsZero and missing are written if the model sends missing values and zeros to different sides, unless
// [Options] say that there are no missing values; without them the file loads in all versions. The file is as small as possible, because Solr's managed stores keep it in
// ZooKeeper, which by default accepts at most 1 MB per file.
//
// Categorical splits, linear leaves, averages, and splits that treat zeros as missing and send them
// to another side than their neighbors are refused with a [*engine.Refusal].
package solr

import (
	"fmt"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
)

// class is the only class of models that is written or read.
const class = "org.apache.solr.ltr.model.MultipleAdditiveTreesModel"

// Kinds of faults, to be found with [errors.Is]. A file that violates the format is
// ErrFormat of package io/model.
var (
	// ErrName: a feature name that is empty, given twice, or not listed.
	ErrName = document.Kind(document.ErrFormat, "bad feature name")
)

// ErrFormat: the text is not valid at this place of a model file.
var ErrFormat = document.Kind(document.ErrFormat, "not a Solr model of trees")

// Error is a fault in a model file, with its place.
type Error struct {
	Place string // such as "params.trees[3].root.left"; empty if the whole is meant
	Err   error
}

func (e *Error) Error() string {
	if e.Place == "" {
		return fmt.Sprintf("solr: %v", e.Err)
	}
	return fmt.Sprintf("solr: %s: %v", e.Place, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }
