package onnx_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lambdamart/lambdamart/io/model/internal/onnx"
	"github.com/lambdamart/lambdamart/io/model/internal/treetest"
	"github.com/lambdamart/lambdamart/querycontext"
	"github.com/lambdamart/lambdamart/tree"
)

// test/check_context.py checks that ONNX Runtime computes the same columns and scores as the model.

// contextual returns a model with the given kinds of query context for 3 features, with or without trees.
func contextual(trees int, kinds ...querycontext.Kind) *tree.Ensemble {
	c := &querycontext.Columns{Raw: 3}
	for _, k := range kinds {
		for f := range 3 {
			if k != querycontext.Count || f == 0 {
				c.List = append(c.List, querycontext.Column{Kind: k, Feature: f})
			}
		}
	}
	e := treetest.Model{Trees: trees, Leaves: 20, Features: c.Len(), Missing: true}.Make(rand.New(rand.NewPCG(5, 6)))
	for i, name := range c.Names([]string{"a", "b", "c"}) {
		e.Features[i] = tree.Feature{Name: name}
	}
	e.Context = c
	return e
}

// TestContextLoopsAreShared: loops over rows are the most expensive nodes of a graph. All features share
// two of them,
// and unused loops are omitted.
func TestContextLoopsAreShared(t *testing.T) {
	e := contextual(40, querycontext.Rank, querycontext.ZScore)
	assert.Equal(t, 2, bytes.Count(write(t, e, onnx.Options{Float64: true}), []byte("Scan")))
	e.Trees = nil
	assert.Zero(t, bytes.Count(write(t, e, onnx.Options{Float64: true}), []byte("Scan")))
}
