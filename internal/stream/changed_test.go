package stream

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/test/aid"
)

// changes are ways in which a file may change while it is read.
var changes = map[string]func(t *testing.T, path string){
	"grown": func(t *testing.T, path string) {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = f.WriteString("more\n")
		require.NoError(t, err)
		require.NoError(t, f.Close())
	},
	"shrunk": func(t *testing.T, path string) {
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.NoError(t, os.Truncate(path, info.Size()/2))
	},
	"overwritten": func(t *testing.T, path string) {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		b[len(b)/2] ^= 1
		time.Sleep(20 * time.Millisecond) // exceeds the resolution of file times
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = f.WriteAt(b, 0)
		require.NoError(t, err)
		require.NoError(t, f.Close())
	},
	"emptied": func(t *testing.T, path string) { require.NoError(t, os.Truncate(path, 0)) },
}

// TestFilesThatChange: reading a file that is modified meanwhile is an error, not silently wrong content.
func TestFilesThatChange(t *testing.T) {
	for change, do := range changes {
		for form, content := range packed(t) {
			path := aid.File(t, "file", content)
			in, err := Open(path, Options{})
			require.NoError(t, err)
			r, err := in.Reader()
			require.NoError(t, err)
			_, err = io.CopyN(io.Discard, r, 10_000)
			require.NoError(t, err)
			do(t, path)
			_, err = io.Copy(io.Discard, r)
			assert.ErrorIs(t, err, ErrChanged, "%s, %v", change, form)
			assert.ErrorContains(t, err, path)
			if in.Seekable() {
				_, err = in.ReadAt(make([]byte, 100), 0)
				assert.ErrorIs(t, err, ErrChanged, change)
			}
			require.NoError(t, in.Close())
		}
	}
}

// TestReplacedFile: a file that is replaced by another of the same name is still read to its end.
func TestReplacedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, WriteFile(path, say("old content")))
	in, err := Open(path, Options{})
	require.NoError(t, err)
	defer in.Close()
	require.NoError(t, WriteFile(path, say("new")))
	r, err := in.Reader()
	require.NoError(t, err)
	b, err := io.ReadAll(r)
	require.NoError(t, err)
	assert.Equal(t, "old content", string(b))
}
