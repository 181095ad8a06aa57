// Package onnx writes models as ONNX graphs with one operator of the domain ai.onnx.ml: TreeEnsembleRegressor
// or, if there are categorical splits, TreeEnsemble.
//
// # The format
//
// A file is a ModelProto of onnx.proto in protobuf's wire format, IR version 7:
//
//	graph    one node TreeEnsembleRegressor: input "input", output "score"
//	input    tensor of rows × features: float32, or float64 with Options.Float64
//	output   tensor of rows × 1, float32
//	opset    ai.onnx.ml 1, or 3 with Options.Float64
//	metadata "feature_names": a JSON list of the features in column order
//
// The attributes of the operator are parallel lists with an entry for each node, including leaves:
// tree by tree, starting with the root.
//
//	nodes_treeids, nodes_nodeids               identify the node, numbers from 0
//	nodes_modes                                BRANCH_LEQ or LEAF
//	nodes_featureids, nodes_values             feature and threshold of the comparison
//	nodes_truenodeids, nodes_falsenodeids      children: true is left
//	nodes_missing_value_tracks_true            1: NaN goes left
//	target_treeids, target_nodeids, target_ids, target_weights   leaves and their values
//	n_targets=1, post_transform=NONE, aggregate_function=SUM or AVERAGE
//
// With float64, nodes_values and target_weights are the tensors nodes_values_as_tensor and
// target_weights_as_tensor, which exist since ai.onnx.ml 3.
//
// # How runtimes score
//
// A value goes left if value <= threshold; both are float32, or float64 with Options.Float64. The leaf values
// are added in the same type. ONNX Runtime adds the trees in order for small batches, and in another order
// for larger batches with several threads. The sum is rounded to float32 in any case.
//
// # What is written
//
// With float32, thresholds are chosen so that every float32 value takes the same path as in the model, and
// leaf values are rounded. Scores differ from the model's only by rounding, at most n·2^-23 times the sum of
// the magnitudes of the n leaves. With float64, every float64 value takes the same path, and the score is the
// model's, rounded to float32 once, or a neighbor of it if the trees are added in another order.
//
// All missing types are represented exactly, except for splits that treat zeros as missing and send them to
// another side than their neighbors. These and linear leaves are refused.
//
// # Categories
//
// TreeEnsemble of ai.onnx.ml 5 has splits by membership in a set, which a value with a fraction is never in:
// [Deviates]. Its output has the type of its input. Splits and leaves are numbered apart, through all trees:
//
//	nodes_modes                           tensor of uint8: 0 value <= split, 1 value < split, 6 membership
//	nodes_featureids, nodes_splits        feature; threshold, or 0 for a membership
//	membership_values                     the categories of each membership, in the order of the nodes, each
//	                                      set followed by NaN
//	nodes_truenodeids, nodes_trueleafs    child, and whether it is a leaf; the same for nodes_falsenodeids
//	nodes_missing_value_tracks_true       1: NaN goes to the true side
//	leaf_weights, leaf_targetids          leaves and the score, 0, that they are added to
//	tree_roots                            the first split of each tree
//	n_targets=1, post_transform=0 (none), aggregate_function=1 (sum) or 0 (average)
//
// # Calibration
//
// A model with a calibration has a second output, "probability", rows × 1, which standard ONNX nodes compute
// from the score, in float64 also where the score is float32: documents of one step differ by less than
// float32 holds. Isotonic probabilities are those of the score in every bit, since IEEE 754 defines all
// operations. Those of Platt differ by the error of the runtime's Exp, and are within 1e-15 in ONNX Runtime.
// Isotonic ones take a number for each row and step, so large batches of models with many steps need memory.
//
// # Query context
//
// A model with query context becomes a graph whose input is the documents of one query. Standard ONNX nodes
// compute the columns of query context, and the metadata "query_context" lists them. All operations are
// defined by IEEE 754, are sums of ones, or are sums in a defined order, so columns equal those of package
// querycontext in every bit, except for the sign of a zero. A rank compares each document with every other:
// with n documents, a node has n² numbers. A z-score sorts the values and adds them in a loop (Scan). With
// float32, such a model is refused.
package onnx

import (
	"bytes"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
)

// ErrEmpty: a model without features.
var ErrEmpty = document.Kind(document.ErrFormat, "the model has no features")

// Is reports whether data, the content of a file, looks like an ONNX model: it begins with the IR
// version and names a domain of ONNX.
func Is(data []byte) bool {
	return len(data) > 0 && data[0] == modelIRVersion<<3|kindVarint &&
		bytes.Contains(data, []byte("ai.onnx"))
}

// Names in the format.
const (
	domain       = "ai.onnx.ml"
	operator     = "TreeEnsembleRegressor"
	operator5    = "TreeEnsemble" // of ai.onnx.ml 5
	inputName    = "input"
	scoreName    = "score"
	featureNames = "feature_names"

	probabilityName = "probability"

	modeLEQ  = "BRANCH_LEQ"
	modeLeaf = "LEAF"
)

// Field numbers of onnx.proto, and values of its enumerations.
const (
	modelIRVersion, modelProducer, modelGraph, modelOpset, modelMetadata = 1, 2, 7, 8, 14

	opsetDomain, opsetVersion = 1, 2

	graphNode, graphName, graphInitializer, graphInput, graphOutput = 1, 2, 5, 11, 12

	nodeInput, nodeOutput, nodeOpType, nodeAttribute, nodeDomain = 1, 2, 4, 5, 7

	attributeName, attributeInt, attributeString, attributeTensor      = 1, 3, 4, 5
	attributeGraph, attributeFloats, attributeInts, attributeStrings   = 6, 7, 8, 9
	attributeType                                                      = 20
	typeInt, typeString, typeTensor, typeGraph                         = 2, 3, 4, 5
	typeFloats, typeInts, typeStrings                                  = 6, 7, 8
	valueName, valueType, typeTensorType, tensorElement, tensorShape   = 1, 2, 1, 1, 2
	shapeDim, dimValue, dimParam                                       = 1, 1, 2
	tensorDims, tensorDataType, tensorDoubles, tensorRaw, tensorFloats = 1, 2, 10, 9, 4
	tensorName                                                         = 8
	elementFloat, elementUint8, elementInt64, elementDouble            = 1, 2, 7, 11
	entryKey, entryValue                                               = 1, 2
)
