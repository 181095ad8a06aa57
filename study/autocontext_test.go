package study

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/querycontext"
)

// TestWeightsDecideOnContext: context columns that are better on most queries, but worse on the heavily
// weighted ones, are not used.
func TestWeightsDecideOnContext(t *testing.T) {
	raw := &triedContext{values: []float64{0.5, 0.5, 0.5, 0.5, 0.5, 0.5}}
	few := &triedContext{values: []float64{0.8, 0.8, 0.8, 0.8, 0.4, 0.3}}
	columns := &dataset.Meta{Context: &querycontext.Columns{List: make([]querycontext.Column, 2)}}
	c, err := decideContext(raw, few, columns)
	require.NoError(t, err)
	assert.Same(t, columns, c.like)
	assert.Contains(t, c.remark, "by +0.1500 ± ")

	raw.weights = []float64{1, 1, 1, 1, 10, 10}
	c, err = decideContext(raw, few, columns)
	require.NoError(t, err)
	assert.Nil(t, c.like)
	assert.Contains(t, c.remark, "by -0.0750 ± ") // (4 * .3 - 1 - 2) / 24
}
