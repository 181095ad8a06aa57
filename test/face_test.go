package test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var updateFace = flag.Bool("update", false, "write testdata/face.txt anew")

const faceFile = "testdata/face.txt"

// TestFace compares the exported names of public packages with a file, so that a change of the public API
// is noticed. CONTRIBUTING.md lists what stays compatible.
func TestFace(t *testing.T) {
	var lines []string
	for _, p := range publicPackages(t) {
		for _, name := range p.exported() {
			lines = append(lines, p.path+" "+name)
		}
	}
	slices.Sort(lines)
	text := strings.Join(lines, "\n") + "\n"
	if *updateFace {
		require.NoError(t, os.WriteFile(faceFile, []byte(text), 0o666))
	}
	want, err := os.ReadFile(faceFile)
	require.NoError(t, err)
	gone, added := difference(strings.Split(string(want), "\n"), lines), difference(lines,
		strings.Split(string(want), "\n"))
	assert.Empty(t, gone, "gone; if that is meant: go test ./test -run TestFace -update")
	assert.Empty(t, added, "new; if programs should name it: go test ./test -run TestFace -update")
}

func difference(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return s == "" || slices.Contains(b, s) })
}

// TestNoInternalTypesInTheFace: a program can name every type that an exported function accepts or returns.
func TestNoInternalTypesInTheFace(t *testing.T) {
	for _, p := range publicPackages(t) {
		assert.Empty(t, p.internalTypes(), p.path)
	}
}

// publicPackage is a package that programs may import.
type publicPackage struct {
	path  string
	files []*ast.File
}

// publicPackages returns all packages except commands, tests and internal packages.
func publicPackages(t *testing.T) (all []*publicPackage) {
	t.Helper()
	for name := range importsOf(t) {
		folder := strings.Split(name, "/")
		if slices.Contains(folder, "internal") || slices.Contains([]string{"cmd", "bench", "test"}, folder[0]) {
			continue
		}
		p := &publicPackage{path: name}
		folderOf := filepath.Join("..", name)
		if name == "lambdamart" {
			folderOf = ".."
		}
		paths, err := filepath.Glob(filepath.Join(folderOf, "*.go"))
		require.NoError(t, err)
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			content, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, p.add(path, content))
		}
		all = append(all, p)
	}
	require.NotEmpty(t, all)
	return all
}

func (p *publicPackage) add(path string, content []byte) error {
	file, err := parser.ParseFile(token.NewFileSet(), path, content, parser.SkipObjectResolution)
	p.files = append(p.files, file)
	return err
}

// exported returns the exported names; methods and fields are T.M.
func (p *publicPackage) exported() (names []string) {
	p.each(func(name string, _ *ast.File, _ ast.Node) { names = append(names, name) })
	slices.Sort(names)
	return slices.Compact(names) // a function may have a file per operating system
}

// internalTypes returns the internal types in the declarations of exported names.
func (p *publicPackage) internalTypes() (found []string) {
	p.each(func(name string, file *ast.File, needs ast.Node) {
		internal := map[string]bool{}
		for _, i := range file.Imports {
			if from, err := strconv.Unquote(i.Path.Value); err == nil && strings.Contains(from, "/internal/") {
				internal[path.Base(from)] = true
			}
		}
		ast.Inspect(needs, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if from, ok := s.X.(*ast.Ident); ok && internal[from.Name] {
					found = append(found, fmt.Sprintf("%s: %s.%s", name, from.Name, s.Sel.Name))
				}
			}
			return true
		})
	})
	slices.Sort(found)
	return slices.Compact(found)
}

// each calls visit for each exported name, with the part of its declaration that names the types it needs.
func (p *publicPackage) each(visit func(name string, file *ast.File, needs ast.Node)) {
	for _, file := range p.files {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if name := nameOf(d); name != "" {
					visit(name, file, d.Type)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					eachOf(spec, func(name string, needs ast.Node) { visit(name, file, needs) })
				}
			}
		}
	}
}

// nameOf returns the name of a function or of a method of an exported type, or "".
func nameOf(d *ast.FuncDecl) string {
	if !d.Name.IsExported() {
		return ""
	}
	if d.Recv == nil {
		return d.Name.Name
	}
	receiver := d.Recv.List[0].Type
	if star, ok := receiver.(*ast.StarExpr); ok {
		receiver = star.X
	}
	if index, ok := receiver.(*ast.IndexExpr); ok {
		receiver = index.X
	}
	if of, ok := receiver.(*ast.Ident); ok && of.IsExported() {
		return of.Name + "." + d.Name.Name
	}
	return ""
}

// eachOf calls visit for the exported names of a declaration of types, with their fields, or of constants
// or variables.
func eachOf(spec ast.Spec, visit func(name string, needs ast.Node)) {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			if name.IsExported() {
				visit(name.Name, name)
			}
		}
	case *ast.TypeSpec:
		if !spec.Name.IsExported() {
			return
		}
		if spec.Assign.IsValid() { // a name for a type, which may be internal
			visit(spec.Name.Name, spec.Name)
			return
		}
		fields, ok := spec.Type.(*ast.StructType)
		if !ok {
			visit(spec.Name.Name, spec.Type)
			return
		}
		visit(spec.Name.Name, spec.Name)
		for _, field := range fields.Fields.List {
			for _, name := range namesOf(field) {
				if ast.IsExported(name) {
					visit(spec.Name.Name+"."+name, field.Type)
				}
			}
		}
	}
}

// namesOf returns the names of a field. An embedded field has the name of its type.
func namesOf(field *ast.Field) (names []string) {
	for _, name := range field.Names {
		names = append(names, name.Name)
	}
	if names == nil {
		of := field.Type
		if star, ok := of.(*ast.StarExpr); ok {
			of = star.X
		}
		switch of := of.(type) {
		case *ast.Ident:
			names = append(names, of.Name)
		case *ast.SelectorExpr:
			names = append(names, of.Sel.Name)
		}
	}
	return names
}
