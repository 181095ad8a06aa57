//go:build unix

package table

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPipeAmongParts: a named pipe in a folder of parts would be waited for, perhaps for ever.
func TestPipeAmongParts(t *testing.T) {
	dir := filesIn(t, "a.csv")
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "b.csv"), 0o666))
	_, err := Open(dir, Options{})
	assert.ErrorIs(t, err, ErrNoFile)
	assert.ErrorContains(t, err, "b.csv: a part of a table is a file")
}
