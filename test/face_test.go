package test

import (
	"flag"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var updateFace = flag.Bool("update", false, "write testdata/face.txt anew")

const faceFile = "testdata/face.txt"

// TestFace compares the exported names of public packages with a file, so that a change of the public API
// is noticed. docs/architecture.md lists what is stable. A program can name every type that an exported
// function accepts or returns.
func TestFace(t *testing.T) {
	var lines []string
	for name, p := range publicPackages(t) {
		eachExported(p, func(object string, needs types.Type) {
			lines = append(lines, name+" "+object)
			if needs != nil {
				assert.NotContains(t, types.TypeString(needs, nil), "/internal/", "%s %s", name, object)
			}
		})
	}
	slices.Sort(lines)
	text := strings.Join(lines, "\n") + "\n"
	if *updateFace {
		require.NoError(t, os.WriteFile(faceFile, []byte(text), 0o666))
	}
	want, err := os.ReadFile(faceFile)
	require.NoError(t, err)
	before := strings.Split(strings.TrimSpace(string(want)), "\n")
	assert.Empty(t, difference(before, lines), "gone; if that is meant: go test ./test -run TestFace -update")
	assert.Empty(t, difference(lines, before),
		"new; if programs should name it: go test ./test -run TestFace -update")
}

func difference(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}

// publicPackages returns the packages that programs may import, by the names that architecture_test.go uses:
// all except commands, tests and internal packages.
func publicPackages(t *testing.T) map[string]*types.Package {
	t.Helper()
	list := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}", "./...")
	list.Dir = ".."
	out, err := list.Output()
	require.NoError(t, err)
	exports, all := map[string]string{}, map[string]*types.Package{}
	for line := range strings.Lines(string(out)) {
		path, export, _ := strings.Cut(strings.TrimSpace(line), "\t")
		exports[path] = export
	}
	from := importer.ForCompiler(token.NewFileSet(), "gc",
		func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for path := range exports {
		name, ours := inModule(path)
		folders := strings.Split(name, "/")
		if ours && !slices.Contains(folders, "internal") &&
			!slices.Contains([]string{"cmd", "bench", "test"}, folders[0]) {
			all[name], err = from.Import(path)
			require.NoError(t, err)
		}
	}
	require.NotEmpty(t, all)
	return all
}

// eachExported calls visit for each exported name, with the type that a program needs to use it, if any.
// Methods and fields are T.M. An alias may be of an internal type, to which it gives a name.
func eachExported(p *types.Package, visit func(name string, needs types.Type)) {
	for _, name := range p.Scope().Names() {
		object := p.Scope().Lookup(name)
		if !object.Exported() {
			continue
		}
		named, is := object.Type().(*types.Named)
		_, declares := object.(*types.TypeName)
		switch _, function := object.(*types.Func); {
		case function:
			visit(name, object.Type())
			continue
		case !declares || !is || named.Obj() != object:
			visit(name, nil)
			continue
		}
		structure, is := named.Underlying().(*types.Struct)
		if is {
			visit(name, nil)
			for field := range structure.Fields() {
				visitExported(name, field, visit)
			}
		} else {
			visit(name, named.Underlying())
		}
		for method := range named.Methods() {
			visitExported(name, method, visit)
		}
	}
}

func visitExported(of string, member types.Object, visit func(name string, needs types.Type)) {
	if member.Exported() {
		visit(of+"."+member.Name(), member.Type())
	}
}
