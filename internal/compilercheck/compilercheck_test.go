package compilercheck

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite testdata/expected.txt")

const (
	root     = "../.."
	expected = "testdata/expected.txt"
)

func TestCompilerKeepsTheHotLoopsClean(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the Go compiler")
	}
	head := "# " + goVersion(t) + " amd64; rewritten by: go test ./internal/compilercheck -update\n"
	if *update {
		require.NoError(t, os.WriteFile(expected, []byte(head+report(t, compile(t, afresh(t)))), 0o666))
	}
	want, err := os.ReadFile(expected)
	require.NoError(t, err)
	wantFunctions := byFunction(string(want))
	if wantFunctions[""] != strings.TrimSuffix(head, "\n") {
		t.Skipf("%s is for another compiler: %s", expected, wantFunctions[""])
	}
	gotFunctions := byFunction(head + report(t, compile(t, "")))
	if !maps.Equal(wantFunctions, gotFunctions) {
		gotFunctions = byFunction(head + report(t, compile(t, afresh(t))))
	}
	for name, text := range gotFunctions {
		assert.Equal(t, wantFunctions[name], text, "%s has other bounds checks, inlining or allocations than "+
			"%s says; if they are better, or worth it, run: go test ./internal/compilercheck -update", name, expected)
	}
	assert.Len(t, gotFunctions, len(wantFunctions),
		"hot_test.go lists other functions than %s; run: go test ./internal/compilercheck -update", expected)
}

// byFunction splits a report by function. The report's first line has the empty name as its key.
func byFunction(report string) map[string]string {
	all := map[string]string{}
	for i, part := range strings.Split(report, "\n\n") {
		name, text, _ := strings.Cut(part, "\n")
		if i == 0 {
			name, text = "", name
		}
		all[name] = strings.TrimSuffix(text, "\n")
	}
	return all
}

// goVersion returns the compiler's release, such as "go1.26".
func goVersion(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOVERSION").Output()
	require.NoError(t, err)
	parts := strings.SplitN(strings.TrimSpace(string(out)), ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

// report lists the compiler's remarks about all hot functions.
func report(t *testing.T, remarks []remark) string {
	t.Helper()
	var b strings.Builder
	for _, pkg := range hot {
		functions := functionsIn(t, pkg.folder)
		for _, name := range pkg.functions {
			f, ok := functions[name]
			require.True(t, ok, "%s has no function %s: correct hot_test.go", pkg.folder, name)
			fmt.Fprintf(&b, "\n%s %s\n", pkg.folder, name)
			for _, line := range f.describe(remarks) {
				fmt.Fprintf(&b, "\t%s\n", line)
			}
		}
	}
	return b.String()
}

// remark is a line of the compiler's output.
type remark struct {
	file string // relative to the module
	line int
	text string
}

var remarkLine = regexp.MustCompile(`^(?:\./)?(\S+\.go):(\d+):\d+: (.*)$`)

// afresh returns a flag that makes the go command compile everything again: a folder without packages that no
// compilation before it had. What was compiled before it only repeats, and remarks that are no longer in its
// cache are left out without a word (useCache in its package work).
func afresh(t *testing.T) string {
	t.Helper()
	return " -I=" + t.TempDir()
}

// compile compiles the packages of hot functions with an additional flag, or none, and returns the remarks.
func compile(t *testing.T, flag string) []remark {
	t.Helper()
	args := []string{"build", "-trimpath=false", "-gcflags=-m -d=ssa/check_bce/debug=1" + flag}
	for _, pkg := range hot {
		args = append(args, "./"+pkg.folder)
	}
	c := exec.Command("go", args...)
	c.Dir = root
	c.Env = append(os.Environ(), "GOARCH=amd64", "GOAMD64=v1", "GOFLAGS=", "GOEXPERIMENT=")
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s", out)
	var remarks []remark
	for text := range strings.Lines(string(out)) {
		if m := remarkLine.FindStringSubmatch(strings.TrimSuffix(text, "\n")); m != nil {
			line, _ := strconv.Atoi(m[2])
			remarks = append(remarks, remark{filepath.ToSlash(m[1]), line, m[3]})
		}
	}
	require.NotEmpty(t, remarks, "the compiler said nothing: %s", out)
	return remarks
}

// function is the location of a function.
type function struct {
	name        string
	file        string // relative to the module
	first, last int    // lines
	source      []string
}

// functionsIn returns the functions of a package by name, such as "(*Matrix).At".
func functionsIn(t *testing.T, folder string) map[string]function {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
	require.NoError(t, err)
	functions := map[string]function{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		source, err := os.ReadFile(path)
		require.NoError(t, err)
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, source, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				functions[nameOf(d)] = function{
					name: nameOf(d), file: folder + "/" + filepath.Base(path),
					first: set.Position(d.Pos()).Line, last: set.Position(d.End()).Line,
					source: strings.Split(string(source), "\n"),
				}
			}
		}
	}
	return functions
}

// nameOf returns the name that the compiler uses for a function.
func nameOf(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	receiver := types.ExprString(d.Recv.List[0].Type)
	if strings.HasPrefix(receiver, "*") {
		receiver = "(" + receiver + ")"
	}
	return receiver + "." + d.Name.Name
}

// describe returns the remarks about a function, sorted; equal remarks are counted.
func (f *function) describe(remarks []remark) []string {
	inlined := false
	counts := map[string]int{}
	for _, r := range remarks {
		if r.file != f.file || r.line < f.first || r.line > f.last {
			continue
		}
		source := strings.TrimSpace(f.source[r.line-1])
		switch {
		case r.text == "can inline "+f.name:
			inlined = true
		case strings.HasPrefix(r.text, "Found Is"):
			counts["check:  "+source]++
		case strings.HasSuffix(r.text, "escapes to heap") || strings.HasPrefix(r.text, "moved to heap"):
			counts["heap:   "+r.text+": "+source]++
		}
	}
	var lines []string
	for text, n := range counts {
		if n > 1 {
			text += fmt.Sprintf("  (%d times)", n)
		}
		lines = append(lines, text)
	}
	slices.Sort(lines)
	if inlined {
		lines = append([]string{"inlined"}, lines...)
	}
	return lines
}
