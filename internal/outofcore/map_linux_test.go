package outofcore

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestFilesNeverHaveAName: the folder never lists a temporary file, so a killed process leaves none.
func TestFilesNeverHaveAName(t *testing.T) {
	limit(t, 1<<30)
	m := Memory{Folder: t.TempDir()}
	f, err := os.OpenFile(m.Folder, os.O_RDWR|unix.O_TMPFILE, 0o600)
	if err != nil {
		t.Skipf("the file system has no files without a name: %v", err)
	}
	require.NoError(t, f.Close())
	before := time.Unix(1e9, 0)
	require.NoError(t, os.Chtimes(m.Folder, before, before))
	_, err = m.Make(1<<28 + 1)
	require.NoError(t, err)
	require.Len(t, m.mapped, 1)
	require.NoError(t, m.Close())
	info, err := os.Stat(m.Folder)
	require.NoError(t, err)
	assert.Equal(t, before, info.ModTime())
}
