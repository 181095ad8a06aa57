// Package vespa writes models for Vespa, in the form that its importer of LightGBM models loads
// (ai.vespa.rankingexpression.importer.lightgbm).
//
// # The format
//
// A file is one JSON object with the keys of LightGBM's dump_model that Vespa reads:
//
//	{"form":"lambdamart for vespa 1",      a mark, which Vespa does not read
//	 "objective":"lambdarank",             any that makes Vespa return the sum of the leaves
//	 "feature_names":["bm25(title)",...],
//	 "feature_infos":{},"pandas_categorical":[],
//	 "tree_info":[{"tree_structure":NODE},...]}
//
// NODE is a leaf {"leaf_value":0.5} or a split
//
//	{"split_feature":0,"threshold":0.5,"decision_type":"<","default_left":true,
//	 "left_child":NODE,"right_child":NODE}
//
// # How Vespa scores
//
// Vespa compiles the trees to a ranking expression. Numbers are float64, and leaves are added in the order of
// the trees. Although dump_model says value <= threshold, Vespa compares with
//
//	value < threshold            without default_left: NaN goes right
//	!(value >= threshold)        with default_left: NaN goes left
//
// regardless of decision_type and missing_type. So in LightGBM's own dumps, a value equal to a threshold goes
// to the wrong side. Feature names become part of the text of the expression.
//
// # What is written
//
// Thresholds become the next float64 above those of the model, so every float64, and every float32, takes the
// same path. Thresholds that would be larger than the largest float64, with which LightGBM separates NaN from
// numbers, become the largest float64; then the largest float64 and +Inf go to the other side, and [Deviates]
// reports them. default_left is the side of NaN in the model. The decision_type "<" describes these
// thresholds correctly, and keeps readers of dump_model from accepting the file as one.
//
// Vespa's FastForest, which rank profiles can enable with vespa.eval.use_fast_forest, rounds thresholds to
// float32; scores may then differ.
//
// Names must be those of rank features, as in bm25(title), because any other text could change the
// expression. Categorical splits, linear leaves, averages, and splits that treat zeros as missing
// and send them to another side than their neighbors are refused with a [*engine.Refusal].
package vespa

import (
	"bytes"
	"math"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/tree"
)

// mark is the value of the key "form". No other format has it.
const mark = "lambdamart for vespa 1"

// MaxDepth is the largest number of splits above a leaf that is written. Vespa's JSON parser,
// Jackson, by default refuses a file that nests deeper than 1000.
const MaxDepth = 900

// Kinds of faults, to be found with [errors.Is]. A file that violates the format is
// ErrFormat of package io/model.
var (
	// ErrName: a feature name that is not a name of a rank feature.
	ErrName = document.Kind(document.ErrFormat, "bad feature name")
	// ErrDepth: a tree that nests too deep for Vespa's JSON parser.
	ErrDepth = document.Kind(document.ErrUnsupported, "a tree too deep for Vespa")
)

// Is reports whether data, the content of a file, looks like what [Write] has written.
func Is(data []byte) bool {
	return document.Opening(data) == '{' && bytes.Contains(data, []byte(`"`+mark+`"`))
}

// Capabilities returns what Vespa can hold of a model.
func Capabilities() engine.Capabilities {
	return engine.Capabilities{Engine: "Vespa", Missing: engine.MissingSide}
}

// Deviates returns a function that reports whether Vespa sends a value of a feature to another side than e at
// some split. Only the largest float64 and +Inf can be such values.
func Deviates(e *tree.Ensemble) func(feature int, x float64) bool {
	unbounded := map[int]bool{}
	for i := range e.Trees {
		t := &e.Trees[i]
		for node, cut := range t.Threshold {
			if t.Decision[node]&tree.Categorical == 0 && cut >= math.MaxFloat64 {
				unbounded[int(t.Feature[node])] = true
			}
		}
	}
	return func(feature int, x float64) bool { return x >= math.MaxFloat64 && unbounded[feature] }
}
