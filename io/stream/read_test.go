package stream

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

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
