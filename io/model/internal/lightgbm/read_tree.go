package lightgbm

import (
	"errors"
	"fmt"
	"strings"

	"github.com/lambdamart/lambdamart/tree"
)

var treeKeys = keySet("num_leaves", "num_cat", "split_feature", "split_gain", "threshold", "decision_type",
	"left_child", "right_child", "leaf_value", "leaf_weight", "leaf_count", "internal_value", "internal_weight",
	"internal_count", "cat_boundaries", "cat_threshold", "is_linear", "leaf_const", "num_features",
	"leaf_features", "leaf_coeff", "shrinkage")

// readTree reads the tree whose first line is the current one, and leaves the reader at the line
// after the tree: a blank line, the next tree or the end of the trees.
func (m *modelReader) readTree() error {
	number := len(m.ensemble.Trees)
	f := newFields(m.lines.number, number)
	for {
		if !m.lines.next() {
			err := fmt.Errorf("%w: within tree %d", ErrTruncated, number)
			return &Error{Line: m.lines.number, Tree: number, Err: err}
		}
		line := m.lines.line
		if line == "" || line == endOfTrees || strings.HasPrefix(line, treePrefix) {
			break
		}
		if err := f.add(treeKeys, m.lines.splitField()); err != nil {
			return err
		}
	}
	t, err := makeTree(f)
	if err != nil {
		return err
	}
	if err := t.Validate(m.ensemble.NumFeatures()); err != nil {
		return placeInvalid(f, err)
	}
	m.ensemble.Trees = append(m.ensemble.Trees, *t)
	return nil
}

// makeTree makes a tree of its lines, without validating it. It reads leaf_value first, which
// shows that the file has as many leaves as num_leaves declares.
func makeTree(f *fields) (*tree.Tree, error) {
	leaves, err := one(f, "num_leaves", parseInt32)
	if err != nil {
		return nil, err
	}
	if leaves < 1 {
		return nil, f.fail(f.byKey["num_leaves"], fmt.Errorf("%w: %d leaves", ErrNumber, leaves))
	}
	t := &tree.Tree{}
	for _, part := range []func(*tree.Tree, *fields, int) error{readLeaves, readNodes, readCategories,
		readLinear} {
		if err := part(t, f, int(leaves)); err != nil {
			return nil, err
		}
	}
	t.Shrinkage, err = oneOr(f, "shrinkage", 1, parseFloat)
	return t, err
}

func readLeaves(t *tree.Tree, f *fields, leaves int) (err error) {
	if t.LeafValue, err = list(f, "leaf_value", leaves, parseFloat); err != nil {
		return err
	}
	// LightGBM writes no weight and no count for the only leaf of a tree.
	if leaves == 1 {
		for _, key := range []string{"leaf_weight", "leaf_count"} {
			if f.byKey[key].value == "" {
				delete(f.byKey, key)
			}
		}
	}
	if t.LeafWeight, err = listOrZeros(f, "leaf_weight", leaves, parseFloat); err != nil {
		return err
	}
	t.LeafCount, err = listOrZeros(f, "leaf_count", leaves, parseCount)
	return err
}

func readNodes(t *tree.Tree, f *fields, leaves int) error {
	need := leaves > 1
	return firstError(
		nodeList(&t.Feature, f, "split_feature", leaves-1, need, parseInt32),
		nodeList(&t.Threshold, f, "threshold", leaves-1, need, parseFloat),
		nodeList(&t.Decision, f, "decision_type", leaves-1, need, parseDecision),
		nodeList(&t.Left, f, "left_child", leaves-1, need, parseInt32),
		nodeList(&t.Right, f, "right_child", leaves-1, need, parseInt32),
		nodeList(&t.Gain, f, "split_gain", leaves-1, false, parseFloat),
		nodeList(&t.InternalValue, f, "internal_value", leaves-1, false, parseFloat),
		nodeList(&t.InternalWeight, f, "internal_weight", leaves-1, false, parseFloat),
		nodeList(&t.InternalCount, f, "internal_count", leaves-1, false, parseCount),
	)
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// nodeList reads a list with one entry for each node into dst.
func nodeList[T any](dst *[]T, f *fields, key string, n int, need bool,
	parse func(string) (T, error)) (err error) {
	if need {
		*dst, err = list(f, key, n, parse)
	} else {
		*dst, err = listOrZeros(f, key, n, parse)
	}
	return err
}

func parseDecision(s string) (tree.Decision, error) {
	v, err := parseByte(s)
	return tree.Decision(v), err
}

func readCategories(t *tree.Tree, f *fields, _ int) error {
	splits, err := one(f, "num_cat", parseInt32)
	switch {
	case err != nil:
		return err
	case splits < 0:
		return f.fail(f.byKey["num_cat"], fmt.Errorf("%w: %d categorical splits", ErrNumber, splits))
	case splits == 0:
		return nil
	}
	if t.CategoryStart, err = list(f, "cat_boundaries", int(splits)+1, parseInt32); err != nil {
		return err
	}
	words := t.CategoryStart[splits]
	if words < 0 {
		return f.fail(f.byKey["cat_boundaries"], fmt.Errorf("%w: ends with %d", ErrNumber, words))
	}
	t.Categories, err = list(f, "cat_threshold", int(words), parseWord)
	return err
}

func readLinear(t *tree.Tree, f *fields, leaves int) error {
	linear, err := oneOr(f, "is_linear", 0, parseByte)
	switch {
	case err != nil:
		return err
	case linear > 1:
		return f.fail(f.byKey["is_linear"], fmt.Errorf("%w: %d, want 0 or 1", ErrNumber, linear))
	case linear == 0:
		return nil
	}
	t.Linear = &tree.LinearLeaves{Feature: make([][]int32, leaves), Coefficient: make([][]float64, leaves)}
	if t.Linear.Const, err = list(f, "leaf_const", leaves, parseFloat); err != nil {
		return err
	}
	counts, err := list(f, "num_features", leaves, parseInt32)
	if err != nil {
		return err
	}
	total := 0
	for leaf, n := range counts {
		if n < 0 {
			return f.fail(f.byKey["num_features"], fmt.Errorf("%w: leaf %d has %d features", ErrNumber, leaf, n))
		}
		total += int(n)
	}
	features, err := list(f, "leaf_features", total, parseInt32)
	if err != nil {
		return err
	}
	coefficients, err := list(f, "leaf_coeff", total, parseFloat)
	if err != nil {
		return err
	}
	for leaf, n := range counts {
		t.Linear.Feature[leaf], features = features[:n:n], features[n:]
		t.Linear.Coefficient[leaf], coefficients = coefficients[:n:n], coefficients[n:]
	}
	return nil
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

// placeInvalid adds the place in the file to an error of [tree.Tree.Validate].
func placeInvalid(f *fields, err error) error {
	invalid := (*tree.InvalidError)(nil)
	if !errors.As(err, &invalid) {
		return f.fail(field{line: f.line}, err)
	}
	fd, ok := f.byKey[keyOf[invalid.Field]]
	if !ok {
		fd = field{line: f.line}
	}
	return f.fail(fd, invalid)
}
