package test

import (
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"math"
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

// fusing lists the builds in which the compiler fuses, and the instructions that it uses.
var fusing = []struct {
	name  string
	env   []string
	fused *regexp.Regexp
}{
	{"amd64 v3", []string{"GOARCH=amd64", "GOAMD64=v3"}, regexp.MustCompile(`\sVFN?M(ADD|SUB)`)},
	{"arm64", []string{"GOARCH=arm64"}, regexp.MustCompile(`\sFN?M(ADD|SUB)[SD]\s`)},
}

// TestProductsAreRounded searches the source for expressions that a compiler may fuse: sums of products of
// floats, and products that functions return, because inlining may move them into a sum. It is the quick
// form of TestNoFusedArithmetic.
func TestProductsAreRounded(t *testing.T) {
	list := exec.Command("go", "list", "-export", "-deps", "-f",
		"{{.ImportPath}}\t{{.Export}}\t{{.Dir}}\t{{join .GoFiles \" \"}}", "./cmd/lambdamart")
	list.Dir = ".."
	out, err := list.Output()
	require.NoError(t, err)
	exports := map[string]string{}
	var packages [][]string // path, folder, files
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		exports[f[0]] = f[1]
		if strings.HasPrefix(f[0], modulePath) && !strings.HasSuffix(f[0], "/internal/gemm") &&
			!strings.HasSuffix(f[0], "/cmd/lambdamart") {
			packages = append(packages, f)
		}
	}
	files := token.NewFileSet()
	config := types.Config{Importer: importer.ForCompiler(files, "gc",
		func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })}
	for _, p := range packages {
		var parsed []*ast.File
		for name := range strings.FieldsSeq(p[3]) {
			file, err := parser.ParseFile(files, filepath.Join(p[2], name), nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			parsed = append(parsed, file)
		}
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
		_, err := config.Check(p[0], files, parsed, info)
		require.NoError(t, err, p[0])
		for _, file := range parsed {
			for _, at := range unrounded(file, info) {
				t.Errorf("%s: write float64(a*b) + c, and return float64(a*b)", files.Position(at))
			}
		}
	}
	assert.Greater(t, len(packages), 50)
}

// unrounded returns the places where products of floats are added or returned without a conversion, which
// would round them.
func unrounded(file *ast.File, info *types.Info) (found []token.Pos) {
	check := func(operands ...ast.Expr) {
		for _, x := range operands {
			if product, ok := ast.Unparen(x).(*ast.BinaryExpr); ok && product.Op == token.MUL &&
				isFloat(info, product) &&
				!isPowerOfTwo(info, product.X) && !isPowerOfTwo(info, product.Y) {
				found = append(found, product.Pos())
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.ADD || n.Op == token.SUB {
				check(n.X, n.Y)
			}
		case *ast.AssignStmt:
			if n.Tok == token.ADD_ASSIGN || n.Tok == token.SUB_ASSIGN {
				check(n.Rhs...)
			}
		case *ast.ReturnStmt:
			check(n.Results...)
		}
		return true
	})
	return found
}

// isFloat reports whether an expression is computed in floats at run time.
func isFloat(info *types.Info, x ast.Expr) bool {
	kind, ok := info.Types[x].Type.Underlying().(*types.Basic)
	return ok && kind.Info()&types.IsFloat != 0 && info.Types[x].Value == nil
}

// isPowerOfTwo reports whether an expression is a constant power of two, by which multiplication is exact.
func isPowerOfTwo(info *types.Info, x ast.Expr) bool {
	v := info.Types[x].Value
	if v == nil {
		return false
	}
	number, _ := constant.Float64Val(constant.ToFloat(v))
	fraction, _ := math.Frexp(number)
	return math.Abs(fraction) == 0.5
}

// TestNoFusedArithmetic searches the machine code for fused multiply-add instructions. The compiler may
// fuse a product with a sum, also if an inlined function returns the product. The product is then not
// rounded, so the result differs in the last bit from the same source on another CPU. A training run need
// not reveal the difference. The search uses the compiler's listing, because go tool objdump does not know
// these instructions on amd64.
func TestNoFusedArithmetic(t *testing.T) {
	for _, target := range fusing {
		t.Run(target.name, func(t *testing.T) {
			for pkg, functions := range map[string]*regexp.Regexp{
				"cmd/lambdamart": regexp.MustCompile(`^github\.com/lambdamart/lambdamart/`), // not main
				"bench/mslrgen":  regexp.MustCompile(`^(main|github\.com/lambdamart/lambdamart/.*)\.`),
			} {
				found := linesWith(listing(t, pkg, target.env...), functions, target.fused)
				assert.Empty(t, found, "write float64(a*b) + c, and return float64(a*b)")
			}
		})
	}
}

// TestAssemblyThatReachesModelsIsNotFused covers assembly, which the compiler's listing does not show.
// internal/gemm may fuse: it multiplies the matrices of networks, whose models are promised to be equal only
// on the same machine, and owes half of its speed to these instructions. The other packages must not fuse:
// they compute the values of files (letor, table), their bins (histogram), gradients (pairwise, exact), sums
// (binsum) and gains (bincut) of trees, and which values exceed thresholds (rowblock).
func TestAssemblyThatReachesModelsIsNotFused(t *testing.T) {
	list := exec.Command("go", "list", "-f", "{{if .SFiles}}{{.ImportPath}}{{end}}", "./...")
	list.Dir, list.Env = "..", append(os.Environ(), "GOARCH=amd64", "GOFLAGS=")
	packages, err := list.Output()
	require.NoError(t, err)
	const module = "github.com/lambdamart/lambdamart/"
	exact := []string{"internal/bincut", "internal/binsum", "internal/exact", "internal/histogram",
		"internal/pairwise", "internal/rowblock", "internal/walk", "io/data/internal/letor",
		"io/data/internal/table"}
	const networks = "internal/gemm"
	assert.ElementsMatch(t, append([]string{networks}, exact...),
		strings.Fields(strings.ReplaceAll(string(packages), module, "")))
	fused := regexp.MustCompile(`\sVFN?M(ADD|SUB)`)
	assert.Regexp(t, fused, assembly(t, networks), "the search must find what it looks for")
	for _, pkg := range exact {
		assert.NotRegexp(t, fused, assembly(t, pkg), pkg)
	}
}

func assembly(t *testing.T, pkg string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", pkg, "*.s"))
	require.NoError(t, err)
	require.NotEmpty(t, files, pkg)
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		all.Write(text)
	}
	return all.String()
}

// listing compiles a command and returns the instructions of this module's packages.
func listing(t *testing.T, pkg string, env ...string) []byte {
	t.Helper()
	if !aid.Long() {
		t.Skip("LAMBDAMART_LONG: compiles everything for several processors")
	}
	build := exec.Command("go", "build", "-gcflags=github.com/lambdamart/lambdamart/...=-S", "-o",
		filepath.Join(t.TempDir(), "program"), "./"+pkg)
	build.Dir, build.Env = "..", append(append(os.Environ(), "GOFLAGS="), env...)
	text, err := build.CombinedOutput()
	require.NoError(t, err, "%.2000s", text)
	require.Contains(t, string(text), "internal/exact.Exp STEXT",
		"the functions that matter are not in the listing")
	return text
}

// linesWith returns the matching instructions, with their functions and source lines.
func linesWith(listing []byte, functions, instruction *regexp.Regexp) []string {
	var found []string
	function := ""
	for line := range strings.Lines(string(listing)) {
		if name, _, ok := strings.Cut(line, " STEXT "); ok {
			function = name
		} else if functions.MatchString(function) && instruction.MatchString(line) {
			found = append(found, function+": "+strings.Join(strings.Fields(line), " "))
		}
	}
	return found
}
