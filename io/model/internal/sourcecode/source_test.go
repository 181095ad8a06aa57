package sourcecode_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"go/format"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/querycontext"
	"github.com/lambdamart/lambdamart/internal/widened"
	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/io/model/internal/sourcecode"
	"github.com/lambdamart/lambdamart/io/model/internal/treetest"
	"github.com/lambdamart/lambdamart/tree"
)

// kinds are models that together exercise all parts of the generated code, beside query context.
var kinds = map[string]treetest.Model{
	"plain":       {Trees: 9, Leaves: 12, Features: 3},
	"missing":     {Trees: 9, Leaves: 12, Features: 3, Missing: true, ZeroMissing: true},
	"categorical": {Trees: 9, Leaves: 12, Features: 3, Missing: true, Categorical: true},
	"linear":      {Trees: 9, Leaves: 12, Features: 3, Linear: true, Average: true},
	"all": {Trees: 9, Leaves: 12, Features: 3, Linear: true, Categorical: true, ZeroMissing: true,
		Missing: true, Average: true},
	"leaves":   {Trees: 3, Leaves: 1, Features: 1},
	"no trees": {Features: 2},
}

func write(t testing.TB, e *tree.Ensemble, language *sourcecode.Language) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, language.Write(&b, e, language.Name))
	return b.Bytes()
}

// TestNamesAreQuoted: compilers read these texts back as the original names.
func TestNamesAreQuoted(t *testing.T) {
	e := kinds["plain"].Make(rand.New(rand.NewPCG(1, 2)))
	e.Features[0].Name, e.Features[1].Name = "ü \"?\\\x01\xff", "a ü𝄞 \x7f\n"
	for language, want := range map[*sourcecode.Language]string{
		sourcecode.Go: `"ü \"?\\\x01\xff",`, sourcecode.C: `"\303\274 \"\?\\\001\377",`,
	} {
		assert.Contains(t, string(write(t, e, language)), "\t"+want, language.Target)
	}
	e.Features[0].Name = "b"
	assert.Contains(t, string(write(t, e, sourcecode.Java)), `"8:a \u00fc\ud834\udd1e \177\012"`)
}

func TestGoIsFormatted(t *testing.T) {
	for name, kind := range kinds {
		text := write(t, kind.Make(rand.New(rand.NewPCG(3, 4))), sourcecode.Go)
		assert.NotContains(t, string(text), "import", name)
	}
	for _, x := range examples() {
		text := write(t, x.model, sourcecode.Go)
		formatted, err := format.Source(text)
		require.NoError(t, err, x.name)
		assert.Equal(t, string(formatted), string(text), x.name)
	}
}

// example is a model, and queries: the raw values of documents, of one document without query context.
type example struct {
	name    string
	model   *tree.Ensemble
	queries [][]float64
}

// width returns the number of raw values of a document.
func (x *example) width() int {
	if c := x.model.Context; c != nil {
		return c.Raw
	}
	return len(x.model.Features)
}

// examples are a model of each kind and one with query context. They are the same in every call.
func examples() []example {
	list := []example{contextual()}
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		kind, rng := kinds[name], rand.New(rand.NewPCG(5, 6))
		x := example{name: name, model: kind.Make(rng)}
		for range 500 {
			x.queries = append(x.queries, kind.Row(rng, x.model))
		}
		for i := range x.model.Trees { // like LightGBM's splits for missing values
			t := &x.model.Trees[i]
			for node := range t.Threshold {
				if node%5 == 1 && t.Decision[node]&tree.Categorical == 0 {
					t.Threshold[node] = math.Inf(1)
				}
			}
		}
		x.queries[0][0], x.queries[1][0] = math.Inf(1), math.Inf(-1)
		list = append(list, x)
	}
	for _, c := range calibrations {
		list = append(list, list[0].calibrated(c), list[1].calibrated(c))
	}
	return list
}

// calibrations are of both kinds, the isotonic ones with a step of one probability and with a single score.
var calibrations = []*tree.Calibration{
	{Kind: tree.Platt, Event: tree.Event{Grade: 1}, A: -0.7, B: -1.25},
	{Kind: tree.Isotonic, Event: tree.Event{Grade: 2}, Scores: []float64{-2, -0.3, 0.1, 1.7},
		Probabilities: []float64{0, 0.25, 0.25, 1}},
	{Kind: tree.Isotonic, Event: tree.Event{Grade: 0.5}, Scores: []float64{0.5},
		Probabilities: []float64{0.125}},
	{Kind: tree.Isotonic, Event: tree.Event{Grade: 1}, Scores: []float64{0, 1e-310},
		Probabilities: []float64{0.25, 0.75}},
}

// calibrated returns the example whose programs write probabilities.
func (x *example) calibrated(c *tree.Calibration) example {
	return example{x.name + " " + c.String(), x.model.Calibrated(c), x.queries}
}

// contextual returns a model with all kinds of query context for 3 features, and queries of 1 to 20
// documents, with ties, missing values and extreme values.
func contextual() example {
	rng := rand.New(rand.NewPCG(3, 4))
	c := &querycontext.Columns{Raw: 3, List: []querycontext.Column{{Kind: querycontext.Count}}}
	for _, k := range querycontext.Kinds() {
		for f := range 3 {
			if k != querycontext.Count {
				c.List = append(c.List, querycontext.Column{Kind: k, Feature: f})
			}
		}
	}
	m := treetest.Model{Trees: 30, Leaves: 24, Features: c.Len(), Missing: true, ZeroMissing: true, Linear: true}
	e := m.Make(rng)
	for i := range e.Trees { // thresholds among the values of context columns
		for node, f := range e.Trees[i].Feature {
			if f >= 3 && rng.IntN(2) == 0 {
				e.Trees[i].Threshold[node] = float64(rng.IntN(13)-4) / 8
			}
		}
	}
	for i, name := range c.Names([]string{"a", "b", "c"}) {
		e.Features[i].Name = name
	}
	e.Context = c
	nan := math.NaN()
	queries := [][]float64{{math.MaxFloat64, 0, 5e-324, -math.MaxFloat64, math.Copysign(0, -1), 0, 1, 2, 3},
		{nan, nan, nan}}
	for range 200 {
		common := []float64{nan, m.Value(rng), m.Value(rng)}
		values := make([]float64, 3*(1+rng.IntN(20)))
		for i := range values {
			switch rng.IntN(6) {
			case 0, 1, 2:
				values[i] = common[rng.IntN(3)]
			case 3:
				values[i] = m.Value(rng)
			default:
				values[i] = float64(rng.IntN(9)) / 3
			}
		}
		queries = append(queries, values)
	}
	return example{"context", e, queries}
}

func TestContextNeedsAQuery(t *testing.T) {
	assert.NotContains(t, string(write(t, contextual().model, sourcecode.Go)), "func Score(",
		"a document alone has no score")
}

// TestCompiledCodeScoresAlike compiles the code, runs it on documents of every kind, and compares scores
// bit by bit. The programs read queries, each a number of documents and their values,
// and write scores, all float64.
func TestCompiledCodeScoresAlike(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles")
	}
	all, program := examples(), buildGo(t)
	t.Run("java", func(t *testing.T) {
		java := buildJava(t)
		for i := range all {
			t.Run(all[i].name, func(t *testing.T) {
				all[i].compare(t, "java", "-cp", java, "Main", fmt.Sprintf("com.ranker%d.Ranker", i))
			})
		}
	})
	for i := range all {
		t.Run("go "+all[i].name, func(t *testing.T) { all[i].compare(t, program, strconv.Itoa(i)) })
		t.Run("c "+all[i].name, func(t *testing.T) { all[i].compare(t, buildC(t, &all[i])) })
	}
}

// compare runs a program on the queries.
func (x *example) compare(t *testing.T, program string, args ...string) {
	t.Helper()
	var in bytes.Buffer
	for _, values := range x.queries {
		require.NoError(t, binary.Write(&in, binary.LittleEndian, float64(len(values)/x.width())))
		require.NoError(t, binary.Write(&in, binary.LittleEndian, values))
	}
	run := exec.Command(program, args...)
	run.Stdin = &in
	out, err := run.Output()
	require.NoError(t, err)
	reader := bytes.NewReader(out)
	for _, values := range x.queries {
		n := len(values) / x.width()
		wide, got := widened.FeaturesOf(x.model).Rows(values, n), make([]float64, n)
		require.NoError(t, binary.Read(reader, binary.LittleEndian, got))
		for i := range n {
			want, err := x.model.ScoreRow(wide[i*len(wide)/n : (i+1)*len(wide)/n])
			require.NoError(t, err)
			if c := x.model.Calibration; c != nil {
				if want = c.Probability(want); c.Kind == tree.Platt { // with the exponential function of the library
					require.InDelta(t, want, got[i], 1e-14, values)
					continue
				}
			}
			treetest.SameBits(t, []float64{want}, got[i:i+1], values)
		}
	}
	assert.Zero(t, reader.Len())
}

// buildGo compiles a program whose argument is the index of an example.
func buildGo(t *testing.T) string {
	folder := t.TempDir()
	var imports, scorers strings.Builder
	for i, x := range examples() {
		var text bytes.Buffer
		ranker := fmt.Sprintf("ranker%d", i)
		require.NoError(t, sourcecode.Go.Write(&text, x.model, ranker))
		writeFile(t, filepath.Join(folder, ranker, "ranker.go"), text.String())
		fmt.Fprintf(&imports, "\t\"scorer/%s\"\n", ranker)
		score := fmt.Sprintf("func(rows [][]float64) []float64 { return []float64{%s.Score(rows[0])} }", ranker)
		if x.model.Context != nil {
			score = ranker + ".ScoreQuery"
		}
		if x.model.Calibration != nil {
			score = fmt.Sprintf("probabilities(%s, %s.Probability)", score, ranker)
		}
		fmt.Fprintf(&scorers, "\t{%s.NumFeatures, %s},\n", ranker, score)
	}
	writeFile(t, filepath.Join(folder, "go.mod"), "module scorer\n\ngo 1.21\n")
	writeFile(t, filepath.Join(folder, "main.go"), `package main

import (
	"bufio"
	"encoding/binary"
	"os"
	"strconv"

`+imports.String()+`)

var scorers = []struct {
	features int
	score    func([][]float64) []float64
}{
`+scorers.String()+`}

func probabilities(score func([][]float64) []float64, of func(float64) float64) func([][]float64) []float64 {
	return func(rows [][]float64) []float64 {
		list := score(rows)
		for i, s := range list {
			list[i] = of(s)
		}
		return list
	}
}

func main() {
	number, _ := strconv.Atoi(os.Args[1])
	s := scorers[number]
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	defer out.Flush()
	var count float64
	for binary.Read(in, binary.LittleEndian, &count) == nil {
		rows := make([][]float64, int(count))
		for i := range rows {
			rows[i] = make([]float64, s.features)
			binary.Read(in, binary.LittleEndian, rows[i])
		}
		binary.Write(out, binary.LittleEndian, s.score(rows))
	}
}
`)
	build := exec.Command("go", "build", "-o", "scorer", ".")
	build.Dir = folder
	text, err := build.CombinedOutput()
	require.NoError(t, err, string(text))
	return filepath.Join(folder, "scorer")
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
}

// javaMain scores with the class that its argument names.
const javaMain = `import java.io.*;
import java.lang.reflect.Method;

class Main {
	static final DataInputStream in = new DataInputStream(new BufferedInputStream(System.in));

	static double next() throws IOException {
		return Double.longBitsToDouble(Long.reverseBytes(in.readLong()));
	}

	static double[] scores(Class<?> ranker, double[][] rows) throws Exception {
		for (Method m : ranker.getMethods()) {
			if (m.getName().equals("scoreQuery")) {
				return (double[]) m.invoke(null, (Object) rows);
			}
		}
		return new double[]{(double) ranker.getMethod("score", double[].class).invoke(null, rows[0])};
	}

	public static void main(String[] args) throws Exception {
		Class<?> ranker = Class.forName(args[0]);
		int features = ranker.getField("NUM_FEATURES").getInt(null);
		DataOutputStream out = new DataOutputStream(new BufferedOutputStream(System.out));
		try {
			while (true) {
				double[][] rows = new double[(int) next()][features];
				for (double[] row : rows) {
					for (int i = 0; i < row.length; i++) {
						row[i] = next();
					}
				}
				for (double s : scores(ranker, rows)) {
					for (Method m : ranker.getMethods()) {
						if (m.getName().equals("probability")) {
							s = (double) m.invoke(null, s);
						}
					}
					out.writeLong(Long.reverseBytes(Double.doubleToRawLongBits(s)));
				}
			}
		} catch (EOFException end) {
			out.flush();
		}
	}
}
`

// buildJava compiles all examples, each in its own package, and returns the folder of the classes. In so
// short a run, Java's optimizing compiler and its parallel collector cost more than they save.
func buildJava(t *testing.T) string {
	compiler, err := exec.LookPath("javac")
	if err != nil {
		t.Skip("no javac: install a JDK to have the Java export compiled")
	}
	folder := t.TempDir()
	files := []string{filepath.Join(folder, "Main.java")}
	writeFile(t, files[0], javaMain)
	for i, x := range examples() {
		var text bytes.Buffer
		require.NoError(t, sourcecode.Java.Write(&text, x.model, fmt.Sprintf("com.ranker%d.Ranker", i)))
		files = append(files, filepath.Join(folder, fmt.Sprintf("com/ranker%d/Ranker.java", i)))
		writeFile(t, files[len(files)-1], text.String())
	}
	text, err := exec.Command(compiler, append([]string{"-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC",
		"-Xlint:all,-options", "-Werror", "--release", "8", "-d", folder}, files...)...).CombinedOutput()
	require.NoError(t, err, "%s", text)
	return folder
}

// buildC compiles an example. Only query context needs the C library's part for mathematics.
func buildC(t *testing.T, x *example) string {
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler: install cc to have the C export compiled")
	}
	folder := t.TempDir()
	score, libraries := "(scores[0] = ranker_score(rows), 0)", []string(nil)
	if x.model.Context != nil {
		score, libraries = "ranker_score_query(rows, (int32_t)count, scores)", []string{"-lm"}
	}
	probability := ""
	if x.model.Calibration != nil {
		probability, libraries = "for (int i = 0; i < count; i++) scores[i] = ranker_probability(scores[i]);",
			[]string{"-lm"}
	}
	writeFile(t, filepath.Join(folder, "ranker.c"), string(write(t, x.model, sourcecode.C)))
	writeFile(t, filepath.Join(folder, "main.c"), `#include <stdio.h>
#include "ranker.c"
int main(void)
{
	static double count, rows[100 * RANKER_NUM_FEATURES], scores[100];
	while (fread(&count, sizeof count, 1, stdin) == 1) {
		if (fread(rows, RANKER_NUM_FEATURES * sizeof *rows, (size_t)count, stdin) != (size_t)count || `+score+`)
			return 1;
		`+probability+`
		fwrite(scores, sizeof *scores, (size_t)count, stdout);
	}
	return 0;
}
`)
	program := filepath.Join(folder, "scorer")
	arguments := append([]string{"-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O2", "-o", program,
		filepath.Join(folder, "main.c")}, libraries...)
	text, err := exec.Command(compiler, arguments...).CombinedOutput()
	require.NoError(t, err, string(text))
	return program
}

func TestWriteRefuses(t *testing.T) {
	e := kinds["plain"].Make(rand.New(rand.NewPCG(7, 8)))
	for _, name := range []string{"", "ranker", "1X", "A-b", "Ä", "String", "java.Ranker", "com.class.Ranker",
		"com..Ranker", "Com.Ranker", strings.Repeat("R", 201)} {
		assert.ErrorIs(t, sourcecode.Java.Write(io.Discard, e, name), engine.ErrName, name)
	}
	for _, name := range []string{"\xff", strings.Repeat("x", 1<<16), strings.Repeat("é", 1<<14)} {
		named := *e
		named.Features = append([]tree.Feature{{Name: name}}, e.Features[1:]...)
		assert.ErrorIs(t, sourcecode.Java.Write(io.Discard, &named, "Ranker"), engine.ErrName)
	}
	for _, name := range []string{"", "Ranker", "1x", "a-b", "func", "ä"} {
		assert.ErrorIs(t, sourcecode.Go.Write(io.Discard, e, name), engine.ErrName, name)
	}
	assert.ErrorIs(t, sourcecode.C.Write(io.Discard, &tree.Ensemble{}, "x"), sourcecode.ErrFormat)
	for i := range e.Trees {
		for node := range e.Trees[i].Threshold {
			e.Trees[i].Threshold[node] = math.Inf(-1)
		}
	}
	assert.ErrorIs(t, sourcecode.C.Write(io.Discard, e, "x"), document.ErrNumber)
}
