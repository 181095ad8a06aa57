package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/test/aid"
)

// TestRelease builds the archive and the wheel for this machine's system and
// checks the content of the archive.
func TestRelease(t *testing.T) {
	if !aid.Long() || runtime.GOOS != "linux" {
		t.Skip("LAMBDAMART_LONG: builds the program twice, on Linux")
	}
	dist := t.TempDir()
	run := func(name string, args ...string) string {
		t.Helper()
		c := exec.Command(name, args...)
		c.Dir = dist
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	script, err := filepath.Abs("../release.sh")
	require.NoError(t, err)
	run(script, dist, runtime.GOOS+"/"+runtime.GOARCH)
	run("sha256sum", "--check", "--strict", "SHA256SUMS")
	archives, err := filepath.Glob(dist + "/lambdamart_*.tar.gz")
	require.NoError(t, err)
	require.Len(t, archives, 1)
	sums, err := os.ReadFile(filepath.Join(dist, "SHA256SUMS"))
	require.NoError(t, err)
	assert.Regexp(t, `(?m)^[0-9a-f]{64}  lambdamart-\S+-py3-none-manylinux\S+\.whl$`, string(sums))
	run("tar", "xzf", archives[0])
	folder := strings.TrimSuffix(archives[0], ".tar.gz")
	content := func(name string) string {
		text, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		require.NotEmpty(t, text, name)
		return string(text)
	}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		content(name)
	}
	licenses, modules := content("LICENSES.txt"), content("modules.txt")
	assert.Contains(t, licenses, "The Go Authors")
	for line := range strings.Lines(modules) {
		if f := strings.Fields(line); f[0] == "dep" {
			assert.Contains(t, licenses, "\n"+f[1]+"@"+f[2]+"\n")
		}
	}
	commit := strings.TrimSpace(run("git", "-C", filepath.Dir(script), "rev-parse", "HEAD"))
	assert.Contains(t, run(filepath.Join(folder, "lambdamart"), "version"), commit)
	program := content("lambdamart")
	assert.NotContains(t, program, "another folder", "the folder of the build is in the program")
	assert.NotContains(t, program, "ld-linux", "the program is not static")
}
