package elastic

import (
	"bytes"
	"fmt"
	"io"
	"math"

	"github.com/lambdamart/lambdamart/io/model/internal/assemble"
	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/fault"
	"github.com/lambdamart/lambdamart/tree"
)

// Is reports whether data, the content of a file, looks like a definition of an ensemble.
func Is(data []byte) bool {
	return document.Opening(data) == '{' && bytes.Contains(data, []byte(`"trained_model"`)) && bytes.Contains(data, []byte(`"ensemble"`))
}

// Read reads a model that [Write] or eland has written. The ensemble is valid and scores as Elasticsearch
// does, but for infinite values and the compensation of its sum. Errors are [*Error].
func Read(r io.Reader) (*tree.Ensemble, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, &Error{Err: err}
	}
	d, err := document.Parse(data)
	if err != nil {
		return nil, &Error{Err: err}
	}
	e := read(d.Root().Field("trained_model").Field("ensemble"))
	if d.Err() != nil {
		return nil, &Error{Err: d.Err()}
	}
	if err := checkNames(e.Features); err != nil {
		return nil, err
	}
	if err := e.Validate(); err != nil {
		return nil, &Error{Err: err}
	}
	return e, nil
}

// read reads an ensemble. The document keeps the first fault.
func read(c document.Cursor) *tree.Ensemble {
	c.Known([]string{"target_type", "feature_names", "trained_models", "aggregate_output"})
	want(c.Field("target_type"), "regression")
	sum := c.Field("aggregate_output")
	sum.Known([]string{"weighted_sum"})
	if s := sum.Field("weighted_sum"); s.Has("weights") {
		s.Fail(fmt.Errorf("%w: it has weights", ErrUnsupported))
	}
	e := &tree.Ensemble{Objective: "lambdarank"}
	for _, name := range c.Field("feature_names").Texts() {
		e.Features = append(e.Features, tree.Feature{Name: name, Range: "none"})
	}
	c.Field("trained_models").Elements(func(_ int, one document.Cursor) {
		t := one.Field("tree")
		t.Known([]string{"target_type", "feature_names", "tree_structure"})
		want(t.Field("target_type"), "regression")
		checkFeatures(t.Field("feature_names"), e.Features)
		if r := newReader(t.Field("tree_structure")); c.Sound() {
			r.read(0)
			e.Trees = append(e.Trees, r.Finish())
		}
	})
	return e
}

func want(c document.Cursor, text string) {
	if got := c.Text(); c.Sound() && got != text {
		c.Fail(fmt.Errorf("%w: %q, want %q", ErrUnsupported, fault.Clip(got), text))
	}
}

// checkFeatures fails unless a tree has the features of the ensemble.
func checkFeatures(c document.Cursor, features []tree.Feature) {
	names := c.Texts()
	same := len(names) == len(features)
	for i := 0; same && i < len(names); i++ {
		same = names[i] == features[i].Name
	}
	if !same && c.Sound() {
		c.Fail(fmt.Errorf("%w: a tree has other features than the ensemble", ErrUnsupported))
	}
}

// reader makes a tree of its nodes.
type reader struct {
	assemble.Tree
	nodes []document.Cursor // by index
	used  []bool            // nodes that are in the tree
}

// newReader finds the nodes of a tree. There is at least one, unless there is a fault.
func newReader(c document.Cursor) *reader {
	r := &reader{nodes: make([]document.Cursor, c.Len()), used: make([]bool, c.Len())}
	c.Elements(func(i int, node document.Cursor) {
		node.Field("node_index").Is(int64(i))
		r.nodes[i] = node
	})
	if len(r.nodes) == 0 {
		c.Fail(fmt.Errorf("%w: a tree without nodes", errFormat))
	}
	return r
}

// read appends a node and everything below it, and returns the number by which its parent refers to it. A
// node that is in the tree already is a fault, so that the depth is that of the tree.
func (r *reader) read(index int64) int32 {
	c := r.nodes[index]
	if r.used[index] {
		c.Fail(fmt.Errorf("%w: the node has two parents", errFormat))
	}
	if r.used[index] = true; !c.Sound() {
		return 0
	}
	if c.Has("leaf_value") {
		c.Known([]string{"node_index", "leaf_value", "number_samples"})
		return r.AddLeaf(assemble.Leaf{Value: c.Field("leaf_value").Float64()})
	}
	c.Known([]string{"node_index", "decision_type", "left_child", "right_child", "split_feature", "threshold", "default_left", "number_samples"})
	decision := tree.MissingNaN
	if c.Has("default_left") && c.Field("default_left").Bool() {
		decision |= tree.DefaultLeft
	}
	node := r.AddSplit(assemble.Split{Feature: int32(c.Field("split_feature").Int(0, math.MaxInt32)), Threshold: cut(c), Decision: decision})
	last := int64(len(r.nodes) - 1)
	left, right := c.Field("left_child").Int(0, last), c.Field("right_child").Int(0, last)
	if !c.Sound() {
		return 0
	}
	r.Join(node, r.read(left), r.read(right))
	return node
}

// cut returns the threshold up to which values go left.
func cut(c document.Cursor) float64 {
	t := c.Field("threshold").Float64()
	switch kind := c.Field("decision_type"); kind.Text() {
	case "lte":
	case "lt":
		return math.Nextafter(t, math.Inf(-1))
	default:
		kind.Fail(fmt.Errorf("%w: a split that is neither lte nor lt", ErrUnsupported))
	}
	return t
}
