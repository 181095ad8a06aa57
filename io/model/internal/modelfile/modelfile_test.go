package modelfile

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/tree"
)

// fault is the error type of a format.
type fault struct{ path string }

func (f *fault) Error() string { return f.path + ": bad" }

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model")
	require.NoError(t, os.WriteFile(path, []byte("text"), 0o600))
	locate := func(f *fault) { f.path = path }
	want := new(tree.Ensemble)

	e, err := Read(path, "format", func(r io.Reader) (*tree.Ensemble, error) {
		data, err := io.ReadAll(r)
		assert.Equal(t, "text", string(data))
		return want, err
	}, locate)
	require.NoError(t, err)
	assert.Same(t, want, e)

	_, err = Read(path, "format", func(io.Reader) (*tree.Ensemble, error) {
		return nil, fmt.Errorf("tree 3: %w", new(fault))
	}, locate)
	var f *fault
	require.ErrorAs(t, err, &f)
	assert.Equal(t, path, f.path)

	_, err = Read(path+"s", "format", nil, locate)
	require.ErrorIs(t, err, fs.ErrNotExist)
	assert.ErrorContains(t, err, "format: open "+path+"s")
}
