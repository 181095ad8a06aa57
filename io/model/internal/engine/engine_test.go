package engine

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/tree"
)

func stump(d tree.Decision, cut float64) *tree.Ensemble {
	return &tree.Ensemble{
		Features: []tree.Feature{{Name: "a"}},
		Trees: []tree.Tree{{
			Feature: []int32{0}, Threshold: []float64{cut}, Decision: []tree.Decision{d},
			Left: []int32{^0}, Right: []int32{^1}, LeafValue: []float64{0, 1},
		}},
	}
}

func TestCheckRefusesByName(t *testing.T) {
	average := stump(tree.MissingNone, 1)
	average.Average = true
	linear := stump(tree.MissingNone, 1)
	linear.Trees[0].Linear = &tree.LinearLeaves{}
	large := stump(tree.MissingNone, 1)
	large.Trees[0].LeafValue[1] = -1e39
	const left = tree.DefaultLeft
	for _, test := range []struct {
		name  string
		zero  bool // absent values count as 0
		model *tree.Ensemble
		want  error
	}{
		{"average", false, average, ErrAverage},
		{"large leaf", false, large, ErrRange},
		{"linear", false, linear, ErrLinear},
		{"categorical", false, stump(tree.Categorical, 0), ErrCategorical},
		{"zeros go where they would anyway", true, stump(tree.MissingZero|left, 1), nil},
		{"zeros go right alone", false, stump(tree.MissingZero, 1), ErrZeroMissing},
		{"NaN beside 0", true, stump(tree.MissingNaN|left, 1), nil},
		{"NaN away from 0", true, stump(tree.MissingNaN, 1), ErrMissing},
		{"NaN away from 0, engine with sides", false, stump(tree.MissingNaN, 1), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := Capabilities{Engine: "Some 1.2", MissingIsZero: test.zero, Float32: true}.Check(test.model)
			assert.ErrorIs(t, err, test.want)
			if test.want == nil {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, "Some 1.2 cannot hold this model")
			}
			all := Capabilities{ZeroMissing: true, Categorical: true, Linear: true, Average: true}
			assert.NoError(t, all.Check(test.model))
		})
	}
}

func TestRender(t *testing.T) {
	e := stump(tree.MissingNaN|tree.DefaultLeft, 2)
	const text = `«range .»«template "node" .»«range .All» «.Index»«end»«end»
«- define "node"»«if .IsLeaf»«float .Value»«else»{«json .NaNLeft» «.Feature» «.Cut» «/*
*/»«template "node" .Left» «template "node" .Right»}«end»«end»`
	var out bytes.Buffer
	require.NoError(t, Render(&out, text, nil, Roots(e)))
	assert.Equal(t, "{true 0 2 0.0 1.0} 0 1 2", out.String())
	out.Reset()
	require.NoError(t, Render(&out, text, nil, Roots(&tree.Ensemble{})))
	assert.Equal(t, "0.0 0", out.String(), "a model without trees")
}

// TestBuilder builds a tree whose right child is added before the left one.
func TestBuilder(t *testing.T) {
	var b Builder
	root := b.AddSplit(Split{Feature: 1, Threshold: 5, Decision: tree.MissingNaN, Gain: 2, Value: 3,
		Weight: 4})
	right := b.AddLeaf(Leaf{Value: 7, Weight: 8})
	node := b.AddSplit(Split{Feature: 0, Threshold: 1})
	b.Join(node, b.AddLeaf(Leaf{Value: 1}), b.AddLeaf(Leaf{Value: 2}))
	b.Join(root, node, right)
	got := b.Finish()
	require.NoError(t, got.Validate(2))
	assert.Equal(t, tree.Tree{
		Feature: []int32{1, 0}, Threshold: []float64{5, 1}, Decision: []tree.Decision{tree.MissingNaN, 0},
		Gain: []float64{2, 0},
		Left: []int32{1, ^1}, Right: []int32{^0, ^2}, InternalValue: []float64{3, 0},
		InternalWeight: []float64{4, 0}, InternalCount: []int64{0, 0},
		LeafValue: []float64{7, 1, 2}, LeafWeight: []float64{8, 0, 0}, LeafCount: []int64{0, 0, 0}, Shrinkage: 1,
	}, got)
	for row, want := range map[[2]float64]float64{{0, 5}: 1, {2, 5}: 2, {0, 6}: 7} {
		assert.Equal(t, want, got.Score(row[:]))
	}
}
