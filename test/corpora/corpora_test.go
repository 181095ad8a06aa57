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

// TestPagesHaveTargets: test/fuzz.md has a row for every target, and test/hostile/README.md names no other.
func TestPagesHaveTargets(t *testing.T) {
	var listed []string
	for _, row := range named(t, "fuzz.md", "`([^`]+)` (Fuzz\\w+) \\|") {
		listed = append(listed, row[1]+"/"+row[2])
	}
	assert.ElementsMatch(t, targets(t), listed)
	for _, row := range named(t, "hostile/README.md", "`(Fuzz\\w+)` in `([^`]+)`") {
		assert.Contains(t, listed, row[2]+"/"+row[1])
	}
}

// named returns what a pattern finds in a page in test.
func named(t *testing.T, page, pattern string) [][]string {
	text, err := os.ReadFile(filepath.Join("..", page))
	require.NoError(t, err)
	return regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1)
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
