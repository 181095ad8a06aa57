package tree

import "fmt"

// Interactions explains the scores of n rows by pairs of features. For each row it writes NumFeatures()²
// numbers to dst, a symmetric matrix: off the diagonal, half of what two features add to the score together
// beyond what each adds without the other; on the diagonal, the rest of the feature's contribution. So the
// numbers in the row of a feature sum to its contribution ([Ensemble.Contributions]), and all numbers to the
// score minus the mean score, up to rounding errors.
//
// They are the SHAP interaction values of Lundberg, Erion and Lee (arXiv:1802.03888, section 4), with
// features that are not known averaged as for Contributions, and equal the values of shap's TreeExplainer.
// The work grows with the square of the number of features on a path. Errors are as for Contributions.
func (e *Ensemble) Interactions(dst, rows []float64, n int) error {
	features := e.NumFeatures()
	if err := e.checkExplained(len(dst), len(rows), n, features*features, "(%d features)²"); err != nil {
		return err
	}
	clear(dst)
	contributions := make([]float64, features)
	for i := range e.Trees {
		x, err := newPairs(&e.Trees[i], features)
		if err != nil {
			return fmt.Errorf("tree %d: %w", i, err)
		}
		for row := range n {
			values := rows[row*features:][:features]
			x.explain(dst[row*features*features:][:features*features], values)
			clear(contributions)
			x.up(contributions)
			for f, v := range contributions {
				dst[(row*features+f)*features+f] += v
			}
		}
	}
	e.averageAll(dst)
	return nil
}

// pairs computes the interactions of one tree for many rows: the second derivative of the polynomial in
// [shapley], instead of the first,
//
//	Φ_ij = ½ Σ over leaves of value · ∫ (o_i - z_i) (o_j - z_j) Π_{k≠i,j} (t·o_k + (1-t)·z_k) dt
//
// (Grabisch and Roubens, An Axiomatic Approach to the Concept of Interaction, 1999).
type pairs struct {
	*shapley
	features int
	paths    [][]int     // by leaf: the lowest edge of each feature on the path down to it, from the leaf up
	ratio    [][]float64 // of each feature of the current path, n numbers
}

func newPairs(t *Tree, features int) (*pairs, error) {
	x, err := newShapley(t)
	if err != nil {
		return nil, err
	}
	p := &pairs{shapley: x, features: features, paths: make([][]int, t.NumLeaves())}
	for i := range x.edges {
		if leaf := x.edges[i].leaf; leaf >= 0 {
			p.paths[leaf] = x.pathTo(i)
		}
	}
	return p, nil
}

// explain adds the interactions of a row to dst off the diagonal, and subtracts them on it. It leaves the
// products of all edges for [shapley.up].
func (x *pairs) explain(dst, row []float64) {
	if len(x.edges) == 0 {
		return
	}
	x.stay(row)
	x.down()
	for i := range x.edges {
		if x.edges[i].leaf >= 0 {
			x.addLeaf(dst, i)
		}
	}
}

// addLeaf adds what a leaf contributes to each pair of features of its path.
func (x *pairs) addLeaf(dst []float64, last int) {
	leaf := x.edges[last].leaf
	path, value := x.paths[leaf], 0.5*x.tree.LeafValue[leaf]
	for at, i := range path {
		x.setRatio(at, i)
	}
	product := x.product[(last+1)*x.n:][:x.n]
	for a, i := range path {
		for b, j := range path[:a] {
			sum := 0.0
			for k, weight := range x.weights {
				sum += float64(float64(weight*product[k]) * x.ratio[a][k] * x.ratio[b][k])
			}
			f, g, v := int(x.edges[i].feature), int(x.edges[j].feature), float64(sum*value)
			dst[f*x.features+g] += v
			dst[g*x.features+f] += v
			dst[f*x.features+f] -= v
			dst[g*x.features+g] -= v
		}
	}
}

// pathTo returns the lowest edge of each feature on the path down to an edge.
func (x *shapley) pathTo(last int) (path []int) {
	seen := make(map[int32]bool)
	for i := last; i >= 0; i = int(x.edges[i].parent) - 1 {
		if f := x.edges[i].feature; !seen[f] {
			seen[f] = true
			path = append(path, i)
		}
	}
	return path
}

// setRatio sets the ratio of a feature of the path, (o-z) / (t·o + (1-t)·z) at
// each place, by its lowest edge.
func (x *pairs) setRatio(at, number int) {
	for len(x.ratio) <= at {
		x.ratio = append(x.ratio, make([]float64, x.n))
	}
	z, o := x.edges[number].share, 0.0
	if x.on[number+1] == 2 {
		o = 1
	}
	for k, t := range x.places {
		x.ratio[at][k] = (o - z) / (float64(t*o) + float64((1-t)*z))
	}
}
