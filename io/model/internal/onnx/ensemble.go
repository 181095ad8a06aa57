package onnx

import (
	"math"

	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/tree"
)

// Modes of the nodes of TreeEnsemble: value <= split, value < split, and value is a member of a set.
const (
	atMost, below, member = 0, 1, 6
)

// Deviates returns a function that reports whether TreeEnsemble sends a value of a feature to another side
// than e at some split: a number with a fraction, which is the category of its whole part in e, and none in
// ONNX.
func Deviates(e *tree.Ensemble) func(feature int, x float64) bool {
	all := e.CategoricalFeatures()
	return func(feature int, x float64) bool { return all[feature] && x != math.Trunc(x) }
}

// ensemble is the attributes of TreeEnsemble, in the order of the splits of all trees, or of the leaves.
type ensemble struct {
	roots, features, left, right, leftLeaf, rightLeaf, missingLeft []int64
	modes                                                          []byte
	splits, members, weights                                       []float64
}

// attributes5 returns the attributes of TreeEnsemble.
func attributes5(e *tree.Ensemble, o Options) []byte {
	var l ensemble
	for _, root := range engine.Roots(e) {
		l.add(root, o)
	}
	element, aggregate := elementFloat, int64(1)
	if o.Float64 {
		element = elementDouble
	}
	if e.Average {
		aggregate = 0
	}
	tensor := func(b []byte, name string, values []float64) []byte {
		return appendTensor(b, name, element, len(values), o.raw(values))
	}
	b := appendIntAttribute(nil, "aggregate_function", aggregate)
	b = appendInts(b, "leaf_targetids", make([]int64, len(l.weights)))
	b = tensor(b, "leaf_weights", l.weights)
	b = tensor(b, "membership_values", l.members)
	b = appendIntAttribute(b, "n_targets", 1)
	b = appendInts(b, "nodes_falseleafs", l.rightLeaf)
	b = appendInts(b, "nodes_falsenodeids", l.right)
	b = appendInts(b, "nodes_featureids", l.features)
	b = appendInts(b, "nodes_missing_value_tracks_true", l.missingLeft)
	b = appendTensor(b, "nodes_modes", elementUint8, len(l.modes), l.modes)
	b = tensor(b, "nodes_splits", l.splits)
	b = appendInts(b, "nodes_trueleafs", l.leftLeaf)
	b = appendInts(b, "nodes_truenodeids", l.left)
	b = appendIntAttribute(b, "post_transform", 0)
	return appendInts(b, "tree_roots", l.roots)
}

// add appends a tree. One of a leaf alone becomes a split with this leaf on both sides, since a root is a
// split.
func (l *ensemble) add(root engine.Node, o Options) {
	firstSplit, firstLeaf := int64(len(l.left)), int64(len(l.weights))
	l.roots = append(l.roots, firstSplit)
	child := func(n engine.Node) (number, isLeaf int64) {
		if n.IsLeaf {
			return firstLeaf + int64(n.Number), 1
		}
		return firstSplit + int64(n.Number), 0
	}
	for _, n := range root.All() {
		switch {
		case n.IsLeaf:
			l.weights = append(l.weights, n.Value)
		default:
			l.addSplit(n, o)
			left, leftLeaf := child(n.Left())
			right, rightLeaf := child(n.Right())
			l.link(left, right, leftLeaf, rightLeaf)
		}
	}
	if root.IsLeaf {
		l.features, l.missingLeft = append(l.features, 0), append(l.missingLeft, 0)
		l.modes, l.splits = append(l.modes, atMost), append(l.splits, 0)
		l.link(firstLeaf, firstLeaf, 1, 1)
	}
}

func (l *ensemble) link(left, right, leftLeaf, rightLeaf int64) {
	l.left, l.leftLeaf = append(l.left, left), append(l.leftLeaf, leftLeaf)
	l.right, l.rightLeaf = append(l.right, right), append(l.rightLeaf, rightLeaf)
}

// addSplit appends a split without its children. Nothing is below -Inf, as nothing is a member of an empty
// set.
func (l *ensemble) addSplit(n engine.Node, o Options) {
	mode, cut, missingLeft := byte(atMost), n.Cut, int64(0)
	switch {
	case n.Tree.Decision[n.Number]&tree.Categorical != 0:
		mode, cut = member, 0
		set := n.Tree.CategoriesLeft(n.Number)
		for _, category := range set {
			l.members = append(l.members, float64(category))
		}
		if len(set) == 0 {
			mode, cut = below, math.Inf(-1)
		} else {
			l.members = append(l.members, math.NaN())
		}
	case n.NaNLeft:
		missingLeft = 1
		fallthrough
	default:
		if !o.Float64 {
			cut = float64(engine.AtMost(cut))
		}
	}
	l.features, l.splits = append(l.features, int64(n.Feature)), append(l.splits, cut)
	l.modes, l.missingLeft = append(l.modes, mode), append(l.missingLeft, missingLeft)
}
