package vespa

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
		return nil, &Error{Err: err}
	}
	e := read(d.Root())
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
		var t assemble.Tree
		readNode(c.Field("tree_structure"), &t)
		e.Trees = append(e.Trees, t.Finish())
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
func readNode(c document.Cursor, t *assemble.Tree) int32 {
	if !c.Has("split_feature") {
		c.Known([]string{"leaf_value"})
		return t.AddLeaf(assemble.Leaf{Value: c.Field("leaf_value").Float64()})
	}
	c.Known([]string{"split_feature", "threshold", "decision_type", "default_left", "left_child", "right_child"})
	want(c.Field("decision_type"), "<")
	decision := tree.MissingNaN
	if c.Field("default_left").Bool() {
		decision |= tree.DefaultLeft
	}
	node := t.AddSplit(assemble.Split{
		Feature:   int32(c.Field("split_feature").Int(0, math.MaxInt32)),
		Threshold: math.Nextafter(c.Field("threshold").Float64(), math.Inf(-1)),
		Decision:  decision,
	})
	t.Join(node, readNode(c.Field("left_child"), t), readNode(c.Field("right_child"), t))
	return node
}
