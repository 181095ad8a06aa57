package test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const modulePath = "github.com/lambdamart/lambdamart"

// TestImportsPointDown: docs/architecture.md lists all packages in an order in which imports point down. To
// change the order, edit the page.
func TestImportsPointDown(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "architecture.md"))
	require.NoError(t, err)
	order, err := packagesOf(string(page))
	require.NoError(t, err)
	assert.Empty(t, architectureFaults(order, importsOf(t)), "see docs/architecture.md")
}

// packagesOf returns the packages in the first block of code of a page, from top to bottom and, within a
// line, from left to right. At least two spaces separate the packages of a line from a description.
// "a/{b,c}" means a/b and a/c.
func packagesOf(page string) ([]string, error) {
	_, rest, begins := strings.Cut(page, "```\n")
	list, _, ends := strings.Cut(rest, "\n```")
	if !begins || !ends {
		return nil, errors.New("the page has no block of code")
	}
	var packages []string
	for line := range strings.Lines(list) {
		names, _, _ := strings.Cut(line, "  ")
		for _, name := range strings.Fields(names) {
			for _, p := range expand(name) {
				if slices.Contains(packages, p) {
					return nil, fmt.Errorf("%s is in the list twice", p)
				}
				packages = append(packages, p)
			}
		}
	}
	return packages, nil
}

var braces = regexp.MustCompile(`^(.*)\{(.*)\}(.*)$`)

// expand expands a name with braces to the names that it denotes.
func expand(name string) []string {
	parts := braces.FindStringSubmatch(name)
	if parts == nil {
		return []string{name}
	}
	var names []string
	for _, choice := range strings.Split(parts[2], ",") {
		names = append(names, parts[1]+choice+parts[3])
	}
	return names
}

// importsOf returns the imports of each package within the module, except those of tests.
func importsOf(t *testing.T) map[string][]string {
	t.Helper()
	list := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	list.Dir, list.Env = "..", append(os.Environ(), "GOFLAGS=")
	out, err := list.Output()
	require.NoError(t, err)
	imports := map[string][]string{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := decoder.Decode(&p); err == io.EOF {
			return imports
		} else {
			require.NoError(t, err)
		}
		var ours []string
		for _, path := range p.Imports {
			if name, ok := inModule(path); ok {
				ours = append(ours, name)
			}
		}
		name, _ := inModule(p.ImportPath)
		imports[name] = ours
	}
}

// inModule returns the folder of a package in this module. The folder of the root is "lambdamart".
func inModule(path string) (name string, ok bool) {
	if path == modulePath {
		return "lambdamart", true
	}
	return strings.CutPrefix(path, modulePath+"/")
}

// architectureFaults returns a line for each package that the order lacks, for each listed package that
// does not exist, and for each import that does not point down.
func architectureFaults(order []string, imports map[string][]string) []string {
	var faults []string
	for name, others := range imports {
		place := slices.Index(order, name)
		if place < 0 {
			faults = append(faults, name+" is not in the list")
			continue
		}
		for _, other := range others {
			if slices.Index(order, other) <= place {
				faults = append(faults, fmt.Sprintf("%s imports %s, which is not below it", name, other))
			}
		}
	}
	for _, name := range order {
		if _, ok := imports[name]; !ok {
			faults = append(faults, name+" is in the list and does not exist")
		}
	}
	slices.Sort(faults)
	return faults
}

// TestFilesFormLayers: in these packages no file uses, directly or through others, one that uses it, so that
// they can be read from the bottom up.
func TestFilesFormLayers(t *testing.T) {
	for _, folder := range []string{"../booster", "../booster/internal/grow"} {
		uses := usesOf(t, folder)
		for n := 0; n != len(uses); { // files that use no other file go, until all that are left use each other
			n = len(uses)
			maps.DeleteFunc(uses, func(_ string, others []string) bool {
				return !slices.ContainsFunc(others, func(other string) bool { return uses[other] != nil })
			})
		}
		assert.Empty(t, slices.Sorted(maps.Keys(uses)), "files that use each other, and those that use them")
	}
}

// usesOf returns, for each file of a package, the files whose declarations it uses, apart from fields.
func usesOf(t *testing.T, folder string) map[string][]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	fset, uses := token.NewFileSet(), map[string][]string{}
	var files []*ast.File
	for _, path := range paths {
		if !strings.HasSuffix(path, "_test.go") {
			file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			files, uses[path] = append(files, file), []string{}
		}
	}
	require.NotEmpty(t, files)
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	check := types.Config{Error: func(error) {}} // what other packages declare is unknown, and does not matter
	p, _ := check.Check(folder, fset, files, &info)
	for at, object := range info.Uses {
		if v, is := object.(*types.Var); object.Pkg() != p || is && v.IsField() {
			continue
		}
		from, to := fset.File(at.Pos()).Name(), fset.File(object.Pos()).Name()
		if from != to {
			uses[from] = append(uses[from], to)
		}
	}
	return uses
}

// TestArchitectureWalks: the files and names in the walks of docs/architecture.md exist.
func TestArchitectureWalks(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "architecture.md"))
	require.NoError(t, err)
	steps := regexp.MustCompile("(?s)```walk\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	require.Len(t, steps, 3)
	for _, walk := range steps {
		for line := range strings.Lines(walk[1]) {
			words := strings.Fields(line)
			require.Greater(t, len(words), 2, line)
			text, err := os.ReadFile(filepath.Join("..", words[0]))
			require.NoError(t, err, line)
			assert.Regexp(t, declarationOf(words[1]), string(text), line)
		}
	}
	assert.Regexp(t, declarationOf("a.b"), "func (x *a) b(y int) {")
	assert.NotRegexp(t, declarationOf("a.b"), "func (x *c) b(y int) {")
	assert.NotRegexp(t, declarationOf("b"), "func bc() {")
}

// declarationOf matches the declaration of a function, a type, or a method (T.M).
func declarationOf(name string) *regexp.Regexp {
	receiver, method, is := strings.Cut(name, ".")
	if is {
		return regexp.MustCompile(`(?m)^func \(\w+ \*?` + receiver + `(\[\w+\])?\) ` + method + `\(`)
	}
	return regexp.MustCompile(`(?m)^(func|type) ` + name + `\b`)
}
