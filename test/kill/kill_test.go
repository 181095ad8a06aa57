//go:build unix

package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/test/aid"
)

// TestKills is the short form of "go run ./test/kill", which test/long.sh runs for hundreds of kills.
func TestKills(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: builds the command")
	}
	t.Parallel()
	kills := 3
	if aid.All() {
		kills = 12
	}
	h, err := prepare(t.TempDir(), aid.Seed())
	require.NoError(t, err)
	if aid.All() { // also scenarios that this seed does not draw must be command lines of today
		for i := range h.scenarios {
			_, err := h.goldenOf(&h.scenarios[i])
			require.NoError(t, err)
		}
	}
	require.NoError(t, h.shootUpTo(kills, filepath.Join(h.folder, "kills.tsv")))
}
