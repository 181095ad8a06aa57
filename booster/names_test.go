package booster

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNamesThatModelsCannotHold: invalid feature names are refused before training, not when the model is
// written.
func TestNamesThatModelsCannotHold(t *testing.T) {
	for _, bad := range []string{"", "page rank", "a\x00b", "a\n"} {
		p, train := smallParams(), randomTable(4, 200)
		train.meta.Features[1] = bad
		_, err := Train(t.Context(), p, binned(t, &p, train)[0], nil, Options{})
		require.ErrorContains(t, err, "feature 1 has the name")
	}
	require.NoError(t, checkNames([]string{"a=b", "#", "é"}))
}
