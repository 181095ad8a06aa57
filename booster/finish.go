package booster

import (
	"github.com/lambdamart/lambdamart/histogram"
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/tree"
)

// finish turns the grown tree into a [tree.Tree], with values, weights and counts from the totals. Values are
// multiplied by the learning rate.
func (g *grower) finish(totals *leafTotals, learningRate float64) tree.Tree {
	t := tree.Tree{Shrinkage: learningRate, LeafCount: totals.rows}
	sums, rows := g.nodeTotals(totals)
	leaves, nodes := g.fittedValues(totals, sums, rows)
	for leaf, sum := range totals.sums {
		_, hessian := totals.float(sum)
		t.LeafValue = append(t.LeafValue, float64(learningRate*leaves[leaf]))
		t.LeafWeight = append(t.LeafWeight, hessian)
	}
	for i := range g.nodes {
		n := &g.nodes[i]
		_, hessian := totals.float(sums[i])
		t.Feature = append(t.Feature, g.matrix.Columns[n.column])
		t.Threshold = append(t.Threshold, n.threshold(&t, g.matrix.Bins(n.column)))
		t.Decision = append(t.Decision, n.decision(g.matrix))
		t.Gain = append(t.Gain, n.gain+g.rules.minGain) // all of the decrease of the loss, as in LightGBM
		t.Left = append(t.Left, n.left)
		t.Right = append(t.Right, n.right)
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

// nodeTotals returns the sums and rows of the internal nodes, from the totals of the leaves. A node comes
// before its children in g.nodes, so a loop from the end adds up the children first.
func (g *grower) nodeTotals(totals *leafTotals) (sums []binsum.Sum, rows []int64) {
	sums, rows = make([]binsum.Sum, len(g.nodes)), make([]int64, len(g.nodes))
	for i := len(g.nodes) - 1; i >= 0; i-- {
		for _, child := range []int32{g.nodes[i].left, g.nodes[i].right} {
			if child < 0 {
				sums[i] = sums[i].Add(totals.sums[^child])
				rows[i] += totals.rows[^child]
			} else {
				sums[i] = sums[i].Add(sums[child])
				rows[i] += rows[child]
			}
		}
	}
	return sums, rows
}
