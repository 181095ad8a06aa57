package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPackAndUnpack(t *testing.T) {
	folder := t.TempDir()
	inputs := map[string]string{"a/b/FuzzRead/1": "one", "a/FuzzRead/2": "",
		"c/FuzzRead/3": strings.Repeat("three", 1<<20)}
	for name, content := range inputs {
		require.NoError(t, os.MkdirAll(filepath.Join(folder, "in", filepath.Dir(name)), 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "in", name), []byte(content), 0o666))
	}
	first, second, out := filepath.Join(folder, "first"), filepath.Join(folder,
		"second"), filepath.Join(folder, "out")
	require.NoError(t, pack(first, filepath.Join(folder, "in")))
	require.NoError(t, unpack(first, out))
	for name, content := range inputs {
		assert.Equal(t, content, read(t, filepath.Join(out, name)))
	}
	require.NoError(t, pack(second, out))
	assert.Equal(t, read(t, first), read(t, second))
}

// TestArchiveHasTargets: every archived input belongs to an existing fuzz target,
// and every target has inputs.
func TestArchiveHasTargets(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, unpack(filepath.Join("..", "..", archive), folder))
	kept, err := filepath.Glob(filepath.Join(folder, "*"))
	require.NoError(t, err)
	require.NotEmpty(t, kept)
	var found []string
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if strings.HasPrefix(entry.Name(), "Fuzz") {
			name, _ := filepath.Rel(folder, path)
			found = append(found, filepath.ToSlash(name))
		}
		return err
	}))
	assert.ElementsMatch(t, targets(t), found)
}

// targets returns the package and name of each fuzz target.
func targets(t *testing.T) (all []string) {
	command := exec.Command("git", "grep", "-oE", `^func Fuzz\w+`, "--", "*_test.go")
	command.Dir = filepath.Join("..", "..")
	out, err := command.Output()
	require.NoError(t, err)
	for _, found := range regexp.MustCompile(`(?m)^(.*)/[^/]*:func (\w+)$`).FindAllStringSubmatch(string(out),
		-1) {
		all = append(all, found[1]+"/"+found[2])
	}
	return all
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(content)
}
