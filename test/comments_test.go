package test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fileName matches the name of a source file, program or documentation page, possibly with a folder, and
// with * for several files.
var fileName = regexp.MustCompile(`(?:^|[^\w./*-])((?:\.\./)*[\w*-][\w./*-]*\.(?:go|s|md|py|sh|java))\b`)

// TestFilesInCommentsExist: every file of this repository that a comment names exists. Generated files, whose
// comments quote the command that wrote them, and directives are left out.
func TestFilesInCommentsExist(t *testing.T) {
	const root = ".."
	list := exec.Command("git", "grep", "-nE", `(^|[[:space:]])// |DO NOT EDIT`, "--", "*.go")
	list.Dir = root
	out, err := list.Output()
	require.NoError(t, err)
	generated := ""
	for line := range strings.Lines(string(out)) {
		place := regexp.MustCompile(`^(\S+?):(\d+):(.*)`).FindStringSubmatch(line)
		if regexp.MustCompile(`^// Code generated .* DO NOT EDIT\.$`).MatchString(place[3]) {
			generated = place[1]
		}
		_, comment, is := strings.Cut(" "+strings.ReplaceAll(place[3], "\t", " "), " // ")
		if !is || place[1] == generated {
			continue
		}
		for _, match := range fileName.FindAllStringSubmatch(comment, -1) {
			if !isFile(root, filepath.Dir(filepath.Join(root, place[1])), match[1]) {
				t.Errorf("%s:%s: there is no %s", place[1], place[2], match[1])
			}
		}
	}
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
