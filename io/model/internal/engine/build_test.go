package engine

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/tree"
)

// TestBuilder builds a tree whose right child is added before the left one.
func TestBuilder(t *testing.T) {
	var b Builder
	root := b.AddSplit(Split{Feature: 1, Threshold: 5, Decision: tree.MissingNaN, Gain: 2, Value: 3, Weight: 4, Count: 6})
	right := b.AddLeaf(Leaf{Value: 7, Weight: 8, Count: 9})
	node := b.AddSplit(Split{Feature: 0, Threshold: 1})
	b.Join(node, b.AddLeaf(Leaf{Value: 1}), b.AddLeaf(Leaf{Value: 2}))
	b.Join(root, node, right)
	got := b.Finish()
	require.NoError(t, got.Validate(2))
	assert.Equal(t, tree.Tree{
		Feature: []int32{1, 0}, Threshold: []float64{5, 1}, Decision: []tree.Decision{tree.MissingNaN, 0}, Gain: []float64{2, 0},
		Left: []int32{1, ^1}, Right: []int32{^0, ^2}, InternalValue: []float64{3, 0}, InternalWeight: []float64{4, 0}, InternalCount: []int64{6, 0},
		LeafValue: []float64{7, 1, 2}, LeafWeight: []float64{8, 0, 0}, LeafCount: []int64{9, 0, 0}, Shrinkage: 1,
	}, got)
	for row, want := range map[[2]float64]float64{{0, 5}: 1, {2, 5}: 2, {0, 6}: 7} {
		assert.Equal(t, want, got.Score(row[:]))
	}
}

func TestSingleLeaf(t *testing.T) {
	var b Builder
	b.AddLeaf(Leaf{Value: 7})
	got := b.Finish()
	require.NoError(t, got.Validate(0))
	assert.Equal(t, 7.0, got.Score(nil))
}
