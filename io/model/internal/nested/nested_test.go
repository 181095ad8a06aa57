package nested

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/io/model/internal/treetest"
	"github.com/lambdamart/lambdamart/tree"
)

func TestWrite(t *testing.T) {
	e := treetest.Stump("a", tree.MissingNaN|tree.DefaultLeft, 2)
	const text = `«range .»«template "node" .»«range .All» «.Index»«end»«end»
«- define "node"»«if .IsLeaf»«float .Value»«else»{«json .NaNLeft» «.Feature» «.Cut» «template "node" .Left» «template "node" .Right»}«end»«end»`
	var out bytes.Buffer
	require.NoError(t, Write(&out, text, nil, Roots(e)))
	assert.Equal(t, "{true 0 2 -0.5 1.0} 0 1 2", out.String())
	out.Reset()
	require.NoError(t, Write(&out, text, nil, Roots(&tree.Ensemble{})))
	assert.Equal(t, "0.0 0", out.String(), "a model without trees")
}
