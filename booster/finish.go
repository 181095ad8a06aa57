package booster

import "github.com/lambdamart/lambdamart/tree"

// finish turns the grown tree into a [tree.Tree], leaf values shrunk by the
// learning rate.
func (g *grower) finish(learningRate float64) tree.Tree {
	t := tree.Tree{Shrinkage: learningRate}
	for i := range g.nodes {
		n := &g.nodes[i]
		t.Feature = append(t.Feature, g.data.Columns[n.column])
		t.Threshold = append(t.Threshold, g.data.Bins(n.column).UpperBounds[n.bin])
		t.Decision = append(t.Decision, tree.DefaultLeft|tree.MissingNone)
		t.Gain = append(t.Gain, n.gain)
		t.Left = append(t.Left, n.left)
		t.Right = append(t.Right, n.right)
		t.InternalValue = append(t.InternalValue, learningRate*g.output(n.sum))
		t.InternalWeight = append(t.InternalWeight, g.hessian.Float(n.sum.Hessian))
		t.InternalCount = append(t.InternalCount, int64(n.rows))
	}
	for i := range g.leaves {
		lf := &g.leaves[i]
		t.LeafValue = append(t.LeafValue, learningRate*g.output(lf.sum))
		t.LeafWeight = append(t.LeafWeight, g.hessian.Float(lf.sum.Hessian))
		t.LeafCount = append(t.LeafCount, int64(len(lf.rows)))
	}
	return t
}
