package grow

import (
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/tree"
)

// fittedValues returns the values of the leaves and the internal nodes of the grown tree before
// shrinkage, from their sums over all rows.
func (g *Grower) fittedValues(totals *Totals, nodeSums []binsum.Sum, nodeRows []int64) (leaves,
	nodes []float64) {
	leaves, nodes = make([]float64, len(totals.Sums)), make([]float64, len(nodeSums))
	own := func(parent int32, sum binsum.Sum) float64 {
		gradient, hessian := totals.Float(sum)
		return g.rules.outputWith(g.l2Below(parent), gradient, hessian)
	}
	for leaf, sum := range totals.Sums {
		leaves[leaf] = own(g.leaves[leaf].node, sum)
	}
	parents := g.parents()
	for i, sum := range nodeSums {
		nodes[i] = own(parents[i], sum)
	}
	c := g.constraints
	if c.values.Smooth == 0 && !c.monotone.any() {
		return leaves, nodes
	}
	value := func(ref int32, parent float64) float64 {
		if ref < 0 {
			return c.values.Toward(leaves[^ref], parent, float64(totals.Rows[^ref]))
		}
		return c.values.Toward(nodes[ref], parent, float64(nodeRows[ref]))
	}
	if m := &c.monotone; m.any() {
		m.fit(&g.Tree, parents, leaves, nodes, value)
		return leaves, nodes
	}
	for i := range g.Nodes { // a node comes before its children
		for _, child := range []int32{g.Nodes[i].Left, g.Nodes[i].Right} {
			if child >= 0 {
				nodes[child] = value(child, nodes[i])
			} else {
				leaves[^child] = value(child, nodes[i])
			}
		}
	}
	return leaves, nodes
}

// Values returns the values of the leaves before shrinkage, from sums over rows.
func (g *Grower) Values(totals *Totals) []float64 {
	sums, rows := g.NodeTotals(totals)
	leaves, _ := g.fittedValues(totals, sums, rows)
	return leaves
}

// l2Below returns λ2 for the children of an internal node, or for the root if node is -1. As in LightGBM, it
// is larger below sets of sorted categories.
func (g *Grower) l2Below(node int32) float64 {
	if node >= 0 && g.Nodes[node].sides != nil && g.Nodes[node].sides.sorted {
		return g.rules.LambdaL2 + g.rules.Categories.L2
	}
	return g.rules.LambdaL2
}

// Finish turns the grown tree into a [tree.Tree], with values, weights and counts from the totals. Values are
// multiplied by the learning rate.
func (g *Grower) Finish(totals *Totals, learningRate float64) tree.Tree {
	t := tree.Tree{Shrinkage: learningRate, LeafCount: totals.Rows}
	sums, rows := g.NodeTotals(totals)
	leaves, nodes := g.fittedValues(totals, sums, rows)
	for leaf, sum := range totals.Sums {
		_, hessian := totals.Float(sum)
		t.LeafValue = append(t.LeafValue, float64(learningRate*leaves[leaf]))
		t.LeafWeight = append(t.LeafWeight, hessian)
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		_, hessian := totals.Float(sums[i])
		t.Feature = append(t.Feature, g.matrix.Columns[n.Column])
		t.Threshold = append(t.Threshold, n.threshold(&t, g.matrix.Bins(n.Column)))
		t.Decision = append(t.Decision, n.decision(g.matrix))
		t.Gain = append(t.Gain, n.gain+g.rules.MinGain) // all of the decrease of the loss, as in LightGBM
		t.Left = append(t.Left, n.Left)
		t.Right = append(t.Right, n.Right)
		t.InternalValue = append(t.InternalValue, float64(learningRate*nodes[i]))
		t.InternalWeight = append(t.InternalWeight, hessian)
		t.InternalCount = append(t.InternalCount, rows[i])
	}
	return t
}

// threshold returns the threshold of a node of t, to which it adds the set of a categorical feature.
func (n *node) threshold(t *tree.Tree, bins *histogram.FeatureBins) float64 {
	if n.sides != nil {
		return float64(appendSet(t, bins, n.sides))
	}
	return bins.UpperBounds[n.bin]
}
