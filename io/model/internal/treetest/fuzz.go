package treetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/tree"
)

// FuzzRead fuzzes the reader of a format, beginning with the files that were added to f. It must not panic on
// any bytes, and a model that it returns must be valid and score a row.
func FuzzRead(f *testing.F, read func([]byte) (*tree.Ensemble, error)) {
	f.Fuzz(func(t *testing.T, file []byte) {
		e, err := read(file)
		if err != nil {
			return
		}
		require.NoError(t, e.Validate())
		_, err = e.ScoreRow(make([]float64, e.NumFeatures()))
		require.NoError(t, err)
	})
}
