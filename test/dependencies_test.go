package test

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tools matches a program that a script runs by go run.
var tools = regexp.MustCompile(
	`(?m)=(honnef\.co/go/tools|golang\.org/x/vuln|github\.com/rhysd/actionlint)/\S+@(v[\d.]+)`)

// pinned maps names of files to patterns that match a dependency and its version.
var pinned = map[string]*regexp.Regexp{
	"go.mod":            regexp.MustCompile(`(?m)^(?:require )?\t?(\S+\.\S+/\S+) (v\S+)`),
	"requirements*.txt": regexp.MustCompile(`(?m)^([\w.-]+)==([\w.]+)`),
	"pom.xml":           regexp.MustCompile(`<artifactId>([\w.-]+)</artifactId><version>([\w.-]+)</version>`),
	"run":               tools,
	"*.sh":              tools,
}

// TestImportsOfOthersAreListed: test/dependencies.md has a row for every module, package and class library
// that is pinned anywhere, with its version, its license and a reason.
func TestImportsOfOthersAreListed(t *testing.T) {
	listed := listedDependencies(t)
	found := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != ".ci" && d.Name() != ".." {
			return cmp.Or(err, error(fs.SkipDir))
		}
		for pattern, form := range pinned {
			if is, _ := filepath.Match(pattern, d.Name()); !is || d.IsDir() {
				continue
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, m := range form.FindAllStringSubmatch(string(text), -1) {
				found++
				name := normal(m[1])
				assert.Contains(t, strings.Split(listed[name], ", "), m[2],
					"%s needs %s %s: add it to test/dependencies.md, with its license and the reason for it",
					path, m[1], m[2])
			}
		}
		return nil
	})
	require.NoError(t, err)
	assert.Greater(t, found, 50)
}

// normal returns the normal form in which Python compares package names (PEP 503).
func normal(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "-", ".", "-").Replace(name))
}

// listedDependencies returns the versions in test/dependencies.md by name. A row may list several Java
// names; only the first has the group.
func listedDependencies(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("dependencies.md")
	require.NoError(t, err)
	listed := map[string]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 4 || strings.HasPrefix(line, "|---") {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
			assert.NotEmpty(t, cells[i], line)
		}
		assert.NotEqual(t, "?", cells[2], line)
		for _, name := range strings.Split(cells[0], ", ") {
			name = normal(name[strings.LastIndexByte(name, ':')+1:])
			versions := cells[1]
			if before := listed[name]; before != "" {
				versions = before + ", " + versions
			}
			listed[name] = versions
		}
	}
	return listed
}
