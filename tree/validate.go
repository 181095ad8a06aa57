package tree

import (
	"fmt"
	"math"
)

// InvalidError is the error for a tree that cannot score rows.
type InvalidError struct {
	Tree   int    // number of the tree in its ensemble; -1 if the tree was checked alone
	Field  string // field of Tree or LinearLeaves, such as "Left"
	Index  int    // of the entry; -1 if the error is about the field as a whole
	Reason string
}

func (e *InvalidError) Error() string {
	where := e.Field
	if e.Index >= 0 {
		where = fmt.Sprintf("%s[%d]", e.Field, e.Index)
	}
	if e.Tree >= 0 {
		where = fmt.Sprintf("tree %d: %s", e.Tree, where)
	}
	return where + ": " + e.Reason
}

// invalid returns an [*InvalidError] for one entry, or for a whole field if i < 0.
func invalid(field string, i int, format string, args ...any) error {
	return &InvalidError{Tree: -1, Field: field, Index: i, Reason: fmt.Sprintf(format, args...)}
}

// Validate returns an [*InvalidError] if the query context, the numbers of features in Dictionaries, or a
// tree is not valid ([Tree.Validate]); of trees, for the first one.
func (e *Ensemble) Validate() error {
	if err := e.validateContext(); err != nil {
		return err
	}
	for f := range e.Dictionaries {
		if f < 0 || f >= len(e.Features) {
			return invalid("Dictionaries", -1, "there are texts of a feature that is none of the %d", len(e.Features))
		}
	}
	for i := range e.Trees {
		if err := e.Trees[i].Validate(len(e.Features)); err != nil {
			err.(*InvalidError).Tree = i
			return err
		}
	}
	return nil
}

func (e *Ensemble) validateContext() error {
	if e.Context == nil {
		return nil
	}
	if err := e.Context.Check(); err != nil {
		return invalid("Context", -1, "%v", err)
	}
	if n := e.Context.Len(); n != len(e.Features) {
		return invalid("Context", -1, "%d columns, want one for each of %d features", n, len(e.Features))
	}
	return nil
}

// Validate returns an [*InvalidError] unless t is a tree that scores every row of the given number
// of features: the fields agree in length, every node and every leaf is reached from the root on
// exactly one path, features and categories are in range, thresholds are not NaN, and leaf outputs
// are finite. It does not check gains, weights, counts and internal values, on which no score depends.
func (t *Tree) Validate(features int) error {
	for _, check := range []func() error{
		t.validateLengths,
		t.validateCategories,
		func() error { return t.validateNodes(features) },
		t.validatePaths,
		t.validateLeaves,
		func() error { return t.validateLinear(features) },
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tree) validateLengths() error {
	leaves := len(t.LeafValue)
	if leaves < 1 || leaves > math.MaxInt32 {
		return invalid("LeafValue", -1, "%d leaves, want 1 to %d", leaves, math.MaxInt32)
	}
	for _, f := range []struct {
		name      string
		got, want int
	}{
		{"Feature", len(t.Feature), leaves - 1},
		{"Threshold", len(t.Threshold), leaves - 1},
		{"Decision", len(t.Decision), leaves - 1},
		{"Gain", len(t.Gain), leaves - 1},
		{"Left", len(t.Left), leaves - 1},
		{"Right", len(t.Right), leaves - 1},
		{"InternalValue", len(t.InternalValue), leaves - 1},
		{"InternalWeight", len(t.InternalWeight), leaves - 1},
		{"InternalCount", len(t.InternalCount), leaves - 1},
		{"LeafWeight", len(t.LeafWeight), leaves},
		{"LeafCount", len(t.LeafCount), leaves},
	} {
		if f.got != f.want {
			return invalid(f.name, -1, "%d entries, want %d in a tree with %d leaves", f.got, f.want, leaves)
		}
	}
	return nil
}

func (t *Tree) validateCategories() error {
	if len(t.CategoryStart) == 0 {
		return nil
	}
	if t.CategoryStart[0] != 0 {
		return invalid("CategoryStart", 0, "begins with %d, want 0", t.CategoryStart[0])
	}
	for i := 1; i < len(t.CategoryStart); i++ {
		if t.CategoryStart[i] < t.CategoryStart[i-1] {
			return invalid("CategoryStart", i, "%d after %d, want ascending", t.CategoryStart[i], t.CategoryStart[i-1])
		}
	}
	if end := t.CategoryStart[len(t.CategoryStart)-1]; int(end) != len(t.Categories) {
		return invalid("Categories", -1, "%d words, want %d", len(t.Categories), end)
	}
	return nil
}

func (t *Tree) validateNodes(features int) error {
	for i, d := range t.Decision {
		threshold := t.Threshold[i]
		switch {
		case !d.valid():
			return invalid("Decision", i, "%d has no meaning", d)
		case t.Feature[i] < 0 || int(t.Feature[i]) >= features:
			return invalid("Feature", i, "%d, want 0 to %d", t.Feature[i], features-1)
		case math.IsNaN(threshold):
			return invalid("Threshold", i, "not a number")
		case d&Categorical != 0 && !(threshold >= 0 && threshold < float64(len(t.CategoryStart)-1) &&
			threshold == math.Floor(threshold)):
			return invalid("Threshold", i, "%v is not one of the tree's %d categorical splits", threshold,
				max(0, len(t.CategoryStart)-1))
		}
	}
	return nil
}

// validatePaths walks the tree from its root and marks the nodes and leaves that it visits. One
// that is visited twice is part of a cycle or has two parents; one that is never visited cannot be
// reached from the root.
func (t *Tree) validatePaths() error {
	if len(t.Left) == 0 {
		return nil
	}
	nodes, leaves := make([]bool, len(t.Left)), make([]bool, len(t.LeafValue))
	nodes[0] = true
	stack := []int32{0}
	visit := func(field string, parent, child int32) error {
		seen, number, kind := nodes, child, "node"
		if child < 0 {
			seen, number, kind = leaves, ^child, "leaf"
		}
		switch {
		case int(number) >= len(seen):
			return invalid(field, int(parent), "no %s %d in a tree with %d leaves", kind, number, len(leaves))
		case seen[number]:
			return invalid(field, int(parent), "%s %d has another parent, or is its own ancestor", kind, number)
		}
		seen[number] = true
		if child >= 0 {
			stack = append(stack, child)
		}
		return nil
	}
	reached := 0
	for ; len(stack) > 0; reached++ {
		node := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if err := visit("Left", node, t.Left[node]); err != nil {
			return err
		}
		if err := visit("Right", node, t.Right[node]); err != nil {
			return err
		}
	}
	if reached != len(nodes) {
		return invalid("Left", -1, "%d of %d nodes cannot be reached from the root", len(nodes)-reached, len(nodes))
	}
	return nil
}

func (t *Tree) validateLeaves() error {
	for i, v := range t.LeafValue {
		if !finite(v) {
			return invalid("LeafValue", i, "%v is not finite", v)
		}
	}
	return nil
}

func (t *Tree) validateLinear(features int) error {
	if t.Linear == nil {
		return nil
	}
	leaves := len(t.LeafValue)
	if len(t.Linear.Const) != leaves || len(t.Linear.Feature) != leaves || len(t.Linear.Coefficient) != leaves {
		return invalid("Linear", -1, "%d constants, %d feature lists and %d coefficient lists, want %d of each",
			len(t.Linear.Const), len(t.Linear.Feature), len(t.Linear.Coefficient), leaves)
	}
	for leaf, constant := range t.Linear.Const {
		if !finite(constant) {
			return invalid("Linear.Const", leaf, "%v is not finite", constant)
		}
		if f, c := len(t.Linear.Feature[leaf]), len(t.Linear.Coefficient[leaf]); f != c {
			return invalid("Linear.Coefficient", leaf, "%d coefficients, want %d", c, f)
		}
		for i, feature := range t.Linear.Feature[leaf] {
			if feature < 0 || int(feature) >= features {
				return invalid("Linear.Feature", leaf, "feature %d, want 0 to %d", feature, features-1)
			}
			if c := t.Linear.Coefficient[leaf][i]; !finite(c) {
				return invalid("Linear.Coefficient", leaf, "%v is not finite", c)
			}
		}
	}
	return nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
