package tree

import (
	"fmt"
	"math"
)

// shapley computes Shapley values of one tree for many rows.
//
// A row and a leaf have, for each feature of the leaf's path, o: 1 if the row stays on the path at the
// feature's nodes, else 0; and z: the share of training rows that stay. If each feature is known with
// probability t, independent of the others, the leaf is reached with probability Π (t·o + (1-t)·z). The
// Shapley value of a feature is the integral over t from 0 to 1 of the derivative of the expected value
// with respect to that feature's own probability (Owen, Multilinear Extensions of Games, 1972):
//
//	φ_i = Σ over leaves of value · ∫ (o_i - z_i) Π_{j≠i} (t·o_j + (1-t)·z_j) dt
//
// The product is a polynomial in t whose degree is below the number of features on the path, so that
// its values at few places give the integral exactly ([quadrature]). All factors are positive: nothing
// cancels, unlike in the polynomial arithmetic of TreeSHAP.
//
// The values of all leaves below an edge share the factor of that edge. So two passes over the edges of a
// tree suffice, and each edge has a number for each place:
//
//	down   product of an edge = product of its parent × factor
//	up     sum of an edge = sum of its children's; φ of its feature += sum · weight / factor
//
// An edge whose feature was compared above it removes the factor of the edge above again, and the share that
// this edge has added to φ. (The sums are as in Linear TreeSHAP, Yu, Xu, Tan, Bian, arXiv:2209.08192, with
// numbers in place of polynomials.)
type shapley struct {
	tree  *Tree
	mean  float64 // of the tree over the training rows
	n     int     // places of the quadrature, rounded up to a multiple of 4; those above have weight 0
	edges []edge  // parents before children; the left one of two siblings first
	table []float64

	places, weights []float64 // of the quadrature

	product []float64 // n numbers of each edge and, first, of the root; on the way up, the sums of the leaves
	// of the current row: 2 for the root, and for each edge the number of its entry in the table
	on    []uint8
	left  []uint8 // whether the current row goes left, by node
	plain []bool  // by node: values that are not NaN go left if they are at most the threshold
}

// edge leads to a child.
type edge struct {
	feature int32
	node    int32   // the node whose child it leads to
	left    bool    // it is the left child
	parent  int32   // place of the parent in product: the number of its edge + 1, or 0 for the root
	above   int32   // number of the nearest edge above that compares the same feature, or -1
	leaf    int32   // number of the leaf that it leads to, or -1
	share   float64 // z of the feature on the path down to here
}

// Each edge has three entries in the table: if the row does not stay on the path at the edge above that
// compares the same feature, if it stays there but not at this edge, and if it stays at both. An entry has n
// factors and n weights.
const cases = 3

// mostTable is the largest number of float64 values of the table of a tree. Usual
// trees have some hundred thousand.
const mostTable = 1 << 28

func newShapley(t *Tree) (*shapley, error) {
	mean, err := t.mean()
	x := &shapley{tree: t, mean: mean}
	if err != nil || t.NumNodes() == 0 {
		return x, err
	}
	path := make(map[int32]int32) // feature to the number of its lowest edge on the path
	deepest := 0
	x.add(0, 0, path, &deepest)
	places := (deepest + 1) / 2
	x.n = (places + 3) &^ 3
	if size := len(x.edges) * cases * 2 * x.n; size > mostTable {
		return nil, fmt.Errorf("%w: %d leaves, and paths that compare up to %d features", ErrLarge, t.NumLeaves(),
			deepest)
	}
	x.product, x.on = make([]float64, (len(x.edges)+1)*x.n), make([]uint8, len(x.edges)+1)
	x.on[0] = 2
	x.left, x.plain = make([]uint8, t.NumNodes()), make([]bool, t.NumNodes())
	for node, d := range t.Decision {
		x.plain[node] = d&Categorical == 0 && d.Missing() != MissingZero
	}
	x.places, x.weights = quadrature(places)
	x.fill()
	return x, nil
}

// add adds the edges below a node. deepest is set to the largest number of features of a path so far.
func (x *shapley) add(node, parent int32, path map[int32]int32, deepest *int) {
	t := x.tree
	feature := t.Feature[node]
	above, compared := path[feature]
	for _, left := range []bool{true, false} {
		child := t.Right[node]
		if left {
			child = t.Left[node]
		}
		e := edge{feature: feature, node: node, left: left, parent: parent, above: -1, leaf: -1,
			share: t.rowsAt(child) / t.rowsAt(node)}
		if compared {
			e.above = above
			e.share *= x.edges[above].share
		}
		number := int32(len(x.edges))
		x.edges = append(x.edges, e)
		path[feature] = number
		*deepest = max(*deepest, len(path))
		if child < 0 {
			x.edges[number].leaf = ^child
		} else {
			x.add(child, number+1, path, deepest)
		}
	}
	if compared {
		path[feature] = above
	} else {
		delete(path, feature)
	}
}

// fill computes the table.
func (x *shapley) fill() {
	x.table = make([]float64, len(x.edges)*cases*2*x.n)
	for number := range x.edges {
		e := &x.edges[number]
		for k, t := range x.places {
			off, on := float64((1-t)*e.share), t+float64((1-t)*e.share)
			weightOff, weightOn := -x.weights[k]/(1-t), float64(x.weights[k]*(1-e.share))/on
			if e.above < 0 {
				x.set(number, 1, k, off, weightOff)
				x.set(number, 2, k, on, weightOn)
				continue
			}
			z := x.edges[e.above].share
			before := t + float64((1-t)*z)
			given := float64(x.weights[k]*(1-z)) / before
			x.set(number, 0, k, e.share/z, 0)
			x.set(number, 1, k, off/before, weightOff-given)
			x.set(number, 2, k, on/before, weightOn-given)
		}
	}
}

func (x *shapley) set(edge, which, k int, factor, weight float64) {
	entry := x.table[(edge*cases+which)*2*x.n:]
	entry[k], entry[x.n+k] = factor, weight
}

// explain adds the contribution of each feature to the tree's value for row to dst.
func (x *shapley) explain(dst, row []float64) {
	if len(x.edges) == 0 {
		return
	}
	x.stay(row)
	if x.n == 4 { // trees of up to eight features on a path
		x.downFour()
		x.upFour(dst)
		return
	}
	x.down()
	x.up(dst)
}

// stay finds at which edges the row stays on the path, as far as their feature is concerned. It has no branch
// on which way a row goes, except for rare values, because a CPU cannot predict it, and mispredictions would
// take more time than the work itself.
func (x *shapley) stay(row []float64) {
	t := x.tree
	for node, feature := range t.Feature {
		v := row[feature]
		var left uint8
		if v <= t.Threshold[node] {
			left = 1
		}
		if math.IsNaN(v) || !x.plain[node] {
			left = 0
			if t.goesLeft(int32(node), v) {
				left = 1
			}
		}
		x.left[node] = left
	}
	for i := range x.edges {
		e := &x.edges[i]
		var side, above uint8
		if e.left {
			side = 1
		}
		if x.on[e.above+1] == 2 { // on[0] is
			above = 1
		}
		x.on[i+1] = above * (2 - (x.left[e.node] ^ side))
	}
}

// down computes the products of all edges.
func (x *shapley) down() {
	n := x.n
	for k := range n {
		x.product[k] = 1
	}
	for i := range x.edges {
		from, to := x.product[int(x.edges[i].parent)*n:][:n], x.product[(i+1)*n:][:n]
		factor := x.table[(i*cases+int(x.on[i+1]))*2*n:][:n]
		for k := 0; k+4 <= n; k += 4 {
			f, p, d := factor[k:k+4:k+4], from[k:k+4:k+4], to[k:k+4:k+4]
			d[0], d[1], d[2], d[3] = p[0]*f[0], p[1]*f[1], p[2]*f[2], p[3]*f[3]
		}
	}
}

// up replaces the products by the sums of the leaves below, and adds their contributions to each feature.
func (x *shapley) up(dst []float64) {
	n := x.n
	for i := len(x.edges) - 1; i >= 0; i-- {
		e := &x.edges[i]
		sum, into := x.product[(i+1)*n:][:n], x.product[int(e.parent)*n:][:n]
		value := 1.0
		if e.leaf >= 0 {
			value = x.tree.LeafValue[e.leaf]
		}
		kept := 1.0
		if !e.left { // the right child comes first: the product of the parent is not needed any more
			kept = 0
		}
		weight := x.table[(i*cases+int(x.on[i+1]))*2*n+n:][:n]
		var g0, g1, g2, g3 float64
		for k := 0; k+4 <= n; k += 4 {
			s, d, w := sum[k:k+4:k+4], into[k:k+4:k+4], weight[k:k+4:k+4]
			s0, s1, s2, s3 := float64(s[0]*value), float64(s[1]*value), float64(s[2]*value), float64(s[3]*value)
			d[0], d[1] = float64(d[0]*kept)+s0, float64(d[1]*kept)+s1
			d[2], d[3] = float64(d[2]*kept)+s2, float64(d[3]*kept)+s3
			g0, g1, g2, g3 = g0+float64(s0*w[0]), g1+float64(s1*w[1]), g2+float64(s2*w[2]), g3+float64(s3*w[3])
		}
		dst[e.feature] += (g0 + g1) + (g2 + g3)
	}
}

// downFour is down for four places, without the loop over them.
func (x *shapley) downFour() {
	*(*[4]float64)(x.product) = [4]float64{1, 1, 1, 1}
	for i := range x.edges {
		p, f := (*[4]float64)(x.product[4*x.edges[i].parent:]), (*[4]float64)(x.table[8*(cases*i+int(x.on[i+1])):])
		*(*[4]float64)(x.product[4*i+4:]) = [4]float64{p[0] * f[0], p[1] * f[1], p[2] * f[2], p[3] * f[3]}
	}
}

// upFour is like up, for four places, without the loop over them.
func (x *shapley) upFour(dst []float64) {
	for i := len(x.edges) - 1; i >= 0; i-- {
		e := &x.edges[i]
		s, d, w := (*[4]float64)(x.product[4*i+4:]), (*[4]float64)(x.product[4*e.parent:]),
			(*[4]float64)(x.table[8*(cases*i+int(x.on[i+1]))+4:])
		s0, s1, s2, s3 := s[0], s[1], s[2], s[3]
		if e.leaf >= 0 {
			value := x.tree.LeafValue[e.leaf]
			s0, s1, s2, s3 = float64(s0*value), float64(s1*value), float64(s2*value), float64(s3*value)
		}
		if e.left {
			d[0], d[1], d[2], d[3] = d[0]+s0, d[1]+s1, d[2]+s2, d[3]+s3
		} else { // the right child comes first: the product of the parent is not needed any more
			d[0], d[1], d[2], d[3] = s0, s1, s2, s3
		}
		dst[e.feature] += (float64(s0*w[0]) + float64(s1*w[1])) + (float64(s2*w[2]) + float64(s3*w[3]))
	}
}
