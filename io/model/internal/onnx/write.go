package onnx

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/lambdamart/lambdamart/internal/widened"
	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/tree"
)

// Options determine how a model is written.
type Options struct {
	// Float64 writes a graph whose input and trees are float64. It needs ai.onnx.ml 3 (ONNX 1.11,
	// ONNX Runtime 1.11 or newer).
	Float64 bool
}

// Capabilities returns what the operator can represent.
func (o Options) Capabilities() engine.Capabilities {
	c := engine.Capabilities{Engine: "ONNX's tree ensembles", Average: true, Categorical: true,
		Float32: !o.Float64,
		Context: o.Float64, Calibration: true}
	if !o.Float64 {
		c.MaxCategory = 1 << 24 // float32 has no 2^24+1
	}
	return c
}

// Write writes e, which must be valid. The bytes depend on e and o only. e must be one that
// [Options.Capabilities] allow. Errors wrap [ErrEmpty], or come from w.
func Write(w io.Writer, e *tree.Ensemble, o Options) error {
	if len(e.Features) == 0 {
		return fmt.Errorf("onnx: %w", ErrEmpty)
	}
	_, err := w.Write(model(e, o))
	return err
}

// model returns the ModelProto.
func model(e *tree.Ensemble, o Options) []byte {
	version, element := 1, elementFloat
	if o.Float64 {
		version, element = 3, elementDouble
	}
	if len(e.CategoricalFeatures()) > 0 {
		version = 5
	}
	b := appendVarint(nil, modelIRVersion, 7)
	b = appendString(b, modelProducer, "lambdamart")
	b = appendBytes(b, modelGraph, graph(e, o, element))
	b = appendBytes(b, modelOpset, opset("", 12))
	b = appendBytes(b, modelOpset, opset(domain, version))
	b = appendEntry(b, featureNames, e.FeatureNames()[:inputs(e)])
	if e.Context != nil {
		b = appendEntry(b, contextColumns, contextList(e.Context))
	}
	return b
}

// appendEntry appends an entry of the metadata, a list of texts and integers as JSON.
func appendEntry(dst []byte, key string, list any) []byte {
	value, _ := json.Marshal(list) // such lists have a JSON form
	return appendBytes(dst, modelMetadata, appendBytes(appendString(nil, entryKey, key), entryValue, value))
}

// inputs returns the number of columns of the input.
func inputs(e *tree.Ensemble) int {
	raw, _ := widened.FeaturesOf(e).Raw()
	return raw
}

func opset(domain string, version int) []byte {
	return appendVarint(appendString(nil, opsetDomain, domain), opsetVersion, uint64(version))
}

func graph(e *tree.Ensemble, o Options, element int) []byte {
	f := &formulas{names: map[string]string{}}
	table := inputName
	if e.Context != nil {
		f.addContext(e)
		table = tableName
	}
	name, output, ofTrees := operator, elementFloat, attributes
	if len(e.CategoricalFeatures()) > 0 {
		name, output, ofTrees = operator5, element, attributes5
	}
	trees := appendString(node(name, []string{table}, nil, scoreName), nodeDomain, domain)
	f.nodes = appendBytes(f.nodes, graphNode, append(trees, ofTrees(e, o)...))
	if e.Calibration != nil {
		f.addProbability(e.Calibration)
	}
	b := appendString(f.nodes, graphName, "lambdamart")
	b = append(b, f.constants...)
	b = appendBytes(b, graphInput, tensorInfo(inputName, element, inputs(e)))
	b = appendBytes(b, graphOutput, tensorInfo(scoreName, output, 1))
	if e.Calibration != nil {
		b = appendBytes(b, graphOutput, tensorInfo(probabilityName, elementDouble, 1))
	}
	return b
}

// tensorInfo returns the ValueInfoProto of a matrix with any number of rows.
func tensorInfo(name string, element, columns int) []byte {
	rows := appendString(nil, dimParam, "rows")
	shape := appendBytes(nil, shapeDim, rows)
	shape = appendBytes(shape, shapeDim, appendVarint(nil, dimValue, uint64(columns)))
	tensor := appendBytes(appendVarint(nil, tensorElement, uint64(element)), tensorShape, shape)
	return appendBytes(appendString(nil, valueName, name), valueType, appendBytes(nil, typeTensorType, tensor))
}

// lists are the attributes of the operator that have an entry for each node or leaf.
type lists struct {
	treeIDs, nodeIDs, features, left, right, missingLeft []int64
	modes                                                []string
	values                                               []float64
	leafTrees, leafNodes                                 []int64
	weights                                              []float64
}

func attributes(e *tree.Ensemble, o Options) []byte {
	var l lists
	for i, root := range engine.Roots(e) { // a model without trees has one leaf: runtimes require a tree
		for _, n := range root.All() {
			l.add(int64(i), n, o)
		}
	}
	sum := "SUM"
	if e.Average {
		sum = "AVERAGE"
	}
	var b []byte
	b = appendStringAttribute(b, "aggregate_function", sum)
	b = appendIntAttribute(b, "n_targets", 1)
	b = appendInts(b, "nodes_falsenodeids", l.right)
	b = appendInts(b, "nodes_featureids", l.features)
	b = appendInts(b, "nodes_missing_value_tracks_true", l.missingLeft)
	b = appendStrings(b, "nodes_modes", l.modes)
	b = appendInts(b, "nodes_nodeids", l.nodeIDs)
	b = appendInts(b, "nodes_treeids", l.treeIDs)
	b = appendInts(b, "nodes_truenodeids", l.left)
	b = appendNumbers(b, "nodes_values", l.values, o)
	b = appendStringAttribute(b, "post_transform", "NONE")
	b = appendInts(b, "target_ids", make([]int64, len(l.weights)))
	b = appendInts(b, "target_nodeids", l.leafNodes)
	b = appendInts(b, "target_treeids", l.leafTrees)
	return appendNumbers(b, "target_weights", l.weights, o)
}

// add appends a node of a tree.
func (l *lists) add(number int64, n engine.Node, o Options) {
	mode, cut, left, right, missingLeft := modeLeaf, n.Cut, 0, 0, int64(0)
	if n.IsLeaf {
		l.leafTrees, l.leafNodes = append(l.leafTrees, number), append(l.leafNodes, int64(n.Index))
		l.weights = append(l.weights, n.Value)
	} else {
		mode, left, right = modeLEQ, n.Left().Index, n.Right().Index
	}
	if n.NaNLeft {
		missingLeft = 1
	}
	if !o.Float64 {
		cut = float64(engine.AtMost(cut))
	}
	l.treeIDs, l.nodeIDs = append(l.treeIDs, number), append(l.nodeIDs, int64(n.Index))
	l.modes = append(l.modes, mode)
	l.features, l.values = append(l.features, int64(n.Feature)), append(l.values, cut)
	l.left, l.right = append(l.left, int64(left)), append(l.right, int64(right))
	l.missingLeft = append(l.missingLeft, missingLeft)
}

func appendAttribute(dst []byte, name string, kind int, value []byte) []byte {
	b := append(appendString(nil, attributeName, name), value...)
	return appendBytes(dst, nodeAttribute, appendVarint(b, attributeType, uint64(kind)))
}

func appendStringAttribute(dst []byte, name, value string) []byte {
	return appendAttribute(dst, name, typeString, appendString(nil, attributeString, value))
}

func appendIntAttribute(dst []byte, name string, value int64) []byte {
	return appendAttribute(dst, name, typeInt, appendVarint(nil, attributeInt, uint64(value)))
}

func appendInts(dst []byte, name string, values []int64) []byte {
	var packed []byte
	for _, v := range values {
		packed = binary.AppendUvarint(packed, uint64(v))
	}
	return appendAttribute(dst, name, typeInts, appendBytes(nil, attributeInts, packed))
}

func appendStrings(dst []byte, name string, values []string) []byte {
	var b []byte
	for _, v := range values {
		b = appendString(b, attributeStrings, v)
	}
	return appendAttribute(dst, name, typeStrings, b)
}

// appendNumbers appends a list of float32, or a tensor of float64.
func appendNumbers(dst []byte, name string, values []float64, o Options) []byte {
	if !o.Float64 {
		return appendAttribute(dst, name, typeFloats, appendBytes(nil, attributeFloats, o.raw(values)))
	}
	return appendTensor(dst, name+"_as_tensor", elementDouble, len(values), o.raw(values))
}

// raw returns the bytes of numbers of the type of the graph.
func (o Options) raw(values []float64) (raw []byte) {
	for _, v := range values {
		if o.Float64 {
			raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
		} else {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(v)))
		}
	}
	return raw
}

// appendTensor appends a tensor of n elements.
func appendTensor(dst []byte, name string, element, n int, raw []byte) []byte {
	tensor := appendVarint(nil, tensorDims, uint64(n))
	tensor = appendVarint(tensor, tensorDataType, uint64(element))
	tensor = appendBytes(tensor, tensorRaw, raw)
	return appendAttribute(dst, name, typeTensor, appendBytes(nil, attributeTensor, tensor))
}

// A message of Protocol Buffers is a sequence of fields, each a key and a value (protobuf.dev, "Encoding").
// Two kinds of values occur here: varints, and bytes after their length. Varints are those of package binary.
const (
	kindVarint = 0
	kindBytes  = 2
)

// appendKey begins a field.
func appendKey(dst []byte, number, kind int) []byte {
	return binary.AppendUvarint(dst, uint64(number<<3|kind))
}

func appendVarint(dst []byte, number int, v uint64) []byte {
	return binary.AppendUvarint(appendKey(dst, number, kindVarint), v)
}

func appendBytes(dst []byte, number int, v []byte) []byte {
	dst = binary.AppendUvarint(appendKey(dst, number, kindBytes), uint64(len(v)))
	return append(dst, v...)
}

func appendString(dst []byte, number int, v string) []byte {
	return appendBytes(dst, number, []byte(v))
}
