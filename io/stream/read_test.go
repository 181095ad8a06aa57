package stream

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte("content"), 0o666))
	wrong := errors.New("wrong")
	err := ReadFile(path, func(r io.Reader, name string) error {
		content, err := io.ReadAll(r)
		require.NoError(t, err)
		assert.Equal(t, "content", string(content))
		assert.Equal(t, path, name)
		return wrong
	})
	assert.Equal(t, wrong, err)
	err = ReadFile(path+"s", func(io.Reader, string) error { panic("there is nothing to read") })
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// A small file cannot make a reader of models keep much memory.
func TestReadFileOfABomb(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bomb.gz")
	f, err := os.Create(path)
	require.NoError(t, err)
	z := gzip.NewWriter(f)
	for range 256 {
		_, err := z.Write(make([]byte, 1<<20))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	require.NoError(t, f.Close())
	err = ReadFile(path, func(r io.Reader, _ string) error {
		n, err := io.Copy(io.Discard, r)
		assert.Less(t, n, int64(140<<20))
		return err
	})
	assert.ErrorIs(t, err, ErrBomb)
	assert.ErrorContains(t, err, "bomb.gz: ")
}
