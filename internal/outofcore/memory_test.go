package outofcore

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// limit sets the process's memory limit to this many bytes.
func limit(t *testing.T, bytes int64) {
	before := debug.SetMemoryLimit(-1)
	t.Setenv("GOMEMLIMIT", "set")
	debug.SetMemoryLimit(bytes)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
}

// TestMake: large memory is a mapping of an unlinked file. It is zeroed and writable.
func TestMake(t *testing.T) {
	limit(t, 1<<30)
	m := Memory{Folder: t.TempDir()}
	small, err := m.Make(1 << 20)
	require.NoError(t, err)
	assert.Len(t, small, 1<<20)
	assert.Empty(t, m.mapped)

	large, err := m.Make(1<<28 + 1)
	require.NoError(t, err)
	assert.Len(t, large, 1<<28+1)
	if runtime.GOOS == "linux" {
		require.Len(t, m.mapped, 1)
	}
	assert.Zero(t, large[1<<28])
	large[1<<28], large[0] = 1, 2
	left, err := os.ReadDir(m.Folder)
	require.NoError(t, err)
	assert.Empty(t, left)
	require.NoError(t, m.Close())
	assert.Empty(t, m.mapped)
}

// TestNoRoom: memory that does not fit is an error if there is no folder, or if the folder does not exist.
func TestNoRoom(t *testing.T) {
	limit(t, 1<<20)
	var none Memory
	_, err := none.Make(1 << 20)
	assert.ErrorContains(t, err, "not enough memory")
	gone := Memory{Folder: filepath.Join(t.TempDir(), "gone")}
	_, err = gone.Make(1 << 20)
	assert.ErrorContains(t, err, "gone")
	if runtime.GOOS == "linux" {
		full := Memory{Folder: t.TempDir()}
		_, err = full.Make(1 << 55)
		assert.ErrorContains(t, err, "bytes")
	}
}
