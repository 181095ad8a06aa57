package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// planted are packages and their tests. What should not be printed contains the word "noise".
var planted = map[string]string{
	"passes": `func TestPasses(t *testing.T) { t.Log("noise") }
		func TestSkipped(t *testing.T) { t.Log("noise"); t.Skip("it cannot run here") }`,
	"fails": `func TestPasses(t *testing.T) { t.Log("noise") }
		func TestFails(t *testing.T) {
			t.Log("its own line")
			t.Run("passes", func(t *testing.T) { t.Log("noise") })
			t.Run("fails", func(t *testing.T) { t.Error("the reason") })
		}`,
	"panics": `func TestPasses(t *testing.T) { t.Log("noise") }
		func TestPanics(t *testing.T) { t.Log("before the panic"); panic("the panic") }`,
	"exits":   `func TestExits(t *testing.T) { os.Stdout.WriteString("before the exit\n"); os.Exit(3) }`,
	"unbuilt": `func TestUnbuilt(t *testing.T) { missing() }`,
	"vetted":  `func TestVetted(t *testing.T) { t.Errorf("%d", "text") }`,
}

// TestOnlyFailuresArePrinted runs the go command on packages that fail in all ways.
func TestOnlyFailuresArePrinted(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: compiles packages")
	}
	var printed bytes.Buffer
	s := newSummary(&printed)
	require.NoError(t, s.read(bytes.NewReader(testPlanted(t))))
	for _, part := range []string{
		"ok  \tplanted/passes", "its own line", "--- FAIL: TestFails/fails", "the reason",
		"before the panic", "panic: the panic", "goroutine ", "TestExits did not end:\nbefore the exit\n",
		"undefined: missing", `Errorf format %d has arg "text" of wrong type string`,
		"missing: directory not found",
	} {
		assert.Contains(t, printed.String(), part)
	}
	assert.NotContains(t, printed.String(), "noise")
	assert.NotContains(t, printed.String(), "=== ")
	assert.Equal(t, "left out: TestSkipped: it cannot run here\n", s.leftOut.String())
	assert.Equal(t, [3]int{4, 7, 1}, [3]int{s.passed, s.failed, s.skipped}, "%s", &printed)
}

// testPlanted returns what go test -json prints for the planted packages and one that does not exist.
func testPlanted(t *testing.T) []byte {
	t.Helper()
	module := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(module, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	write("go.mod", "module planted\n\ngo 1.26\n")
	for name, tests := range planted {
		write(name+"/planted_test.go", "package "+name+"\nimport (\"os\"; \"testing\")\nvar _ = os.Exit\n"+tests)
	}
	c := exec.Command("go", "test", "-json", "./...", "./missing")
	c.Dir = module
	c.Env = append(os.Environ(), "GOFLAGS=")
	out, err := c.CombinedOutput()
	require.Error(t, err)
	return out
}

// TestEveryPackageThatDoesNotEndIsPrinted: the go command may be killed.
func TestEveryPackageThatDoesNotEndIsPrinted(t *testing.T) {
	var printed bytes.Buffer
	s := newSummary(&printed)
	require.NoError(t, s.read(bytes.NewBufferString(
		`{"Action":"output","Package":"p","Test":"TestP","Output":"a line\n"}`+"\nsignal: killed\n")))
	assert.Equal(t, "signal: killed\n# FAIL p\nTestP did not end:\na line\n", printed.String())
	assert.Equal(t, 1, s.failed)
}
