package engine

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/tree"
)

func TestRender(t *testing.T) {
	e := stump(tree.MissingNaN|tree.DefaultLeft, 2)
	const text = `«range .»«template "node" .»«range .All» «.Index»«end»«end»
«- define "node"»«if .IsLeaf»«float .Value»«else»{«json .NaNLeft» «.Feature» «.Cut» «template "node" .Left» «template "node" .Right»}«end»«end»`
	var out bytes.Buffer
	require.NoError(t, Render(&out, text, nil, Roots(e)))
	assert.Equal(t, "{true 0 2 0.0 1.0} 0 1 2", out.String())
	out.Reset()
	require.NoError(t, Render(&out, text, nil, Roots(&tree.Ensemble{})))
	assert.Equal(t, "0.0 0", out.String(), "a model without trees")
}
