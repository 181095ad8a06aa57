package hostile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/tree"
)

// breakouts are names that end a text, a comment, an element or a line in some language and continue with
// code, or that a preprocessor, a template or a terminal interprets.
var breakouts = []string{
	`"`, `'`, "`", `\`, `\"`, `\\"`, "\n", "\r", "\r\n", "\x00", "\x1b[31m", "\u2028", "\u202e", "\xff\xfe",
	"é", "a b", "\t", "", ".", "..", "-", "=", ",", "NAME", "COUNT", "UPPER", "%s%n", "${x}",
	"{{.}}", "null", "1",
	`"}; int main(void) { return 1; } /*`, `*/ #include "/etc/passwd"`, "// */ x", `??/", system("x"), "`, `??/`,
	`"; import "os"`, "`+os.Args[0]+`", "\"}\nfunc init() { panic(1) }\nvar x = [1]string{\"",
	`","class":"java.lang.Runtime`, `"},{"`, `\u0022`, `</feature><feature>1`, `</ensemble>`, `]]>`, `<!--`,
	`-->`, `&lt;`, `&x;`, `<?php`, `<script>alert(1)</script>`,
	"end of trees\nTree=0", "a\nparameters:", "[f", "f<1", "]", "_", "__proto__", "constructor",
	strings.Repeat("x", 10_000), strings.Repeat("é", 300),
}

// plainName and plainModel replace hostile names of a feature or a model, for comparison.
const (
	plainName  = "plain"
	plainModel = "ordinary"
)

// namedModel returns a model of one split on a feature with a name, and a second feature.
func namedModel(name string) *tree.Ensemble {
	return &tree.Ensemble{
		Features: []tree.Feature{{Name: "zero"}, {Name: name}, {Name: "other"}},
		Trees: []tree.Tree{{
			Feature: []int32{1}, Threshold: []float64{1.5}, Decision: []tree.Decision{0}, Gain: []float64{1},
			Left: []int32{^0}, Right: []int32{^1}, InternalValue: []float64{0}, InternalWeight: []float64{2},
			InternalCount: []int64{2},
			LeafValue:     []float64{0.25, 1}, LeafWeight: []float64{1, 1}, LeafCount: []int64{1, 1}, Shrinkage: 1,
		}},
	}
}

// exportNamed exports a model with the feature name, and with the model name if the target has one. If a
// name is refused, the error must say so, and ok is false.
func exportNamed(t *testing.T, target, feature, name string) (content []byte, ok bool) {
	t.Helper()
	o := model.Options{NoMissing: true}
	for _, option := range []string{"model_name", "feature_store"} {
		if name == plainModel && target == "java" {
			name = "Ordinary" // class names begin with an upper-case letter
		}
		if name != "" && takes(target, option) {
			o.Settings = append(o.Settings, param.Setting{Name: option, Value: name})
		}
	}
	x, err := model.Export(namedModel(feature), target, o)
	if err != nil {
		require.NotErrorIs(t, err, model.ErrVerify, "%s: %q is written wrongly", target, feature+name)
		return nil, false
	}
	return x.Content, true
}

func takes(target, option string) bool {
	i := slices.IndexFunc(model.Targets(), func(t model.Target) bool { return t.Name == target })
	return slices.ContainsFunc(model.Targets()[i].Options(),
		func(p param.Parameter) bool { return p.Name == option })
}

// TestNamesStayNames: for any name of a feature or model, a parser of the file's language finds the same
// structure as with plain names.
func TestNamesStayNames(t *testing.T) {
	for _, target := range model.Targets() {
		t.Run(target.Name, func(t *testing.T) {
			written := 0
			for _, name := range breakouts {
				written += checkNames(t, target.Name, name)
			}
			assert.Positive(t, written, "every name was refused")
		})
	}
}

// FuzzNames does the same for random names.
func FuzzNames(f *testing.F) {
	for _, name := range breakouts {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		for _, target := range model.Targets() {
			checkNames(t, target.Name, name)
		}
	})
}

// checkNames exports a model with this name of a feature and of the model, and returns the number of
// accepted exports.
func checkNames(t *testing.T, target, name string) (written int) {
	t.Helper()
	for _, c := range []struct{ feature, model, plainModel string }{{name, "", ""},
		{plainName, name, plainModel}} {
		got, ok := exportNamed(t, target, c.feature, c.model)
		if !ok || name == "" { // an empty model name means the default
			continue
		}
		written++
		is, err := structure(target, c.model, got)
		require.NoError(t, err, "%s: %q", target, name)
		require.Equal(t, plainStructure(t, target, c.plainModel), is, "%s: %q", target, name)
	}
	return written
}

// plainStructures caches the structures of exports with plain names, by target and model name.
var plainStructures sync.Map

// plainStructure returns the structure of an export with plain names.
func plainStructure(t *testing.T, target, modelName string) string {
	t.Helper()
	key := [2]string{target, modelName}
	if known, ok := plainStructures.Load(key); ok {
		return known.(string)
	}
	plain, ok := exportNamed(t, target, plainName, modelName)
	require.True(t, ok)
	is, err := structure(target, modelName, plain)
	require.NoError(t, err)
	plainStructures.Store(key, is)
	return is
}

// literal matches a text, and identifier a name of a model, in Go, C and Java.
var (
	literal    = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"`)
	identifier = regexp.MustCompile(`^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$`)
)

// structure returns a file without its texts. Source code has names of models only as identifiers.
func structure(target, modelName string, content []byte) (string, error) {
	switch target {
	case "go", "c", "java":
		if modelName != "" && identifier.MatchString(modelName) {
			return "", nil
		}
		return strings.Join(strings.Fields(literal.ReplaceAllString(string(content), "text")), " "), nil
	case "ranklib":
		return fmt.Sprint(bytes.Count(content, []byte("<"))), nil
	case "lightgbm":
		return fmt.Sprint(bytes.Count(content, []byte("\n"))), nil // of lines
	case "onnx": // binary: texts have their lengths before them
		return "", nil
	}
	return structureOfJSON(content)
}

// structureOfJSON returns the JSON with all texts replaced, including keys that are feature names.
func structureOfJSON(content []byte) (string, error) {
	var b strings.Builder
	d := json.NewDecoder(bytes.NewReader(content))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return b.String(), nil
		}
		if err != nil {
			return "", err
		}
		if _, ok := token.(string); ok {
			token = "text"
		}
		fmt.Fprintf(&b, "%T%v ", token, token)
	}
}

// TestNamesInRealCompilers compiles all accepted names, as features of a model,
// as C with trigraphs and as Go.
func TestNamesInRealCompilers(t *testing.T) {
	e := namedModel(plainName)
	seen := map[string]bool{"zero": true, plainName: true, "other": true}
	for _, name := range breakouts {
		if !seen[name] {
			seen[name] = true
			e.Features = append(e.Features, tree.Feature{Name: name})
		}
	}
	compileC(t, e)
	compileGo(t, e)
	compileJava(t, e)
}

func compileC(t *testing.T, e *tree.Ensemble) {
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Log("no C compiler")
		return
	}
	x, err := model.Export(e, "c", model.Options{})
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ranker.c"), x.Content, 0o666))
	var main strings.Builder
	main.WriteString("#include <string.h>\nextern const char *const ranker_feature_names[];\nint main(void) {\n")
	for i, f := range e.Features {
		fmt.Fprintf(&main, "static const unsigned char n%d[] = {", i)
		for _, b := range []byte(f.Name) {
			fmt.Fprintf(&main, "%d,", b)
		}
		fmt.Fprintf(&main, "0};\nif (memcmp(n%d, ranker_feature_names[%d], sizeof n%d)) return 1;\n", i, i, i)
	}
	main.WriteString("return 0;\n}\n")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.c"), []byte(main.String()), 0o666))
	out, err := exec.Command(compiler, "-std=c99", "-trigraphs", "-Wall", "-Werror", "-o",
		filepath.Join(dir, "program"), filepath.Join(dir, "ranker.c"),
		filepath.Join(dir, "main.c")).CombinedOutput()
	require.NoError(t, err, "%.2000s", out)
	require.NoError(t, exec.Command(filepath.Join(dir, "program")).Run(),
		"a name is another one for the compiler")
}

// compileJava omits the names that Java refuses because they are not UTF-8.
func compileJava(t *testing.T, e *tree.Ensemble) {
	compiler, err := exec.LookPath("javac")
	if err != nil {
		t.Log("no Java compiler")
		return
	}
	utf8Only := *e
	utf8Only.Features = slices.DeleteFunc(slices.Clone(e.Features),
		func(f tree.Feature) bool { return !utf8.ValidString(f.Name) })
	x, err := model.Export(&utf8Only, "java", model.Options{})
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Ranker.java"), x.Content, 0o666))
	main := `class Main {
	public static void main(String[] args) throws Exception {
		for (String name : Ranker.featureNames()) {
			for (byte b : name.getBytes("UTF-8")) {
				System.out.printf("%02x", b);
			}
			System.out.println();
		}
	}
}
`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Main.java"), []byte(main), 0o666))
	out, err := exec.Command(compiler, "-d", dir, filepath.Join(dir, "Ranker.java"),
		filepath.Join(dir, "Main.java")).CombinedOutput()
	require.NoError(t, err, "%.2000s", out)
	out, err = exec.Command("java", "-cp", dir, "Main").Output()
	require.NoError(t, err)
	var want strings.Builder
	for _, f := range utf8Only.Features {
		fmt.Fprintf(&want, "%x\n", f.Name)
	}
	assert.Equal(t, want.String(), string(out))
}

func compileGo(t *testing.T, e *tree.Ensemble) {
	x, err := model.Export(e, "go", model.Options{})
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "ranker"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module named\n\ngo 1.26\n"), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ranker", "ranker.go"), x.Content, 0o666))
	main := "package main\n\nimport (\n\t\"encoding/json\"\n\t\"os\"\n\n\t\"named/ranker\"\n)\n\nfunc main() " +
		"{\n\tvar all [][]byte\n\tfor _, n := range ranker.FeatureNames {\n\t\tall = append(all, " +
		"[]byte(n))\n\t}\n\tjson.NewEncoder(os.Stdout).Encode(all)\n}\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(main), 0o666))
	c := exec.Command("go", "run", ".")
	c.Dir = dir
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%.2000s", out)
	var names [][]byte
	require.NoError(t, json.Unmarshal(out, &names))
	for i, f := range e.Features {
		assert.Equal(t, f.Name, string(names[i]))
	}
}
