package stream

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReserve: only one process holds an output at a time, under any of its paths, until it is released. No
// file remains.
func TestReserve(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m")
	writeTo(t, path, "old")
	require.NoError(t, os.Symlink("m", filepath.Join(dir, "link")))
	release, err := Reserve(path)
	require.NoError(t, err)
	_, err = Reserve(filepath.Join(dir, "link"))
	assert.ErrorContains(t, err, "another run is writing "+filepath.Join(dir, "link")+": wait for it, or "+
		"name another output (if there is none, remove "+
		filepath.Join(dir, ".m.lock.0.tmp")+")")
	other, err := Reserve(dir)
	require.NoError(t, err)
	other()
	require.NoError(t, WriteFile(path, say("new")))
	release()
	assert.Equal(t, []string{"link", "m"}, names(t, dir))
	require.NoError(t, os.Remove(path)) // the link now leads to a file that does not exist yet
	again, err := Reserve(filepath.Join(dir, "link"))
	require.NoError(t, err)
	_, err = Reserve(path)
	assert.ErrorContains(t, err, "another run is writing "+path)
	again()
}

// TestReserveAfterAKill: the lock of a killed process does not count.
func TestReserveAfterAKill(t *testing.T) {
	dir := t.TempDir()
	holder := startWriter(t, filepath.Join(dir, "m.lock")) // holds .m.lock.0.tmp
	_, err := Reserve(filepath.Join(dir, "m"))
	require.ErrorContains(t, err, "another run")
	kill(holder)
	release, err := Reserve(filepath.Join(dir, "m"))
	require.NoError(t, err)
	release()
	assert.Empty(t, names(t, dir))
}

// TestNothingToReserve: reserving an output that cannot be locked succeeds; writing it will report any error.
func TestNothingToReserve(t *testing.T) {
	for _, path := range []string{"", "-", os.DevNull, filepath.Join(t.TempDir(), "none", "m")} {
		for range 2 {
			_, err := Reserve(path)
			require.NoError(t, err, path)
		}
	}
}
