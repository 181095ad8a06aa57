package xgboost

import (
	"math"

	"github.com/lambdamart/lambdamart/io/model/internal/threshold"
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
		next := int32(len(n.left) + len(queue)) // the children come after all nodes in the queue
		n.appendSplit(t, at, next)
		queue = append(queue, t.Left[at], t.Right[at])
	}
	return n
}

func (n *nodes) appendLeaf(t *tree.Tree, leaf int32) {
	value := float32(t.LeafValue[leaf])
	n.left, n.right = append(n.left, -1), append(n.right, -1)
	n.feature, n.defaultLeft = append(n.feature, 0), append(n.defaultLeft, 0)
	n.condition, n.value = append(n.condition, value), append(n.value, value)
	n.gain, n.hessian = append(n.gain, 0), append(n.hessian, clamp(t.LeafWeight[leaf]))
}

// appendSplit adds an internal node whose left child will have number left.
func (n *nodes) appendSplit(t *tree.Tree, node, left int32) {
	cut := t.Threshold[node]
	condition, _ := threshold.Below(cut)
	nanLeft := int32(0)
	if threshold.NaNLeft(t.Decision[node], cut) {
		nanLeft = 1
	}
	n.left, n.right = append(n.left, left), append(n.right, left+1)
	n.feature, n.defaultLeft = append(n.feature, t.Feature[node]), append(n.defaultLeft, nanLeft)
	n.condition = append(n.condition, clamp(float64(condition)))
	n.value = append(n.value, clamp(t.InternalValue[node]))
	n.gain = append(n.gain, clamp(t.Gain[node]))
	n.hessian = append(n.hessian, clamp(t.InternalWeight[node]))
}

// clamp rounds to a finite float32, because JSON has no other numbers. NaN becomes 0.
func clamp(x float64) float32 {
	if math.IsNaN(x) {
		return 0
	}
	return float32(min(max(x, -math.MaxFloat32), math.MaxFloat32))
}
