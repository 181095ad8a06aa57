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

var exactKinds = []querycontext.Kind{querycontext.Rank, querycontext.Linear, querycontext.MaxRatio, querycontext.GapToBest, querycontext.Count}

func TestContextRoundTrip(t *testing.T) {
	for _, trees := range []int{1, 40} { // a tree leaves columns out
		e := contextual(trees, exactKinds...)
		text := write(t, e, onnx.Options{Float64: true})
		back, err := onnx.Read(bytes.NewReader(text))
		require.NoError(t, err)
		assert.Equal(t, e.Context, back.Context)
		assert.Equal(t, e.Features, back.Features)
		assert.Equal(t, e.Trees[0].Threshold, back.Trees[0].Threshold)
		assert.Equal(t, text, write(t, back, onnx.Options{Float64: true}))
	}
}

// What sums, and float32, are refused; a z-score that no tree looks at is not computed.
func TestContextRefusals(t *testing.T) {
	assert.ErrorIs(t, onnx.Write(io.Discard, contextual(40, querycontext.Rank), onnx.Options{}), engine.ErrContext)
	e := contextual(40, querycontext.Rank, querycontext.ZScore)
	err := onnx.Write(io.Discard, e, onnx.Options{Float64: true})
	assert.ErrorIs(t, err, engine.ErrContext)
	assert.ErrorContains(t, err, "zscore(a)")
	e.Trees = nil
	assert.NoError(t, onnx.Write(io.Discard, e, onnx.Options{Float64: true}))
}

// A graph whose nodes are not those that the metadata lists would score otherwise than the model that is read.
func TestContextOfOtherNodesIsRefused(t *testing.T) {
	text := write(t, contextual(40, exactKinds...), onnx.Options{Float64: true})
	for _, change := range [][2]string{{"ReduceMax", "ReduceMin"}, {`["rank",1]`, `["rank",2]`}, {`["rank",0]`, `["ranks",0]`}, {`["count",0]`, `["count",9]`}, {`"rank"`, `12`}} {
		changed := bytes.Replace(text, []byte(change[0]), []byte(change[1]), 1)
		require.NotEqual(t, text, changed)
		_, err := onnx.Read(bytes.NewReader(changed))
		assert.Error(t, err, change[0])
	}
}
