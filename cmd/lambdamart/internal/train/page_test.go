package train

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFilesOf(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.Mkdir(path("parts"), 0o777))
	for _, name := range []string{"a.txt", "a.txt.weight", "a.txt.label.buy", "a.txt.other", "parts/2.csv",
		"parts/1.csv",
		"parts.query"} {
		require.NoError(t, os.WriteFile(path(name), nil, 0o666))
	}
	for of, want := range map[string][]string{
		path("a.txt"): {path("a.txt"), path("a.txt.weight"), path("a.txt.label.buy")},
		path("parts") + string(filepath.Separator): {path("parts/1.csv"), path("parts/2.csv"), path("parts.query")},
		"-": nil,
	} {
		got, err := filesOf(of)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	_, err := filesOf(path("absent"))
	assert.Error(t, err)
}
