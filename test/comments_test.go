package test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fileName matches the name of a source file, program or documentation page, possibly with a folder, and
// with * for
// several files.
var fileName = regexp.MustCompile(`(?:^|[^\w./*-])((?:\.\./)*[\w*-][\w./*-]*\.(?:go|s|md|py|sh|java))\b`)

// TestFilesInCommentsExist: every file of this repository that a comment names exists.
func TestFilesInCommentsExist(t *testing.T) {
	const root = ".."
	for _, path := range goFiles(t, root) {
		for _, missing := range missingFiles(t, root, path) {
			t.Error(missing)
		}
	}
}

// goFiles returns all Go files below a folder, including those of nested modules.
func goFiles(t *testing.T, root string) []string {
	t.Helper()
	var paths []string
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if entry.IsDir() && path != root && strings.HasPrefix(entry.Name(), ".") {
			return fs.SkipDir
		}
		if err == nil && filepath.Ext(path) == ".go" {
			paths = append(paths, path)
		}
		return err
	}))
	require.NotEmpty(t, paths)
	return paths
}

// missingFiles returns a line for each file that a comment in a Go file names and that does not exist. It
// skips generated files, whose comments quote the command that wrote them.
func missingFiles(t *testing.T, root, path string) []string {
	t.Helper()
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	require.NoError(t, err)
	if ast.IsGenerated(parsed) {
		return nil
	}
	var missing []string
	for _, group := range parsed.Comments {
		for _, comment := range group.List {
			if strings.HasPrefix(comment.Text, "//go:") {
				continue // a directive, whose paths are resolved differently
			}
			for _, match := range fileName.FindAllStringSubmatch(comment.Text, -1) {
				if !isFile(root, filepath.Dir(path), match[1]) {
					missing = append(missing, fmt.Sprintf("%s:%d: there is no %s", path,
						files.Position(comment.Pos()).Line, match[1]))
				}
			}
		}
	}
	return missing
}

// isFile reports whether a file of that name exists, relative to folder or to one of its parents, up to root.
func isFile(root, folder, name string) bool {
	for {
		if found, _ := filepath.Glob(filepath.Join(folder, filepath.FromSlash(name))); len(found) > 0 {
			return true
		}
		if folder == root {
			return false
		}
		folder = filepath.Dir(folder)
	}
}
