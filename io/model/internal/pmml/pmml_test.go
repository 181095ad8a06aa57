package pmml

import (
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lambdamart/lambdamart/io/model/internal/treetest"
	"github.com/lambdamart/lambdamart/tree"
)

// random returns a model whose first feature is numeric and whose second feature is categorical.
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
	assert.ErrorIs(t, write(func(*tree.Ensemble) {}, "f1"), ErrName)
	assert.ErrorIs(t, write(func(e *tree.Ensemble) { e.Dictionaries[1][0] = `"` }, "score"), ErrName)
	assert.ErrorIs(t, write(func(e *tree.Ensemble) {
		clear(e.Trees[0].Feature)
		clear(e.Trees[1].Feature)
		clear(e.Trees[2].Feature)
	}, "score"), ErrMixed)
}

// TestDepth: the depth of trees is limited, because scorers recurse through trees.
func TestDepth(t *testing.T) {
	assert.NoError(t, Write(io.Discard, treetest.Chain("a", MaxDepth), "score"))
	assert.ErrorIs(t, Write(io.Discard, treetest.Chain("a", MaxDepth+1), "score"), ErrDepth)
}
