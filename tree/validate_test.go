package tree

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// threeLeaves returns a valid tree over 2 features, with a categorical split and linear leaves.
func threeLeaves() *Tree {
	return &Tree{
		Feature: []int32{0, 1}, Threshold: []float64{0.5, 0},
		Decision: []Decision{DefaultLeft | MissingNaN, Categorical},
		Gain:     []float64{2, 1}, Left: []int32{1, ^0}, Right: []int32{^1, ^2},
		InternalValue: []float64{0, 0}, InternalWeight: []float64{3, 2}, InternalCount: []int64{3, 2},
		LeafValue: []float64{1, 2, 3}, LeafWeight: []float64{1, 1, 1}, LeafCount: []int64{1, 1, 1},
		CategoryStart: []int32{0, 1}, Categories: []uint32{5},
		Linear: &LinearLeaves{
			Const: []float64{1, 2, 3}, Feature: [][]int32{nil, {0}, {1, 0}},
			Coefficient: [][]float64{nil, {1}, {2, 3}},
		},
		Shrinkage: 1,
	}
}

func TestValidate(t *testing.T) {
	require.NoError(t, threeLeaves().Validate(2))
	require.NoError(t, (&Tree{LeafValue: []float64{1}, LeafWeight: []float64{0},
		LeafCount: []int64{0}}).Validate(0))
	for name, c := range map[string]struct {
		change func(*Tree)
		field  string
		index  int
	}{
		"no leaves":             {func(t *Tree) { *t = Tree{} }, "LeafValue", -1},
		"one more leaf":         {func(t *Tree) { t.LeafValue = append(t.LeafValue, 1) }, "Feature", -1},
		"short thresholds":      {func(t *Tree) { t.Threshold = t.Threshold[:1] }, "Threshold", -1},
		"short decisions":       {func(t *Tree) { t.Decision = nil }, "Decision", -1},
		"short gains":           {func(t *Tree) { t.Gain = nil }, "Gain", -1},
		"short left":            {func(t *Tree) { t.Left = t.Left[:1] }, "Left", -1},
		"long right":            {func(t *Tree) { t.Right = append(t.Right, 0) }, "Right", -1},
		"short internal values": {func(t *Tree) { t.InternalValue = nil }, "InternalValue", -1},
		"short weights":         {func(t *Tree) { t.InternalWeight = nil }, "InternalWeight", -1},
		"short counts":          {func(t *Tree) { t.InternalCount = nil }, "InternalCount", -1},
		"short leaf weights":    {func(t *Tree) { t.LeafWeight = nil }, "LeafWeight", -1},
		"short leaf counts":     {func(t *Tree) { t.LeafCount = nil }, "LeafCount", -1},
		"missing type 3":        {func(t *Tree) { t.Decision[0] = missingMask }, "Decision", 0},
		"unknown decision":      {func(t *Tree) { t.Decision[1] = 16 }, "Decision", 1},
		"no such feature":       {func(t *Tree) { t.Feature[1] = 2 }, "Feature", 1},
		"negative feature":      {func(t *Tree) { t.Feature[0] = -1 }, "Feature", 0},
		"threshold NaN":         {func(t *Tree) { t.Threshold[0] = math.NaN() }, "Threshold", 0},
		"no such set":           {func(t *Tree) { t.Threshold[1] = 1 }, "Threshold", 1},
		"half a set":            {func(t *Tree) { t.Threshold[1] = 0.5 }, "Threshold", 1},
		"negative set":          {func(t *Tree) { t.Threshold[1] = -1 }, "Threshold", 1},
		"infinite set":          {func(t *Tree) { t.Threshold[1] = math.Inf(1) }, "Threshold", 1},
		"no sets":               {func(t *Tree) { t.CategoryStart, t.Categories = nil, nil }, "Threshold", 1},
		"sets begin late":       {func(t *Tree) { t.CategoryStart[0] = 1 }, "CategoryStart", 0},
		"sets descend":          {func(t *Tree) { t.CategoryStart = []int32{0, 1, 0} }, "CategoryStart", 2},
		"sets end late":         {func(t *Tree) { t.CategoryStart[1] = 2 }, "Categories", -1},
		"no such node":          {func(t *Tree) { t.Left[0] = 2 }, "Left", 0},
		"no such leaf":          {func(t *Tree) { t.Right[1] = ^3 }, "Right", 1},
		"least child":           {func(t *Tree) { t.Right[1] = math.MinInt32 }, "Right", 1},
		"own child":             {func(t *Tree) { t.Left[1] = 1 }, "Left", 1},
		"root as child":         {func(t *Tree) { t.Right[1] = 0 }, "Right", 1},
		"shared leaf":           {func(t *Tree) { t.Right[1] = ^0 }, "Right", 1},
		"loose cycle":           {func(t *Tree) { *t = *withLooseCycle() }, "Left", -1},
		"infinite leaf":         {func(t *Tree) { t.LeafValue[2] = math.Inf(-1) }, "LeafValue", 2},
		"leaf NaN":              {func(t *Tree) { t.LeafValue[0] = math.NaN() }, "LeafValue", 0},
		"short constants":       {func(t *Tree) { t.Linear.Const = nil }, "Linear", -1},
		"constant NaN":          {func(t *Tree) { t.Linear.Const[1] = math.NaN() }, "Linear.Const", 1},
		"short coefficients":    {func(t *Tree) { t.Linear.Coefficient[2] = nil }, "Linear.Coefficient", 2},
		"infinite coefficient": {func(t *Tree) { t.Linear.Coefficient[2][1] = math.Inf(1) },
			"Linear.Coefficient", 2},
		"no such linear": {func(t *Tree) { t.Linear.Feature[1][0] = 2 }, "Linear.Feature", 1},
	} {
		tree := threeLeaves()
		c.change(tree)
		var invalid *InvalidError
		if assert.ErrorAs(t, tree.Validate(2), &invalid, name) {
			assert.Equal(t, c.field, invalid.Field, name)
			assert.Equal(t, c.index, invalid.Index, name)
		}
	}
}

// withLooseCycle returns a tree in which each child occurs once, but nodes 1 and 2 lead only to each other.
func withLooseCycle() *Tree {
	return &Tree{
		Feature: make([]int32, 3), Threshold: make([]float64, 3), Decision: make([]Decision, 3),
		Gain: make([]float64, 3),
		Left: []int32{^0, 2, 1}, Right: []int32{^1, ^2, ^3},
		InternalValue: make([]float64, 3), InternalWeight: make([]float64, 3), InternalCount: make([]int64, 3),
		LeafValue: make([]float64, 4), LeafWeight: make([]float64, 4), LeafCount: make([]int64, 4),
	}
}

func TestValidateNamesTheTree(t *testing.T) {
	e := &Ensemble{Trees: []Tree{*threeLeaves(), *threeLeaves()}, Features: make([]Feature, 2)}
	require.NoError(t, e.Validate())
	e.Trees[1].Left[0] = 7
	assert.EqualError(t, e.Validate(), "tree 1: Left[0]: no node 7 in a tree with 3 leaves")
}

// FuzzValidate: a tree that Validate accepts can be walked, compiled and scored, with equal results.
func FuzzValidate(f *testing.F) {
	// a valid tree: a node's bytes are feature, threshold, decision, left, right
	f.Add([]byte{2, 0, 2, 2, 1, 0, 254, 255, 1, 4, 10, 255, 255, 253, 255})
	f.Add([]byte{3, 0, 2, 2, 1, 0, 254, 255, 1, 2, 1, 2, 0, 253, 255, 2, 0, 5, 252, 255, 255, 255})
	f.Fuzz(func(t *testing.T, raw []byte) {
		tree := treeFromBytes(raw)
		e := &Ensemble{Trees: []Tree{*tree}, Features: make([]Feature, 4)}
		s, err := Compile(e)
		if err != nil {
			require.ErrorAs(t, err, new(*InvalidError))
			return
		}
		rows := make([]float64, 20*4)
		for i := range rows {
			rows[i] = notableValues[i%len(notableValues)]
		}
		requireScorer(t, s, e, rows, 20)
	})
}

// treeFromBytes decodes any bytes as a tree, usually an invalid one.
func treeFromBytes(raw []byte) *Tree {
	next := func() byte {
		if len(raw) == 0 {
			return 0
		}
		b := raw[0]
		raw = raw[1:]
		return b
	}
	child := func() int32 { return int32(int16(binary.LittleEndian.Uint16([]byte{next(), next()}))) }
	nodes := int(next() % 12)
	t := &Tree{
		Gain: make([]float64, nodes), InternalValue: make([]float64, nodes), InternalWeight: make([]float64, nodes),
		InternalCount: make([]int64, nodes),
		LeafValue:     make([]float64, nodes+1), LeafWeight: make([]float64, nodes+1),
		LeafCount:     make([]int64, nodes+1),
		CategoryStart: []int32{0, 1, 1, 2}, Categories: []uint32{6, 1},
	}
	for range nodes {
		t.Feature = append(t.Feature, int32(next()%5))
		t.Threshold = append(t.Threshold, notableValues[int(next())%len(notableValues)])
		t.Decision = append(t.Decision, Decision(next()%17))
		t.Left, t.Right = append(t.Left, child()), append(t.Right, child())
	}
	for i := range t.LeafValue {
		t.LeafValue[i] = float64(i)
	}
	return t
}
