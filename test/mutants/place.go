package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// swaps lists each operator and constant with those that it is changed to. Numbers are increased by one.
var swaps = map[string][]string{
	"+": {"-"}, "-": {"+"}, "*": {"/"}, "/": {"*"}, "%": {"/"}, "<<": {">>"}, ">>": {"<<"},
	"&": {"|"}, "|": {"&"}, "^": {"&"}, "&^": {"&"}, "&&": {"||"}, "||": {"&&"}, "==": {"!="}, "!=": {"=="},
	"<": {"<=", ">="}, "<=": {"<", ">"}, ">": {">=", "<="}, ">=": {">", "<"}, "++": {"--"}, "--": {"++"},
	"+=": {"-="}, "-=": {"+="}, "*=": {"/="}, "/=": {"*="}, "&=": {"|="}, "|=": {"&="}, "^=": {"&="},
	"<<=": {">>="}, ">>=": {"<<="}, "true": {"false"}, "false": {"true"},
}

// line is a line of a file. It stays the same when it moves with its declaration.
type line struct {
	declaration string // (*Type).Name, Name, or const, var, type for all of these in a file
	occurrence  string // which of the equal lines of the declaration, from 1
	text        string // without space around it
}

// file is a source file, and the lines of its declarations with their offsets.
type file struct {
	path   string
	source []byte
	tree   *ast.File
	lines  []line
	starts []int
}

// read parses the files below a folder whose lines may be changed. Those are not tests, packages for tests,
// generated files, and files for some systems: others are not compiled here, and assembly has its own tests.
func read(folder string) (files []file, err error) {
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && (name == "testdata" || name[0] == '_' || strings.HasSuffix(name, "test")) {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, err := parse(filepath.ToSlash(path), source)
		if err == nil && !ast.IsGenerated(f.tree) && !bytes.Contains(source, []byte("//go:build ")) {
			files = append(files, f)
		}
		return err
	})
	return files, err
}

func parse(path string, source []byte) (file, error) {
	const mode = parser.ParseComments | parser.SkipObjectResolution
	tree, err := parser.ParseFile(token.NewFileSet(), path, source, mode)
	if err != nil {
		return file{}, err
	}
	f, found := file{path: path, source: source, tree: tree}, map[line]int{}
	for _, d := range tree.Decls {
		at := f.offset(d.Pos())
		for text := range bytes.Lines(source[at:f.offset(d.End())]) {
			l := line{declaration: nameOf(d), text: string(bytes.TrimSpace(text))}
			found[l]++
			l.occurrence = strconv.Itoa(found[l])
			f.lines = append(f.lines, l)
			f.starts = append(f.starts, at+len(text)-len(bytes.TrimLeft(text, "\t ")))
			at += len(text)
		}
	}
	return f, nil
}

func (f file) offset(p token.Pos) int { return int(p - f.tree.FileStart) }

func nameOf(d ast.Decl) string {
	f, is := d.(*ast.FuncDecl)
	switch {
	case !is:
		return d.(*ast.GenDecl).Tok.String()
	case f.Recv == nil:
		return f.Name.Name
	default:
		return "(" + types.ExprString(f.Recv.List[0].Type) + ")." + f.Name.Name
	}
}

// shuffled returns all changes of the files in the order in which a seed draws them.
func shuffled(files []file, folder string, seed uint64) (all []mutant) {
	for _, f := range files {
		ast.Inspect(f.tree, func(n ast.Node) bool {
			at, old, others := swap(n)
			for _, other := range others {
				c := f.change(f.offset(at), old, other)
				c.folder, c.seed = folder, strconv.FormatUint(seed, 10)
				if !strings.Contains(c.text, "\t") { // or a record could not hold it
					all = append(all, mutant{change: c})
				}
			}
			return true
		})
	}
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// swap returns the place of the operator or constant of a node, and what it is changed to.
func swap(n ast.Node) (at token.Pos, old string, others []string) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		at, old = n.OpPos, n.Op.String()
	case *ast.AssignStmt:
		at, old = n.TokPos, n.Tok.String()
	case *ast.IncDecStmt:
		at, old = n.TokPos, n.Tok.String()
	case *ast.Ident:
		at, old = n.Pos(), n.Name
	case *ast.UnaryExpr:
		if n.Op == token.NOT || n.Op == token.SUB {
			return n.OpPos, n.Op.String(), []string{""}
		}
	case *ast.BasicLit:
		if n.Kind == token.INT || n.Kind == token.FLOAT {
			return n.Pos(), n.Value, []string{"(" + n.Value + " + 1)"}
		}
	}
	return at, old, swaps[old]
}

// change puts other in place of old at an offset.
func (f file) change(offset int, old, other string) change {
	after, _ := slices.BinarySearch(f.starts, offset+1)
	l, at := f.lines[after-1], offset-f.starts[after-1]
	return change{file: f.path, line: l, changed: strings.TrimSpace(l.text[:at] + other + l.text[at+len(old):])}
}

// apply returns the file that has the line of a change, and its source with the changed line: the recorded
// file, or else another one. The path is "" if none has it.
func (c *change) apply(files []file) (path string, source []byte) {
	other := func(f file) bool { return f.path != c.file }
	for _, f := range append(slices.DeleteFunc(slices.Clone(files), other), files...) {
		if i := slices.Index(f.lines, c.line); i >= 0 {
			start, rest := f.starts[i], f.source[f.starts[i]+len(c.text):]
			return f.path, slices.Concat(f.source[:start], []byte(c.changed), rest)
		}
	}
	return "", nil
}
