package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/peers"
)

// beCommand is an environment variable. If it is set, the test binary runs the command itself, so that
// tests can use real processes, with real signals and exit statuses.
const beCommand = "LAMBDAMART_TEST_BE_COMMAND"

// showThreads is an environment variable. If it is set, the command prints the number of threads first.
const showThreads = "LAMBDAMART_TEST_THREADS"

// sayReady is an environment variable. If it is set, the command prints a line when it catches signals.
const sayReady = "LAMBDAMART_TEST_READY"

func TestMain(m *testing.M) {
	if os.Getenv(showThreads) != "" {
		useLimits()
		fmt.Fprintln(os.Stderr, "GOMAXPROCS", runtime.GOMAXPROCS(0))
	}
	switch {
	case os.Getenv(sayReady) != "":
		ctx, _ := untilSignal(false)
		fmt.Fprintln(os.Stderr, "ready")
		os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr, peers.Group{}))
	case os.Getenv(beCommand) != "":
		main()
	}
	os.Exit(m.Run())
}

// command prepares a process that runs the command in dir.
func command(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	binary, err := os.Executable()
	require.NoError(t, err)
	c := exec.Command(binary, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), beCommand+"=1")
	return c
}

// outcome is the result of a finished command.
type outcome struct {
	status         int
	stdout, stderr string
}

// execute runs a command line in dir, in this process, which is faster than starting one.
func execute(t *testing.T, dir string, args ...string) outcome {
	t.Helper()
	before, err := os.Getwd()
	require.NoError(t, err)
	require.NoError(t, os.Chdir(dir))
	defer os.Chdir(before)
	var stderr bytes.Buffer
	status := 0
	stdout := printed(t, func() { status = run(t.Context(), args, os.Stdout, &stderr, peers.Group{}) })
	return outcome{status, stdout, stderr.String()}
}

// printed returns what a function prints to standard output.
func printed(t *testing.T, function func()) string {
	t.Helper()
	from, to, err := os.Pipe()
	require.NoError(t, err)
	text := make(chan []byte)
	go func() {
		all, _ := io.ReadAll(from)
		from.Close()
		text <- all
	}()
	stdout := os.Stdout
	os.Stdout = to
	defer func() { os.Stdout = stdout }()
	function()
	to.Close()
	return string(<-text)
}

// succeed runs the command, which must succeed.
func succeed(t *testing.T, dir string, args ...string) outcome {
	t.Helper()
	got := execute(t, dir, args...)
	require.Zero(t, got.status, "%v\n%s", args, got.stderr)
	return got
}

// writeFile writes a file in dir.
func writeFile(t *testing.T, dir, name, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666))
}

// readFile returns the content of a file in dir.
func readFile(t *testing.T, dir, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return string(content)
}

// withoutParameters returns the text of a model file without its section of parameters.
func withoutParameters(model string) string {
	before, section, _ := strings.Cut(model, "\nparameters:\n")
	_, after, _ := strings.Cut(section, "\nend of parameters\n")
	return before + after
}

// folderWithData returns a new folder with small training and test data. Feature 2 grows with the grade;
// features 1 and 3 are noise computed from the row number; feature 4 is constant.
func folderWithData(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, dir, "train.txt", letorText(40, 1))
	writeFile(t, dir, "test.txt", letorText(10, 1000))
	return dir
}

func letorText(queries, firstID int) string {
	var b strings.Builder
	for q := range queries {
		for d := range 12 {
			n := (firstID+q)*12 + d
			grade := n * 7 % 5 % 3
			fmt.Fprintf(&b, "%d qid:%d 1:%d 2:%d.%d 3:%d 4:1 # doc-%d-%d\n", grade, firstID+q, n*31%17, grade, n*13%10,
				n*17%23, firstID+q, d)
		}
	}
	return b.String()
}

// fewRows are parameters under which trees grow on the small data.
var fewRows = []string{"num_leaves=4", "min_data_in_leaf=5", "num_iterations=10"}

func TestHelp(t *testing.T) {
	got := succeed(t, t.TempDir(), "help")
	names := []string{"completion", "version"}
	for _, c := range program().Commands {
		if c.Hidden {
			assert.NotContains(t, got.stdout, c.Name)
			continue
		}
		names = append(names, c.Name)
		assert.Contains(t, succeed(t, t.TempDir(), c.Name, "--help").stdout, "Example", c.Name)
		for _, name := range c.Main {
			assert.True(t, name == "config" || c.New().Table().Find(name) != nil, "%s %s", c.Name, name)
		}
	}
	assert.Contains(t, succeed(t, t.TempDir(), "help", "train", "all").stdout, " num_leaves=31 ")
	assert.Subset(t, names, []string{"train", "bin", "predict", "eval", "compare", "bench", "model", "export",
		"check-export"})
	for _, name := range names {
		assert.Contains(t, got.stdout, name)
		help := succeed(t, t.TempDir(), "help", name).stdout
		assert.Contains(t, help, "lambdamart "+name, name)
	}
}

func TestCompletion(t *testing.T) {
	got := succeed(t, t.TempDir(), "__complete", "train", "num_l")
	assert.Contains(t, got.stdout, "num_leaves=\t")
	assert.NotContains(t, got.stdout, "num_machines")
	assert.Contains(t, succeed(t, t.TempDir(), "completion", "bash").stdout, "lambdamart")
}
