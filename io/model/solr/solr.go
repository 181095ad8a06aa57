// Package solr writes and reads models for Apache Solr's learning-to-rank module
// (org.apache.solr.ltr.model.MultipleAdditiveTreesModel).
//
// # The format
//
// One JSON object, which is uploaded to Solr's model store:
//
//	{"class":"org.apache.solr.ltr.model.MultipleAdditiveTreesModel",
//	 "name":"...",                        the model, as queries call it
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
// with missing ("left" or "right") since Solr 9.2. Solr refuses keys that it does
// not know, so a file with isNullSameAsZero and missing does not load before 9.2.
// Numbers are strings or JSON numbers.
//
// # How Solr scores
//
// Values, thresholds, leaf values and weights are float32. A value goes left if
//
//	value <= fl32(threshold + 1e-6f)
//
// The trees' leaf values times their weights are added in float32, in order,
// beginning with 0. A feature that a document does not have is 0, or, with
// isNullSameAsZero false, NaN, which goes to the side called missing. A tree that
// names a feature which the model does not list scores 0 in Solr; Read refuses it.
//
// # What is written
//
// Weights are 1, leaf values those of the model rounded to float32. Thresholds are
// chosen so that with Solr's slack every float32 value goes the same way as in the
// model. A few thresholds near zero, where float32 is finer than the slack, have no
// such number: [Inexact] lists them with the values that go astray. The features
// are those that the model uses, in its order.
//
// isNullSameAsZero and missing are written if the model needs them, which
// [Options] must allow; without them the file loads in all versions. The file is
// as compact as it can be, as Solr's managed stores keep it in ZooKeeper, whose
// limit is 1 MB a file by default.
//
// Categorical splits, linear leaves, averages, and splits that take zeros for
// missing values and set them apart are refused with a [*target.Refusal].
package solr

import (
	"errors"
	"fmt"
)

// class is the only class of models that is written or read.
const class = "org.apache.solr.ltr.model.MultipleAdditiveTreesModel"

// Kinds of faults, to be found with [errors.Is].
var (
	// ErrFormat: the text is not what a model file has in this place.
	ErrFormat = errors.New("not a Solr model of trees")
	// ErrNumber: a number that is not one, or that float32 cannot hold.
	ErrNumber = errors.New("bad number")
	// ErrName: a feature name that is empty, given twice, or not listed.
	ErrName = errors.New("bad feature name")
)

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
