package onnx_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/io/model/engine"
	"github.com/lambdamart/lambdamart/io/model/internal/treetest"
	"github.com/lambdamart/lambdamart/io/model/onnx"
	"github.com/lambdamart/lambdamart/querycontext"
	"github.com/lambdamart/lambdamart/tree"
)

// test/check_context.py checks that ONNX Runtime computes the columns and scores like the model.

// contextual returns a model with the given kinds of query context of 3 features, with or without trees.
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

func TestContextRoundTrip(t *testing.T) {
	for _, trees := range []int{1, 40} { // a tree leaves columns out
		e := contextual(trees, querycontext.Kinds()...)
		text := write(t, e, onnx.Options{Float64: true})
		back, err := onnx.Read(bytes.NewReader(text))
		require.NoError(t, err)
		assert.Equal(t, e.Context, back.Context)
		assert.Equal(t, e.Features, back.Features)
		assert.Equal(t, e.Trees[0].Threshold, back.Trees[0].Threshold)
		assert.Equal(t, text, write(t, back, onnx.Options{Float64: true}))
	}
}

func TestContextNeedsFloat64(t *testing.T) {
	assert.ErrorIs(t, onnx.Write(io.Discard, contextual(40, querycontext.Rank), onnx.Options{}), engine.ErrContext)
}

// The loop over rows is the most expensive node of a graph: there are two for all features, and none that nobody needs.
func TestContextLoopsAreShared(t *testing.T) {
	e := contextual(40, querycontext.Rank, querycontext.ZScore)
	assert.Equal(t, 2, bytes.Count(write(t, e, onnx.Options{Float64: true}), []byte("Scan")))
	e.Trees = nil
	assert.Zero(t, bytes.Count(write(t, e, onnx.Options{Float64: true}), []byte("Scan")))
}

// A graph whose nodes are not those that the metadata lists would score otherwise than the model that is read.
func TestContextOfOtherNodesIsRefused(t *testing.T) {
	text := write(t, contextual(40, querycontext.Kinds()...), onnx.Options{Float64: true})
	for _, change := range [][2]string{{"ReduceMax", "ReduceMin"}, {`["rank",1]`, `["rank",2]`}, {`["zscore",1]`, `["zscore",2]`}, {`["rank",0]`, `["ranks",0]`}, {`["count",0]`, `["count",9]`}, {`"rank"`, `12`}} {
		changed := bytes.Replace(text, []byte(change[0]), []byte(change[1]), 1)
		require.NotEqual(t, text, changed)
		_, err := onnx.Read(bytes.NewReader(changed))
		assert.Error(t, err, change[0])
	}
}
