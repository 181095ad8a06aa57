package grow

import (
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/tree"
)

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
