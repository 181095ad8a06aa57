package vespa

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/fault"
	"github.com/lambdamart/lambdamart/tree"
)

// Is reports whether data, the content of a file, looks like what [Write] has written.
func Is(data []byte) bool {
	return document.Opening(data) == '{' && bytes.Contains(data, []byte(`"`+mark+`"`))
}

// Read reads a model that [Write] has written. The ensemble is valid and scores as Vespa does.
// Errors are [*Error].
func Read(r io.Reader) (*tree.Ensemble, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, &Error{Err: err}
	}
	d, err := document.Parse(data)
	if err != nil {
		return nil, place(err)
	}
	e := read(d.Root())
	if d.Err() != nil {
		return nil, place(d.Err())
	}
	if err := checkNames(e.Features); err != nil {
		return nil, err
	}
	if err := e.Validate(); err != nil {
		return nil, &Error{Err: err}
	}
	return e, nil
}

// place makes an Error of an error of package document.
func place(err error) error {
	located := (*document.Error)(nil)
	if !errors.As(err, &located) {
		return &Error{Err: err}
	}
	return &Error{Err: located}
}

// read reads the whole file. The document keeps the first fault.
func read(root document.Cursor) *tree.Ensemble {
	root.Known([]string{"form", "objective", "feature_names", "feature_infos", "pandas_categorical", "tree_info"})
	want(root.Field("form"), mark)
	want(root.Field("objective"), "lambdarank")
	root.Field("feature_infos").Known(nil)
	if c := root.Field("pandas_categorical"); c.Len() > 0 {
		c.Fail(fmt.Errorf("%w: categories, which are not written", errFormat))
	}
	e := &tree.Ensemble{Objective: "lambdarank"}
	for _, name := range root.Field("feature_names").Texts() {
		e.Features = append(e.Features, tree.Feature{Name: name, Range: "none"})
	}
	root.Field("tree_info").Elements(func(_ int, c document.Cursor) {
		c.Known([]string{"tree_structure"})
		t := &tree.Tree{Shrinkage: 1}
		readNode(c.Field("tree_structure"), t)
		nodes, leaves := t.NumNodes(), t.NumLeaves()
		t.Gain, t.InternalValue, t.InternalWeight, t.InternalCount = make([]float64, nodes), make([]float64, nodes), make([]float64, nodes), make([]int64, nodes)
		t.LeafWeight, t.LeafCount = make([]float64, leaves), make([]int64, leaves)
		e.Trees = append(e.Trees, *t)
	})
	return e
}

func want(c document.Cursor, text string) {
	if got := c.Text(); c.Sound() && got != text {
		c.Fail(fmt.Errorf("%w: %q, want %q", errFormat, fault.Clip(got), text))
	}
}

// readNode appends a node or leaf and everything below it to t, and returns the number by which its
// parent refers to it.
func readNode(c document.Cursor, t *tree.Tree) int32 {
	if !c.Has("split_feature") {
		c.Known([]string{"leaf_value"})
		t.LeafValue = append(t.LeafValue, c.Field("leaf_value").Float64())
		return ^int32(len(t.LeafValue) - 1)
	}
	c.Known([]string{"split_feature", "threshold", "decision_type", "default_left", "left_child", "right_child"})
	want(c.Field("decision_type"), "<")
	node, decision := len(t.Feature), tree.MissingNaN
	if c.Field("default_left").Bool() {
		decision |= tree.DefaultLeft
	}
	t.Feature = append(t.Feature, int32(c.Field("split_feature").Int(0, math.MaxInt32)))
	t.Threshold = append(t.Threshold, math.Nextafter(c.Field("threshold").Float64(), math.Inf(-1)))
	t.Decision = append(t.Decision, decision)
	t.Left, t.Right = append(t.Left, 0), append(t.Right, 0)
	t.Left[node] = readNode(c.Field("left_child"), t)
	t.Right[node] = readNode(c.Field("right_child"), t)
	return int32(node)
}
