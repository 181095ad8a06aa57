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

// Chain returns a model of one tree of the given depth, each split of which has the next one on its left.
func Chain(feature string, depth int) *tree.Ensemble {
	t := tree.Tree{Shrinkage: 1, LeafValue: []float64{0}}
	for i := range depth {
		t.Feature, t.Threshold = append(t.Feature, 0), append(t.Threshold, float64(-i))
		t.Decision = append(t.Decision, tree.MissingNone)
		t.Left, t.Right = append(t.Left, int32(i+1)), append(t.Right, ^int32(i+1))
		t.LeafValue = append(t.LeafValue, float64(i))
	}
	t.Left[depth-1] = ^0
	t.Gain, t.InternalValue = make([]float64, depth), make([]float64, depth)
	t.InternalWeight, t.InternalCount = make([]float64, depth), make([]int64, depth)
	t.LeafWeight, t.LeafCount = make([]float64, depth+1), make([]int64, depth+1)
	return &tree.Ensemble{Features: []tree.Feature{{Name: feature}}, Trees: []tree.Tree{t}}
}
