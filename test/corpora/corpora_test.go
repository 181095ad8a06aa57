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
