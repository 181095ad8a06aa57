package treetest

import "github.com/lambdamart/lambdamart/tree"

// Stump returns a model of one feature and one split, with the leaf values -0.5 (left) and 1.
func Stump(feature string, d tree.Decision, threshold float64) *tree.Ensemble {
	return &tree.Ensemble{
		Features: []tree.Feature{{Name: feature}},
		Trees: []tree.Tree{{
			Feature: []int32{0}, Threshold: []float64{threshold}, Decision: []tree.Decision{d}, Gain: []float64{0},
			Left: []int32{^0}, Right: []int32{^1}, InternalValue: []float64{0}, InternalWeight: []float64{0},
			InternalCount: []int64{0},
			LeafValue:     []float64{-0.5, 1}, LeafWeight: []float64{0, 0}, LeafCount: []int64{0, 0}, Shrinkage: 1,
		}},
	}
}
