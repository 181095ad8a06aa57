package stream_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/stream"
)

func TestWriteFolder(t *testing.T) {
	folder, broken := t.TempDir(), errors.New("broken")
	text := func(w io.Writer) error { _, err := io.WriteString(w, "text"); return err }
	paths, err := stream.WriteFolder(folder, stream.File{Name: "a", Write: text},
		stream.File{Name: "b", Write: text})
	require.NoError(t, err)
	assert.Equal(t, []string{filepath.Join(folder, "a"), filepath.Join(folder, "b")}, paths)
	_, err = stream.WriteFolder(folder, stream.File{Name: "c", Write: text},
		stream.File{Name: "d", Write: func(io.Writer) error { return broken }}, stream.File{Name: "e", Write: text})
	assert.ErrorIs(t, err, broken)
	got, err := os.ReadFile(filepath.Join(folder, "c"))
	require.NoError(t, err)
	assert.Equal(t, "text", string(got))
	assert.NoFileExists(t, filepath.Join(folder, "d"))
	assert.NoFileExists(t, filepath.Join(folder, "e"))
}
