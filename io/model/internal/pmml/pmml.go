// Package pmml writes models as PMML 4.4, the XML of the Data Mining Group that scorers of several languages
// load.
//
// # The format
//
// A model is a MiningModel that adds its segments, a TreeModel each:
//
//	<PMML version="4.4" xmlns="http://www.dmg.org/PMML-4_4">
//	<Header description="lambdamart for pmml 1"/>                   the description is a mark
//	<DataDictionary>
//	<DataField name="bm25" optype="continuous" dataType="double"/>  all features, in order
//	</DataDictionary>
//	<MiningModel functionName="regression" algorithmName="LambdaMART">
//	<MiningSchema><MiningField name="bm25"/></MiningSchema>         those in use
//	<Output><OutputField name="score" feature="predictedValue" .../></Output>
//	<Segmentation multipleModelMethod="sum">                        "average" for averages of trees
//	<Segment id="0"><True/>
//	<TreeModel functionName="regression" missingValueStrategy="defaultChild" splitCharacteristic="binarySplit">
//	<MiningSchema>...</MiningSchema>
//	<Node id="0" defaultChild="1"><True/>
//	<Node id="1" score="0.5"><SimplePredicate field="bm25" operator="lessOrEqual" value="3.5"/></Node>
//	<Node id="2" score="0.7"><SimplePredicate field="bm25" operator="greaterThan" value="3.5"/></Node>
//	</Node>
//	...
//
// https://dmg.org/pmml/v4-4-1/GeneralStructure.html and the pages TreeModel and MultipleModels define it.
//
// # How a scorer scores
//
// Values and leaves are float64, and leaves are added in the order of the trees (sections Aggregation and
// Segmentation), so scores are equal in every bit. A missing value makes a predicate unknown, and the row
// goes to the defaultChild, the side for missing values in the model. NaN is a number in PMML: callers must
// pass missing values as null or leave them out.
//
// # What is written
//
//	x <= t                lessOrEqual t, and greaterThan t
//	x <= +Inf             isNotMissing and isMissing: all numbers go left
//	x <= -Inf             lessThan the smallest float64, and greaterOrEqual
//	x in a set            SimpleSetPredicate: isIn, and isNotIn
//	all rows to one side  True and False
//
// A feature in sets is categorical. Its values are integers, or texts if the model has Dictionaries; the file
// then lists the known texts and declares others missing, as in the model. A scorer refuses values that are
// not integers, where the model would truncate them. Texts with double quotes are refused, because PMML4S
// does not read them in an Array as JPMML does. Also refused are features that are used both in sets and in
// comparisons, linear leaves, and splits that treat zeros as missing and send them to another side than their
// neighbors.
package pmml

import (
	"bytes"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/io/model/internal/fault"
)

// mark is the description in the header.
const mark = "lambdamart for pmml 1"

// DefaultName is the usual name of the output.
const DefaultName = "score"

// MaxDepth is the largest number of splits above a leaf that is written. Scorers walk trees by recursion.
const MaxDepth = 900

// Kinds of faults, to be found with [errors.Is]. A file that violates the format is ErrFormat of
// package io/model.
var (
	// ErrName: a name that XML cannot hold, is empty, or is given twice.
	ErrName = fault.Kind(fault.ErrFormat, "bad name")
	// ErrMixed: a feature in sets of categories and in comparisons with thresholds.
	ErrMixed = fault.Kind(fault.ErrUnsupported, "a feature is a category in one split and a number in another")
	// ErrDepth: a tree that nests too deep.
	ErrDepth = fault.Kind(fault.ErrUnsupported, "a tree too deep for PMML")
)

// Is reports whether data, the content of a file or its beginning, looks like what [Write] has written.
func Is(data []byte) bool {
	data = document.TrimLeft(data)
	return bytes.HasPrefix(data, []byte("<PMML")) && bytes.Contains(data, []byte(mark))
}

// Capabilities returns what PMML can hold of a model.
func Capabilities() engine.Capabilities {
	return engine.Capabilities{Engine: "PMML", Missing: engine.MissingSide, Categorical: true, Average: true}
}
