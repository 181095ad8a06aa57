package pmml

import (
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/io/model/internal/treetest"
	"github.com/lambdamart/lambdamart/tree"
)

// random returns a model whose first feature is a number, and whose second one is a category of every kind.
func random(seed uint64, texts []string) (*tree.Ensemble, treetest.Model) {
	m := treetest.Model{Trees: 6, Leaves: 9, Features: 2, Missing: true, Categorical: true, Average: seed%2 == 0}
	e := m.Make(rand.New(rand.NewPCG(seed, 1)))
	for i := range e.Trees {
		for node, d := range e.Trees[i].Decision {
			e.Trees[i].Feature[node] = int32(d & tree.Categorical)
		}
	}
	if texts != nil {
		e.Dictionaries = map[int][]string{1: texts}
	}
	return e, m
}

func TestWriteRefuses(t *testing.T) {
	write := func(change func(e *tree.Ensemble), name string) error {
		e, _ := random(1, []string{"red"})
		change(e)
		return Write(io.Discard, e, name)
	}
	for _, name := range []string{"", "a\x00", "\xff", "\uffff"} {
		assert.ErrorIs(t, write(func(e *tree.Ensemble) { e.Features[0].Name = name }, "score"), ErrName, "%q", name)
		assert.ErrorIs(t, write(func(*tree.Ensemble) {}, name), ErrName, "%q", name)
	}
	assert.ErrorIs(t, write(func(e *tree.Ensemble) { e.Features[0].Name = "f1" }, "score"), ErrName)
	assert.ErrorIs(t, write(func(*tree.Ensemble) {}, "f1"), ErrName)
	assert.ErrorIs(t, write(func(e *tree.Ensemble) { e.Dictionaries[1][0] = `"` }, "score"), ErrName)
	assert.ErrorIs(t, write(func(e *tree.Ensemble) {
		clear(e.Trees[0].Feature)
		clear(e.Trees[1].Feature)
		clear(e.Trees[2].Feature)
	}, "score"), ErrMixed)
	linear := treetest.Model{Trees: 1, Leaves: 3, Features: 1, Linear: true}.Make(rand.New(rand.NewPCG(1, 1)))
	assert.ErrorIs(t, Write(io.Discard, linear, "score"), engine.ErrLinear)
}

// TestDepth: scorers walk trees by recursion.
func TestDepth(t *testing.T) {
	deep := func(splits int) *tree.Ensemble {
		e := treetest.Stump("a", tree.MissingNaN, 0)
		one := &e.Trees[0]
		for len(one.Feature) < splits {
			at := int32(len(one.Feature))
			one.Feature, one.Threshold = append(one.Feature, 0), append(one.Threshold, float64(-at))
			one.Decision, one.Gain = append(one.Decision, one.Decision[0]), append(one.Gain, 1)
			one.InternalValue, one.InternalWeight = append(one.InternalValue, 0), append(one.InternalWeight, 1)
			one.InternalCount = append(one.InternalCount, 1)
			one.Left, one.Right = append(one.Left, one.Left[at-1]), append(one.Right, ^(at+1))
			one.Left[at-1] = at
			one.LeafValue, one.LeafWeight = append(one.LeafValue, 0), append(one.LeafWeight, 1)
			one.LeafCount = append(one.LeafCount, 1)
		}
		return e
	}
	assert.NoError(t, Write(io.Discard, deep(MaxDepth), "score"))
	assert.ErrorIs(t, Write(io.Discard, deep(MaxDepth+1), "score"), ErrDepth)
}
