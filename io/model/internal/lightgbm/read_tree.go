package lightgbm

import (
	"errors"
	"fmt"
	"strings"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/tree"
)

var treeKeys = []string{"num_leaves", "num_cat", "split_feature", "split_gain", "threshold", "decision_type",
	"left_child", "right_child", "leaf_value", "leaf_weight", "leaf_count", "internal_value", "internal_weight",
	"internal_count", "cat_boundaries", "cat_threshold", "is_linear", "leaf_const", "num_features",
	"leaf_features", "leaf_coeff", "shrinkage"}

// readTree reads the tree whose first line is the current one, and leaves the reader at the line
// after the tree: a blank line, the next tree or the end of the trees.
func (m *modelReader) readTree() error {
	number := len(m.ensemble.Trees)
	f := newFields(m.lines.number, number)
	for {
		if !m.lines.next() {
			err := fmt.Errorf("%w: within tree %d", document.ErrTruncated, number)
			return &Error{Line: m.lines.number, Tree: number, Err: err}
		}
		line := m.lines.line
		if line == "" || line == endOfTrees || strings.HasPrefix(line, treePrefix) {
			break
		}
		if f.add(treeKeys, m.lines.splitField()); f.err != nil {
			return f.err
		}
	}
	t := makeTree(f)
	if f.err != nil {
		return f.err
	}
	if err := t.Validate(m.ensemble.NumFeatures()); err != nil {
		placeInvalid(f, err)
		return f.err
	}
	m.ensemble.Trees = append(m.ensemble.Trees, *t)
	return nil
}

// makeTree makes a tree from its lines, without validating it. It reads leaf_value first, to confirm that the
// file has as many leaves as num_leaves declares.
func makeTree(f *fields) *tree.Tree {
	leaves := int(one(f, "num_leaves", parseInt32))
	if leaves < 1 {
		f.refuse("num_leaves", document.ErrNumber, "%d leaves", leaves)
	}
	t := &tree.Tree{LeafValue: list(f, "leaf_value", leaves, parseFloat)}
	if f.err != nil {
		return t
	}
	readLeaves(t, f, leaves)
	readNodes(t, f, leaves-1)
	readCategories(t, f)
	readLinear(t, f, leaves)
	t.Shrinkage = oneOr(f, "shrinkage", 1, parseFloat)
	return t
}

func readLeaves(t *tree.Tree, f *fields, leaves int) {
	// LightGBM writes no weight and no count for the only leaf of a tree.
	if leaves == 1 {
		for _, key := range []string{"leaf_weight", "leaf_count"} {
			if f.byKey[key].value == "" {
				delete(f.byKey, key)
			}
		}
	}
	t.LeafWeight = listOrZeros(f, "leaf_weight", leaves, parseFloat)
	t.LeafCount = listOrZeros(f, "leaf_count", leaves, parseCount)
}

func readNodes(t *tree.Tree, f *fields, nodes int) {
	t.Feature = nodeList(f, "split_feature", nodes, parseInt32)
	t.Threshold = nodeList(f, "threshold", nodes, parseFloat)
	t.Decision = nodeList(f, "decision_type", nodes, parseDecision)
	t.Left = nodeList(f, "left_child", nodes, parseInt32)
	t.Right = nodeList(f, "right_child", nodes, parseInt32)
	t.Gain = listOrZeros(f, "split_gain", nodes, parseFloat)
	t.InternalValue = listOrZeros(f, "internal_value", nodes, parseFloat)
	t.InternalWeight = listOrZeros(f, "internal_weight", nodes, parseFloat)
	t.InternalCount = listOrZeros(f, "internal_count", nodes, parseCount)
}

// nodeList reads a list with one entry for each node. It may be absent in a tree without nodes.
func nodeList[T any](f *fields, key string, n int, parse func(string) (T, error)) []T {
	if n > 0 {
		return list(f, key, n, parse)
	}
	return listOrZeros(f, key, n, parse)
}

func readCategories(t *tree.Tree, f *fields) {
	splits := int(one(f, "num_cat", parseInt32))
	if splits < 0 {
		f.refuse("num_cat", document.ErrNumber, "%d categorical splits", splits)
	}
	if splits <= 0 {
		return
	}
	t.CategoryStart = list(f, "cat_boundaries", splits+1, parseInt32)
	if f.err != nil {
		return
	}
	words := int(t.CategoryStart[splits])
	if words < 0 {
		f.refuse("cat_boundaries", document.ErrNumber, "ends with %d", words)
	}
	t.Categories = list(f, "cat_threshold", words, parseWord)
}

func readLinear(t *tree.Tree, f *fields, leaves int) {
	linear := oneOr(f, "is_linear", 0, parseByte)
	if linear > 1 {
		f.refuse("is_linear", document.ErrNumber, "%d, want 0 or 1", linear)
	}
	if linear == 0 {
		return
	}
	constants, counts := list(f, "leaf_const", leaves, parseFloat), list(f, "num_features", leaves, parseInt32)
	total := 0
	for leaf, n := range counts {
		if n < 0 {
			f.refuse("num_features", document.ErrNumber, "leaf %d has %d features", leaf, n)
		}
		total += int(n)
	}
	features := list(f, "leaf_features", total, parseInt32)
	coefficients := list(f, "leaf_coeff", total, parseFloat)
	if f.err != nil {
		return
	}
	t.Linear = &tree.LinearLeaves{Const: constants,
		Feature: make([][]int32, leaves), Coefficient: make([][]float64, leaves)}
	for leaf, n := range counts {
		t.Linear.Feature[leaf], features = features[:n:n], features[n:]
		t.Linear.Coefficient[leaf], coefficients = coefficients[:n:n], coefficients[n:]
	}
}

// keyOf maps the fields of tree.Tree to their keys in a file.
var keyOf = map[string]string{
	"Feature": "split_feature", "Threshold": "threshold", "Decision": "decision_type", "Gain": "split_gain",
	"Left": "left_child", "Right": "right_child", "InternalValue": "internal_value",
	"InternalWeight": "internal_weight", "InternalCount": "internal_count", "LeafValue": "leaf_value",
	"LeafWeight": "leaf_weight", "LeafCount": "leaf_count", "CategoryStart": "cat_boundaries",
	"Categories": "cat_threshold", "Linear.Const": "leaf_const", "Linear.Feature": "leaf_features",
	"Linear.Coefficient": "leaf_coeff",
}

// placeInvalid records an error of [tree.Tree.Validate] with its place in the file.
func placeInvalid(f *fields, err error) {
	place, invalid := field{line: f.line}, (*tree.InvalidError)(nil)
	if errors.As(err, &invalid) {
		if fd, ok := f.byKey[keyOf[invalid.Field]]; ok {
			place = fd
		}
		err = invalid
	}
	f.fail(place, err)
}
