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

// The Go programs in README.md compile.
func TestREADMEPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the Go compiler")
	}
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	programs := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllSubmatch(readme, -1)
	require.NotEmpty(t, programs)
	for _, program := range programs {
		file := filepath.Join(t.TempDir(), "main.go")
		require.NoError(t, os.WriteFile(file, program[1], 0o666))
		c := exec.Command("go", "vet", file) // in this folder, and so in this module
		out, err := c.CombinedOutput()
		assert.NoError(t, err, "%s", out)
	}
}

// README.md shows what its first command prints.
func TestREADMEOutput(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	got := succeed(t, "../..", "train", "data=testdata/mslr-small/train.txt.gz",
		"valid=testdata/mslr-small/vali.txt.gz,testdata/mslr-small/test.txt.gz",
		"eval_at=5,10", "patience=30", "output_model="+filepath.Join(t.TempDir(), "model.txt"))
	report, _, _ := strings.Cut(got.stderr, "[1/100]")
	report = regexp.MustCompile(`read in \S+ s`).ReplaceAllString(report, "read in 0.0 s")
	for line := range strings.Lines(report + got.stdout) {
		assert.True(t, strings.Contains(string(readme), line), "paste the new output into README.md: %s", line)
	}
}
