package data

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFiles(t *testing.T) {
	path := folder(t, map[string]string{"a.txt": asLETOR, "a.txt.weight": "1\n", "a.txt.label2": "1\n",
		"a.txt.other": "", "parts/2.csv": asCSV, "parts/1.csv": asCSV, "parts.query": "3\n"})
	for of, want := range map[string][]string{
		path("a.txt"): {path("a.txt"), path("a.txt.weight"), path("a.txt.label2")},
		path("parts") + string(filepath.Separator): {path("parts/1.csv"), path("parts/2.csv"), path("parts.query")},
		"-": nil,
	} {
		got, err := Files(of)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	_, err := Files(path("absent"))
	assert.Error(t, err)
}
