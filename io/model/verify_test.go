package model

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/io/model/internal/lightgbm"
	"github.com/lambdamart/lambdamart/tree"
)

// TestVerifyFindsBugs simulates a writer with a bug.
func TestVerifyFindsBugs(t *testing.T) {
	e := stump(tree.MissingNone, 0)
	target, _ := FindTarget("lightgbm")
	x, err := newExport(target, Options{})
	require.NoError(t, err)
	written := func(e *tree.Ensemble) []byte {
		var b bytes.Buffer
		require.NoError(t, lightgbm.Write(&b, e))
		return b.Bytes()
	}
	require.NoError(t, x.verify(e, written(e)))

	other := stump(tree.MissingNone, 0.25)
	renamed := stump(tree.MissingNone, 0)
	renamed.Features[1].Name = "c"
	var asJSON bytes.Buffer
	require.NoError(t, lightgbm.WriteJSON(&asJSON, e))
	for message, content := range map[string][]byte{
		"cannot be read back":            written(e)[:100],
		"is read as LightGBM JSON":       asJSON.Bytes(),
		"has other features":             written(renamed),
		"of 200 test vectors otherwise,": written(other),
	} {
		err := x.verify(e, content)
		assert.ErrorIs(t, err, ErrVerify, message)
		assert.ErrorContains(t, err, message)
		assert.ErrorContains(t, err, "please report this")
	}
}

// TestInvalidModels: an invalid model is an error and not a panic.
func TestInvalidModels(t *testing.T) {
	broken := stump(tree.MissingNone, 0)
	broken.Trees[0].Feature[0] = 7
	forEachTarget(t, func(t *testing.T, target Target) {
		var invalid *tree.InvalidError
		_, err := Export(broken, target.Name, Options{})
		assert.ErrorAs(t, err, &invalid)
		assert.NotPanics(t, func() { _, _ = Export(&tree.Ensemble{}, target.Name, Options{}) })
	})
}
