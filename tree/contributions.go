package tree

import (
	"errors"
	"fmt"
)

var (
	// ErrCounts: a tree lacks the numbers of training rows that contributions
	// are computed from.
	ErrCounts = errors.New("tree: contributions need a positive row count at each node and leaf")
	// ErrLinear: what is asked for is not defined for linear leaves.
	ErrLinear = errors.New("tree: contributions are not defined for trees with linear leaves")
)

// Contributions explains n scores. For each row it writes NumFeatures()+1
// numbers to dst: what each feature adds to the score, and last the mean score of
// the training rows. Their sum is the score, up to rounding, which grows with the
// number of features on a path: some 1e-12 for 20, 1e-7 for 60. rows is as for
// [Ensemble.Score].
//
// They are the Shapley values of the features when the features that are not
// known are averaged out over the training rows that reached each node: the path
// dependent TreeSHAP of Lundberg, Erion and Lee, Consistent Individualized
// Feature Attribution for Tree Ensembles (arXiv:1802.03888), Algorithm 2, and
// LightGBM's pred_contrib; only that LightGBM does not divide the contributions
// of a model that averages (Average).
//
// Errors: [*ShapeError] for lengths that do not fit, and errors that wrap
// [ErrCounts] or [ErrLinear] for models that have no contributions.
func (e *Ensemble) Contributions(dst, rows []float64, n int) error {
	if err := e.checkRows(len(rows), n); err != nil {
		return err
	}
	features := e.NumFeatures()
	if len(dst) != n*(features+1) {
		return &ShapeError{"dst", len(dst), n * (features + 1), fmt.Sprintf("%d rows × (%d features + 1)", n, features)}
	}
	means := make([]float64, len(e.Trees))
	for i := range e.Trees {
		mean, err := e.Trees[i].mean()
		if err != nil {
			return fmt.Errorf("tree %d: %w", i, err)
		}
		means[i] = mean
	}
	var x explainer
	for i := range n {
		values := dst[i*(features+1) : (i+1)*(features+1)]
		clear(values)
		for j := range e.Trees {
			values[features] += means[j]
			x.explain(values[:features], &e.Trees[j], rows[i*features:(i+1)*features])
		}
		for j, v := range values {
			values[j] = e.average(v)
		}
	}
	return nil
}

// mean returns the mean output of the training rows.
func (t *Tree) mean() (float64, error) {
	if t.Linear != nil {
		return 0, ErrLinear
	}
	if t.NumNodes() == 0 {
		return t.LeafValue[0], nil
	}
	for node, count := range t.InternalCount {
		if count <= 0 {
			return 0, fmt.Errorf("%w: node %d has %d", ErrCounts, node, count)
		}
	}
	mean := 0.0
	for leaf, count := range t.LeafCount {
		if count <= 0 {
			return 0, fmt.Errorf("%w: leaf %d has %d", ErrCounts, leaf, count)
		}
		mean += float64(float64(count) / float64(t.InternalCount[0]) * t.LeafValue[leaf])
	}
	return mean, nil
}

// rowsAt returns the number of training rows that reached a child.
func (t *Tree) rowsAt(child int32) float64 {
	if child < 0 {
		return float64(t.LeafCount[^child])
	}
	return float64(t.InternalCount[child])
}

// explainer holds the memory of one explanation.
type explainer struct {
	tree   *Tree
	row    []float64
	values []float64
	steps  []pathStep // the paths of all nodes between the root and the current one
}

// pathStep is a feature that the path to a node asks for. The first step of a
// path stands for no feature.
type pathStep struct {
	feature int32
	zero    float64 // share of rows that pass the feature's nodes when it is not known
	one     float64 // 1 if the row passes them, else 0
	weight  float64 // permutation weight of the sets with as many known features as steps before this one
}

// explain adds to dst what each feature adds to t's score of row.
func (x *explainer) explain(dst []float64, t *Tree, row []float64) {
	if t.NumNodes() == 0 {
		return
	}
	x.tree, x.row, x.values, x.steps = t, row, dst, x.steps[:0]
	x.visit(0, 0, pathStep{feature: -1, zero: 1, one: 1})
}

// visit goes down to a child. Its parent's path is x.steps[from:], to which step
// is added.
func (x *explainer) visit(child int32, from int, step pathStep) {
	own := len(x.steps)
	x.steps = append(x.steps, x.steps[from:]...)
	x.steps = extend(x.steps, own, step)
	if child < 0 {
		x.addLeaf(x.steps[own:], x.tree.LeafValue[^child])
	} else {
		x.visitChildren(child, own)
	}
	x.steps = x.steps[:own]
}

func (x *explainer) visitChildren(node int32, own int) {
	t := x.tree
	feature := t.Feature[node]
	hot, cold := t.Right[node], t.Left[node]
	if t.goesLeft(node, x.row[feature]) {
		hot, cold = cold, hot
	}
	// A feature that the path has asked for already becomes one step with this node.
	before := pathStep{zero: 1, one: 1}
	for i, step := range x.steps[own:] {
		if step.feature == feature {
			before = step
			unwind(x.steps[own:], i)
			x.steps = x.steps[:len(x.steps)-1]
			break
		}
	}
	rows := t.rowsAt(node)
	x.visit(hot, own, pathStep{feature: feature, zero: before.zero * (t.rowsAt(hot) / rows), one: before.one})
	x.visit(cold, own, pathStep{feature: feature, zero: before.zero * (t.rowsAt(cold) / rows)})
}

// addLeaf adds a leaf's share to each feature of its path.
func (x *explainer) addLeaf(path []pathStep, value float64) {
	for i := 1; i < len(path); i++ {
		x.values[path[i].feature] += float64(unwoundSum(path, i) * (path[i].one - path[i].zero) * value)
	}
}

// extend adds a step to the path steps[own:] and updates its weights (EXTEND of
// Algorithm 2).
func extend(steps []pathStep, own int, step pathStep) []pathStep {
	n := len(steps) - own
	if n == 0 {
		step.weight = 1
	}
	steps = append(steps, step)
	path := steps[own:]
	for i := n - 1; i >= 0; i-- {
		path[i+1].weight += float64(step.one * path[i].weight * float64(i+1) / float64(n+1))
		path[i].weight *= step.zero * float64(n-i) / float64(n+1)
	}
	return steps
}

// unwind takes step k out of the path: the last entry of path is free afterwards
// (UNWIND of Algorithm 2).
func unwind(path []pathStep, k int) {
	n := len(path) - 1
	zero, one := path[k].zero, path[k].one
	next := path[n].weight
	for i := n - 1; i >= 0; i-- {
		if one != 0 {
			weight := path[i].weight
			path[i].weight = next * float64(n+1) / (float64(i+1) * one)
			next = weight - float64(path[i].weight*zero*float64(n-i)/float64(n+1))
		} else {
			path[i].weight *= float64(n+1) / (zero * float64(n-i))
		}
	}
	for i := k; i < n; i++ {
		path[i].feature, path[i].zero, path[i].one = path[i+1].feature, path[i+1].zero, path[i+1].one
	}
}

// unwoundSum returns the sum of the weights that unwind would leave.
func unwoundSum(path []pathStep, k int) float64 {
	n := len(path) - 1
	zero, one := path[k].zero, path[k].one
	next, sum := path[n].weight, 0.0
	for i := n - 1; i >= 0; i-- {
		if one != 0 {
			weight := next * float64(n+1) / (float64(i+1) * one)
			sum += weight
			next = path[i].weight - float64(weight*zero*float64(n-i)/float64(n+1))
		} else {
			sum += path[i].weight * float64(n+1) / (zero * float64(n-i))
		}
	}
	return sum
}
