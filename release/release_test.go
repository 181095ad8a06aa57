package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/test/drawn"
)

// TestRelease builds the archive for this machine's system and checks its content.
func TestRelease(t *testing.T) {
	if !drawn.Long() {
		t.Skip("LAMBDAMART_LONG: builds the program twice")
	}
	if _, err := output("", nil, "git", "rev-parse", "--verify", "HEAD"); err != nil {
		t.Skip("this is no checkout of git")
	}
	dist := t.TempDir()
	require.NoError(t, run([]string{"output=" + dist, "targets=" + runtime.GOOS + "/" + runtime.GOARCH}))
	sums, err := os.ReadFile(filepath.Join(dist, "SHA256SUMS"))
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(sums)), "\n")
	require.Len(t, lines, 1)
	for _, line := range lines {
		sum, name, _ := strings.Cut(line, "  ")
		content, err := os.ReadFile(filepath.Join(dist, name))
		require.NoError(t, err)
		assert.Equal(t, sum, fmt.Sprintf("%x", sha256.Sum256(content)))
		files := unpacked(t, name, content)
		checkFiles(t, files, strings.Contains(name, "windows"))
		if !strings.Contains(name, "windows") {
			checkProgram(t, files["lambdamart"])
		}
	}
}

// unpacked returns the files of an archive by name, without the top folder.
func unpacked(t *testing.T, name string, content []byte) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	add := func(name string, r io.Reader) {
		content, err := io.ReadAll(r)
		require.NoError(t, err)
		files[filepath.Base(name)] = content
	}
	if strings.HasSuffix(name, ".zip") {
		z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
		require.NoError(t, err)
		for _, f := range z.File {
			r, err := f.Open()
			require.NoError(t, err)
			add(f.Name, r)
		}
		return files
	}
	z, err := gzip.NewReader(bytes.NewReader(content))
	require.NoError(t, err)
	for a := tar.NewReader(z); ; {
		h, err := a.Next()
		if err == io.EOF {
			return files
		}
		require.NoError(t, err)
		add(h.Name, a)
	}
}

func checkFiles(t *testing.T, files map[string][]byte, windows bool) {
	t.Helper()
	program := "lambdamart"
	if windows {
		program += ".exe"
	}
	for _, name := range []string{program, "LICENSE", "LICENSES.txt", "sbom.cdx.json", "README.md", "CHANGELOG.md"} {
		require.NotEmpty(t, files[name], name)
	}
	modules, err := modulesOf(files[program])
	require.NoError(t, err)
	var bill struct {
		BOMFormat  string
		Components []struct{ Name, Version, PURL string }
	}
	require.NoError(t, json.Unmarshal(files["sbom.cdx.json"], &bill))
	assert.Equal(t, "CycloneDX", bill.BOMFormat)
	assert.Len(t, bill.Components, len(modules))
	for _, m := range modules {
		assert.Contains(t, string(files["LICENSES.txt"]), "\n"+m.path+" "+m.version+"\n")
		assert.Contains(t, string(files["sbom.cdx.json"]), `"pkg:golang/`+m.path+"@"+m.version+`"`)
	}
	for _, m := range modules[1:] {
		assert.NotEqual(t, "github.com/dmitryikh/leaves", m.path, "tests alone use it")
	}
}

// checkProgram runs the program, which must be statically linked and report its commit.
func checkProgram(t *testing.T, program []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "lambdamart")
	require.NoError(t, os.WriteFile(path, program, 0o755))
	out, err := exec.Command(path, "version").Output()
	require.NoError(t, err)
	commit, err := output("", nil, "git", "rev-parse", "HEAD")
	require.NoError(t, err)
	assert.Contains(t, string(out), commit[:7])
	assert.NotContains(t, string(program), os.TempDir()+"/release-", "the folder of the build is in the program")
	assert.NotContains(t, string(program), "ld-linux", "the program is not static")
}

func TestBadArguments(t *testing.T) {
	assert.ErrorContains(t, run([]string{"out=x"}), `"out=x"`)
	assert.ErrorContains(t, run(nil), "output=")
}

// modesOf returns the permissions of the files in an archive.
func modesOf(t *testing.T, content []byte) (modes []fs.FileMode) {
	t.Helper()
	if z, err := zip.NewReader(bytes.NewReader(content), int64(len(content))); err == nil {
		for _, f := range z.File {
			modes = append(modes, f.Mode())
		}
		return modes
	}
	z, err := gzip.NewReader(bytes.NewReader(content))
	require.NoError(t, err)
	for a := tar.NewReader(z); ; {
		h, err := a.Next()
		if err == io.EOF {
			return modes
		}
		require.NoError(t, err)
		modes = append(modes, h.FileInfo().Mode())
	}
}

// TestArchives: both kinds of archive contain the files, make programs executable, and are reproducible.
func TestArchives(t *testing.T) {
	files := []file{{"lambdamart", []byte("program"), true}, {"LICENSE", []byte("text"), false}}
	at := time.Unix(1_700_000_000, 0).UTC()
	for name, pack := range map[string]func(string, []file, time.Time) ([]byte, error){"a.tar.gz": tarred, "a.zip": zipped} {
		first, err := pack("a", files, at)
		require.NoError(t, err)
		second, err := pack("a", files, at)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(first, second), name)
		assert.Equal(t, []fs.FileMode{0o755, 0o644}, modesOf(t, first), name)
		assert.Equal(t, map[string][]byte{"lambdamart": []byte("program"), "LICENSE": []byte("text")}, unpacked(t, name, first))
	}
}
