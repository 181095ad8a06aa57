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

	"github.com/lambdamart/lambdamart/test/aid"
)

// longestExample is the largest number of lines that a Go example for users may have.
const longestExample = 15

// TestGoPrograms: the Go examples in docs/go.md are short, and compile inside a function.
func TestGoPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the Go compiler")
	}
	text, err := os.ReadFile("../../docs/go.md")
	require.NoError(t, err)
	examples := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	require.NotEmpty(t, examples)
	for _, example := range examples {
		assert.LessOrEqual(t, strings.Count(example[1], "\n"), longestExample, example[1])
		file := filepath.Join(t.TempDir(), "main.go")
		require.NoError(t, os.WriteFile(file, []byte(programOf(example[1])), 0o666))
		c := exec.Command("go", "vet", file) // in this folder, so that it belongs to this module
		out, err := c.CombinedOutput()
		assert.NoError(t, err, "%s", out)
	}
}

// programOf returns a program that contains an example and declares what its text assumes.
func programOf(example string) string {
	program := `package main

import (
	"context"
	"fmt"
	"log"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/study"
)

var (
	ctx            = context.Background()
	values         [][]float64
	grades         []float64
	querySizes     []int
	validationRows dataset.Source
	myObjective    objective.Objective
	myMetric       metric.Metric
	_              = fmt.Sprint
	_              = study.ApplyPreset
)

func main() {
` + example
	if strings.Contains(example, "\nr, err := ") {
		program += "_ = r\n"
	}
	return program + "if err != nil {\nlog.Fatal(err)\n}\n}\n"
}

// TestREADMEOutput: README.md shows what its first command prints, in its order. "..." stands for lines that
// are left out.
func TestREADMEOutput(t *testing.T) {
	if !aid.All() {
		t.Skip("LAMBDAMART_ALL: takes seconds, and golden outputs guard models and messages")
	}
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	got := succeed(t, "../..", "train", "data=testdata/mslr-small/train.txt.gz",
		"valid=testdata/mslr-small/vali.txt.gz,testdata/mslr-small/test.txt.gz",
		"eval_at=5,10", "preset=auto", "output_model="+filepath.Join(t.TempDir(), "model.txt"))
	seconds := regexp.MustCompile(`[\d.]+ s\b`)
	rest := seconds.ReplaceAllString(got.stderr+got.stdout, "0.0 s")
	shown := regexp.MustCompile(`(?m)^    (training: (?s:.*?))\n\n`).FindSubmatch(readme)
	require.NotNil(t, shown, "README.md has no output of its first command")
	for line := range strings.Lines(string(shown[1]) + "\n") {
		line = seconds.ReplaceAllString(strings.TrimPrefix(line, "    "), "0.0 s")
		if line == "...\n" {
			continue
		}
		_, after, found := strings.Cut(rest, line)
		require.True(t, found, "README.md's first command does not print this line here; paste its output: %s",
			line)
		rest = after
	}
}
