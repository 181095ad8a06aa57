//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/test/aid"
)

// TestKills is the short form of "go run ./test/kill", which test/long.sh runs for hundreds of kills.
func TestKills(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: builds the command")
	}
	t.Parallel()
	kills := 4
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

func TestSummary(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kills.tsv")
	require.NoError(t, appendLine(path, "0\tbin\tKILLED,TERMINATED\t1\t0\t0.1"))
	require.NoError(t, appendLine(path, "1\tbin\tKILLED\t1\t2\t0.1"))
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString("2\tbi") // killed
	require.NoError(t, err)
	require.NoError(t, f.Close())
	lines, err := journalLines(path)
	require.NoError(t, err)
	assert.Len(t, lines, 2)
	assert.Contains(t, summary(lines), "| bin | 2 | 3 | 2 | 2 | 0 |\n")
}
