package xgboost

import (
	"math"

	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/tree"
)

// fromTree numbers the nodes of t as XGBoost does: level by level, with siblings next to each
// other.
func fromTree(t *tree.Tree) *nodes {
	n := &nodes{weight: 1}
	root := int32(0)
	if t.NumNodes() == 0 {
		root = ^0
	}
	for queue := []int32{root}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if at < 0 {
			n.appendLeaf(t, ^at)
			continue
		}
		next := int32(len(n.Left) + len(queue)) // the children come after all nodes in the queue
		n.appendSplit(t, at, next)
		queue = append(queue, t.Left[at], t.Right[at])
	}
	return n
}

func (n *nodes) appendLeaf(t *tree.Tree, leaf int32) {
	value := float32(t.LeafValue[leaf])
	n.Left, n.Right = append(n.Left, -1), append(n.Right, -1)
	n.Feature, n.DefaultLeft = append(n.Feature, 0), append(n.DefaultLeft, 0)
	n.Condition, n.Value = append(n.Condition, value), append(n.Value, value)
	n.Gain, n.Hessian = append(n.Gain, 0), append(n.Hessian, clamp(t.LeafWeight[leaf]))
}

// appendSplit adds an internal node whose left child will have number left.
func (n *nodes) appendSplit(t *tree.Tree, node, left int32) {
	cut := t.Threshold[node]
	condition, _ := engine.Below(cut)
	nanLeft := int32(0)
	if engine.NaNLeft(t.Decision[node], cut) {
		nanLeft = 1
	}
	n.Left, n.Right = append(n.Left, left), append(n.Right, left+1)
	n.Feature, n.DefaultLeft = append(n.Feature, t.Feature[node]), append(n.DefaultLeft, nanLeft)
	n.Condition = append(n.Condition, clamp(float64(condition)))
	n.Value = append(n.Value, clamp(t.InternalValue[node]))
	n.Gain = append(n.Gain, clamp(t.Gain[node]))
	n.Hessian = append(n.Hessian, clamp(t.InternalWeight[node]))
}

// clamp rounds to a finite float32, because JSON has no other numbers. NaN becomes 0.
func clamp(x float64) float32 {
	if math.IsNaN(x) {
		return 0
	}
	return float32(min(max(x, -math.MaxFloat32), math.MaxFloat32))
}
