package tree

// The naive twin of the contributions is Algorithm 2, TreeSHAP, by Lundberg, Erion and Lee. Its rounding
// errors grow with the number of features on a path.

// contributionsTwin returns the contributions of one row.
func contributionsTwin(e *Ensemble, row []float64) []float64 {
	values := make([]float64, e.NumFeatures())
	var x explainer
	for i := range e.Trees {
		x.explain(values, &e.Trees[i], row)
	}
	e.averageAll(values)
	return values
}

// explainer holds the working memory of one explanation.
type explainer struct {
	tree   *Tree
	row    []float64
	values []float64
	steps  []pathStep // the paths of all nodes between the root and the current one
}

// pathStep is a feature that nodes on the path compare. The first step of a path has no feature.
type pathStep struct {
	feature int32
	zero    float64 // share of rows that stay on the path at the feature's nodes if it is not known
	one     float64 // 1 if the row stays on the path at them, else 0
	// permutation weight of the sets with as many known features as there are steps before this one
	weight float64
}

// explain adds the contribution of each feature to t's value for row to dst.
func (x *explainer) explain(dst []float64, t *Tree, row []float64) {
	if t.NumNodes() == 0 {
		return
	}
	x.tree, x.row, x.values, x.steps = t, row, dst, x.steps[:0]
	x.visit(0, 0, pathStep{feature: -1, zero: 1, one: 1})
}

// visit goes down to a child. The path of the child is that of its parent, x.steps[from:], and step.
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
	// If the path has a step of this feature already, that step and this node become one step.
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

// addLeaf adds a leaf's share to the contribution of each feature of its path.
func (x *explainer) addLeaf(path []pathStep, value float64) {
	for i := 1; i < len(path); i++ {
		x.values[path[i].feature] += float64(unwoundSum(path, i) * (path[i].one - path[i].zero) * value)
	}
}

// extend adds a step to the path steps[own:] and updates its weights (EXTEND of Algorithm 2).
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

// unwind removes step k from the path; the last entry of path is unused afterwards (UNWIND of
// Algorithm 2).
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

// unwoundSum returns the sum of the weights that unwind of step k would leave.
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
