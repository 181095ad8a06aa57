package onnx

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/lambdamart/lambdamart/internal/protobuf"
	"github.com/lambdamart/lambdamart/querycontext"
	"github.com/lambdamart/lambdamart/tree"
)

// maxFeatures limits the number of features that a file declares without naming them.
const maxFeatures = 1 << 20

// Read reads a model. The ensemble is valid. Features without names in the file are called
// Column_0, Column_1, and so on. Errors are [*Error], or those of r.
func Read(r io.Reader) (*tree.Ensemble, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var f file
	if err := f.model(text); err != nil {
		return nil, err
	}
	e, err := f.ensemble()
	if err != nil {
		return nil, err
	}
	if err := e.Validate(); err != nil {
		return nil, &Error{Err: err}
	}
	return e, nil
}

// Is reports whether data, the content of a file, looks like an ONNX model: it begins with the IR
// version and names a domain of ONNX.
func Is(data []byte) bool {
	return len(data) > 0 && data[0] == byte(protowire.EncodeTag(modelIRVersion, protowire.VarintType)) && bytes.Contains(data, []byte("ai.onnx"))
}

// file is the content of a model file.
type file struct {
	graphs, nodes, inputs int
	before                []byte // nodes before the last one, as fields of the graph
	last                  []byte // the last node
	constants             []byte // as fields of the graph
	context               []querycontext.Column
	operator, domain      string
	columns               int64 // number of columns of the input; 0 if the file does not say
	names                 []string

	// The attributes of the operator, by their names.
	ints     map[string][]int64
	floats   map[string][]float64
	strings  map[string][]string
	float64s map[string]bool // lists that are float64
}

func (f *file) model(b []byte) error {
	f.ints, f.floats, f.strings, f.float64s = map[string][]int64{}, map[string][]float64{}, map[string][]string{}, map[string]bool{}
	err := protobuf.Visit(b, func(fd protobuf.Field) error {
		switch {
		case fd.Number == modelGraph && fd.Kind == protowire.BytesType:
			f.graphs++
			return f.graph(fd.Bytes)
		case fd.Number == modelMetadata && fd.Kind == protowire.BytesType:
			return f.metadata(fd.Bytes)
		}
		return nil
	})
	switch {
	case errors.Is(err, protobuf.ErrMalformed):
		return &Error{"model", fmt.Errorf("%w: %w", errFormat, err)}
	case err != nil:
		return &Error{"model", err}
	case f.graphs == 0:
		return &Error{"model", fmt.Errorf("%w: no graph", errFormat)}
	case f.graphs > 1, f.nodes > 1 && f.context == nil, f.nodes == 0, f.inputs != 1, f.operator != operator, f.domain != domain:
		return &Error{"graph", fmt.Errorf("%w: %d operators, the last of them %.40q of %.40q; one %s of %s is read", ErrUnsupported, f.nodes, f.operator, f.domain, operator, domain)}
	}
	return nil
}

// metadata reads the names of the features, and the columns of query context.
func (f *file) metadata(b []byte) error {
	var key, value []byte
	err := protobuf.Visit(b, func(fd protobuf.Field) error {
		switch fd.Number {
		case entryKey:
			key = fd.Bytes
		case entryValue:
			value = fd.Bytes
		}
		return nil
	})
	if err == nil && string(key) == contextColumns {
		f.context, err = readContext(value)
	}
	if err != nil || string(key) != featureNames {
		return err
	}
	if err := json.Unmarshal(value, &f.names); err != nil {
		return fmt.Errorf("%w: metadata %s: %w", errFormat, featureNames, err)
	}
	return nil
}

func (f *file) graph(b []byte) error {
	err := protobuf.Visit(b, func(fd protobuf.Field) error {
		if fd.Kind != protowire.BytesType {
			return nil
		}
		switch fd.Number {
		case graphNode:
			if f.nodes++; f.nodes > 1 {
				f.before = appendBytes(f.before, graphNode, f.last)
			}
			f.last = fd.Bytes
		case graphInitializer:
			f.constants = appendBytes(f.constants, graphInitializer, fd.Bytes)
		case graphInput:
			f.inputs++
			return f.input(fd.Bytes)
		}
		return nil
	})
	if err != nil || f.nodes == 0 {
		return err
	}
	return f.node(f.last)
}

// input finds the number of columns: value_info.type.tensor_type.shape.dim[1].
func (f *file) input(b []byte) error {
	dimensions := 0
	return within(b, []protowire.Number{valueType, typeTensorType, tensorShape, shapeDim}, func(dim []byte) error {
		dimensions++
		return protobuf.Visit(dim, func(fd protobuf.Field) error {
			if dimensions == 2 && fd.Number == dimValue && fd.Kind == protowire.VarintType {
				f.columns = int64(fd.Bits)
			}
			return nil
		})
	})
}

// within calls do for each message at the end of path, which is a list of field numbers from the
// message b on.
func within(b []byte, path []protowire.Number, do func([]byte) error) error {
	if len(path) == 0 {
		return do(b)
	}
	return protobuf.Visit(b, func(fd protobuf.Field) error {
		if fd.Number != path[0] || fd.Kind != protowire.BytesType {
			return nil
		}
		return within(fd.Bytes, path[1:], do)
	})
}

func (f *file) node(b []byte) error {
	f.operator, f.domain = "", ""
	return protobuf.Visit(b, func(fd protobuf.Field) error {
		switch {
		case fd.Number == nodeOpType:
			f.operator = string(fd.Bytes)
		case fd.Number == nodeDomain:
			f.domain = string(fd.Bytes)
		case fd.Number == nodeAttribute && fd.Kind == protowire.BytesType:
			return f.attribute(fd.Bytes)
		}
		return nil
	})
}

func (f *file) attribute(b []byte) error {
	name := ""
	var ints []int64
	var floats []float64
	var words []string
	isTensor, is64 := false, false
	err := protobuf.Visit(b, func(fd protobuf.Field) (err error) {
		switch fd.Number {
		case attributeName:
			name = string(fd.Bytes)
		case attributeInt, attributeInts:
			ints, err = fd.Ints(ints)
		case attributeFloats:
			floats, err = fd.Floats(floats)
		case attributeString, attributeStrings:
			words = append(words, string(fd.Bytes))
		case attributeTensor:
			isTensor = true
			floats, is64, err = tensor(fd.Bytes)
		}
		return err
	})
	if isTensor {
		name = strings.TrimSuffix(name, "_as_tensor")
	}
	if err != nil {
		return fmt.Errorf("attribute %.60q: %w", name, err)
	}
	f.ints[name], f.floats[name], f.strings[name], f.float64s[name] = ints, floats, words, is64
	return nil
}

// tensor reads the numbers of a TensorProto.
func tensor(b []byte) (values []float64, is64 bool, err error) {
	kind, raw := uint64(0), []byte(nil)
	err = protobuf.Visit(b, func(fd protobuf.Field) (err error) {
		switch fd.Number {
		case tensorDataType:
			kind = fd.Bits
		case tensorRaw:
			raw = fd.Bytes
		case tensorFloats:
			values, err = fd.Floats(values)
		case tensorDoubles:
			values, err = fd.Doubles(values)
		}
		return err
	})
	if err != nil {
		return nil, false, err
	}
	packed := protobuf.Field{Kind: protowire.BytesType, Number: tensorRaw, Bytes: raw}
	switch kind {
	case elementFloat:
		values, err = packed.Floats(values)
	case elementDouble:
		values, err = packed.Doubles(values)
	default:
		err = fmt.Errorf("%w: tensor of element type %d", ErrUnsupported, kind)
	}
	return values, kind == elementDouble, err
}

// ensemble makes the model of the attributes of the operator.
func (f *file) ensemble() (*tree.Ensemble, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	e := &tree.Ensemble{Average: word(f.strings["aggregate_function"]) == "AVERAGE"}
	leaves, err := f.leaves()
	if err != nil {
		return nil, err
	}
	ids := f.ints["nodes_treeids"]
	for first := 0; first < len(ids); {
		end := first
		for end < len(ids) && ids[end] == ids[first] {
			end++
		}
		t, err := f.tree(first, end, leaves)
		if err != nil {
			return nil, err
		}
		e.Trees = append(e.Trees, *t)
		first = end
	}
	return e, f.features(e)
}

// check checks the lengths of all lists, and the attributes that are not lists of nodes.
func (f *file) check() error {
	fail := func(name string, err error, format string, args ...any) error {
		return &Error{"graph.node[0]." + name, fmt.Errorf("%w: %s", err, fmt.Sprintf(format, args...))}
	}
	nodes := len(f.ints["nodes_treeids"])
	for _, name := range []string{"nodes_nodeids", "nodes_featureids", "nodes_truenodeids", "nodes_falsenodeids"} {
		if n := len(f.ints[name]); n != nodes {
			return fail(name, ErrLength, "%d entries, want %d", n, nodes)
		}
	}
	if n := len(f.ints["nodes_missing_value_tracks_true"]); n != nodes && n != 0 {
		return fail("nodes_missing_value_tracks_true", ErrLength, "%d entries, want %d or none", n, nodes)
	}
	if n := len(f.strings["nodes_modes"]); n != nodes || nodes == 0 {
		return fail("nodes_modes", ErrLength, "%d entries, want %d, at least one", n, nodes)
	}
	if n := len(f.floats["nodes_values"]); n != nodes {
		return fail("nodes_values", ErrLength, "%d entries, want %d", n, nodes)
	}
	leaves := len(f.floats["target_weights"])
	for _, name := range []string{"target_ids", "target_nodeids", "target_treeids"} {
		if n := len(f.ints[name]); n != leaves {
			return fail(name, ErrLength, "%d entries, want %d", n, leaves)
		}
	}
	for _, base := range f.floats["base_values"] {
		if base != 0 {
			return fail("base_values", ErrUnsupported, "%v; only 0 is read", base)
		}
	}
	if n := f.ints["n_targets"]; len(n) > 0 && n[0] != 1 {
		return fail("n_targets", ErrUnsupported, "%d; one score a row is read", n[0])
	}
	if s := word(f.strings["post_transform"]); s != "" && s != "NONE" {
		return fail("post_transform", ErrUnsupported, "%.40q", s)
	}
	if s := word(f.strings["aggregate_function"]); s != "" && s != "SUM" && s != "AVERAGE" {
		return fail("aggregate_function", ErrUnsupported, "%.40q", s)
	}
	return nil
}

func word(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// name identifies a node in the format.
type name struct{ tree, node int64 }

func (n name) String() string {
	return "tree " + strconv.FormatInt(n.tree, 10) + ", node " + strconv.FormatInt(n.node, 10)
}

// leaves returns the value of each leaf.
func (f *file) leaves() (map[name]float64, error) {
	values := make(map[name]float64)
	for i, weight := range f.floats["target_weights"] {
		leaf := name{f.ints["target_treeids"][i], f.ints["target_nodeids"][i]}
		if _, twice := values[leaf]; twice || f.ints["target_ids"][i] != 0 {
			return nil, &Error{leaf.String(), fmt.Errorf("%w: two values, or one for another target", ErrNode)}
		}
		values[leaf] = weight
	}
	return values, nil
}

// tree makes a tree of the nodes first to end-1 of the file; the first is the root. Internal nodes
// and leaves keep their order.
func (f *file) tree(first, end int, leaves map[name]float64) (*tree.Tree, error) {
	t := &tree.Tree{Shrinkage: 1}
	number := make(map[int64]int32) // of each node, in the numbering of children
	for i := first; i < end; i++ {
		node := name{f.ints["nodes_treeids"][i], f.ints["nodes_nodeids"][i]}
		if _, twice := number[node.node]; twice {
			return nil, &Error{node.String(), fmt.Errorf("%w: it is there twice", ErrNode)}
		}
		if f.strings["nodes_modes"][i] == modeLeaf {
			number[node.node] = ^int32(len(t.LeafValue))
			t.LeafValue = append(t.LeafValue, leaves[node])
			continue
		}
		number[node.node] = int32(len(t.Feature))
		if err := f.split(t, i); err != nil {
			return nil, &Error{node.String(), err}
		}
	}
	if len(t.Feature) > 0 && f.strings["nodes_modes"][first] == modeLeaf {
		return nil, &Error{name{f.ints["nodes_treeids"][first], f.ints["nodes_nodeids"][first]}.String(), fmt.Errorf("%w: the first node of a tree is its root, and this is a leaf", ErrNode)}
	}
	if err := f.children(t, first, end, number); err != nil {
		return nil, err
	}
	nodes, values := t.NumNodes(), t.NumLeaves()
	t.Gain, t.InternalValue, t.InternalWeight, t.InternalCount = make([]float64, nodes), make([]float64, nodes), make([]float64, nodes), make([]int64, nodes)
	t.LeafWeight, t.LeafCount = make([]float64, values), make([]int64, values)
	return t, nil
}

// split appends node i of the file, an internal node, to t without its children.
func (f *file) split(t *tree.Tree, i int) error {
	cut, feature := f.floats["nodes_values"][i], f.ints["nodes_featureids"][i]
	switch mode := f.strings["nodes_modes"][i]; {
	case mode == modeLT && !f.float64s["nodes_values"] && !math.IsNaN(cut):
		if math.IsInf(cut, -1) {
			return fmt.Errorf("%w: %s with -Inf", ErrUnsupported, mode)
		}
		cut = float64(math.Nextafter32(float32(cut), float32(math.Inf(-1)))) // x < c is x <= the number before c
	case mode != modeLEQ:
		return fmt.Errorf("%w: mode %.40q", ErrUnsupported, mode)
	}
	if feature < 0 || feature >= math.MaxInt32 {
		return fmt.Errorf("%w: feature %d", ErrNode, feature)
	}
	decision := tree.MissingNaN
	if tracks := f.ints["nodes_missing_value_tracks_true"]; len(tracks) > 0 && tracks[i] == 1 {
		decision |= tree.DefaultLeft
	}
	t.Feature, t.Threshold, t.Decision = append(t.Feature, int32(feature)), append(t.Threshold, cut), append(t.Decision, decision)
	return nil
}

// children sets Left and Right.
func (f *file) children(t *tree.Tree, first, end int, number map[int64]int32) error {
	for i := first; i < end; i++ {
		if f.strings["nodes_modes"][i] == modeLeaf {
			continue
		}
		left, hasLeft := number[f.ints["nodes_truenodeids"][i]]
		right, hasRight := number[f.ints["nodes_falsenodeids"][i]]
		if !hasLeft || !hasRight {
			return &Error{name{f.ints["nodes_treeids"][i], f.ints["nodes_nodeids"][i]}.String(), fmt.Errorf("%w: a child is not in its tree", ErrNode)}
		}
		t.Left, t.Right = append(t.Left, left), append(t.Right, right)
	}
	return nil
}

// features sets the features of the model: one for each column.
func (f *file) features(e *tree.Ensemble) error {
	used := int32(-1)
	for i := range e.Trees {
		for _, feature := range e.Trees[i].Feature {
			used = max(used, feature)
		}
	}
	columns, behind := f.columns, int64(len(f.context))
	if columns <= 0 {
		columns = max(int64(used)+1-behind, int64(len(f.names)), 1)
	}
	if columns+behind <= int64(used) || columns > maxFeatures || f.names != nil && int64(len(f.names)) != columns {
		return &Error{"graph.input[0]", fmt.Errorf("%w: %d columns, of which column %d is used and %d have names; at most %d columns are read", ErrLength, columns, used, len(f.names), maxFeatures)}
	}
	e.Features = make([]tree.Feature, columns)
	for i := range e.Features {
		if e.Features[i].Name = "Column_" + strconv.Itoa(i); f.names != nil {
			e.Features[i].Name = f.names[i]
		}
	}
	return f.widen(e)
}

// widen gives e the columns of query context, if the nodes before the trees are those that compute them.
func (f *file) widen(e *tree.Ensemble) error {
	if f.context == nil {
		return nil
	}
	c := &querycontext.Columns{Raw: len(e.Features), List: f.context}
	if err := c.Check(); err != nil {
		return &Error{"metadata " + contextColumns, fmt.Errorf("%w: %w", errFormat, err)}
	}
	for _, name := range c.Names(e.FeatureNames())[c.Raw:] {
		e.Features = append(e.Features, tree.Feature{Name: name})
	}
	e.Context = c
	if nodes, constants := contextFields(e); !bytes.Equal(nodes, f.before) || !bytes.Equal(constants, f.constants) {
		return &Error{"graph", fmt.Errorf("%w: its nodes are not those of the columns that its metadata %s lists", ErrUnsupported, contextColumns)}
	}
	return nil
}
