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

	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/io/model/internal/sourcecode"
	"github.com/lambdamart/lambdamart/io/model/internal/treetest"
	"github.com/lambdamart/lambdamart/tree"
)

// kinds are models that together exercise all parts of the generated code.
var kinds = map[string]treetest.Model{
	"plain":       {Trees: 9, Leaves: 12, Features: 3},
	"missing":     {Trees: 9, Leaves: 12, Features: 3, Missing: true, ZeroMissing: true},
	"categorical": {Trees: 9, Leaves: 12, Features: 3, Missing: true, Categorical: true},
	"linear":      {Trees: 9, Leaves: 12, Features: 3, Linear: true, Average: true},
	"all":         {Trees: 9, Leaves: 12, Features: 3, Linear: true, Categorical: true, ZeroMissing: true, Missing: true, Average: true},
	"leaves":      {Trees: 3, Leaves: 1, Features: 1},
	"no trees":    {Features: 2},
}

func write(t testing.TB, e *tree.Ensemble, language *sourcecode.Language) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, language.Write(&b, e, language.Name))
	return b.Bytes()
}

func score(t *testing.T, e *tree.Ensemble, row []float64) float64 {
	t.Helper()
	s, err := e.ScoreRow(row)
	require.NoError(t, err)
	return s
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
		formatted, err := format.Source(text)
		require.NoError(t, err, name)
		assert.Equal(t, string(formatted), string(text), name)
		assert.NotContains(t, string(text), "import")
	}
}

// TestCompiledCodeScoresAlike compiles the code, runs it on rows of every kind, and compares scores bit by
// bit.
func TestCompiledCodeScoresAlike(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles")
	}
	program, names := buildGo(t), slices.Sorted(maps.Keys(kinds))
	t.Run("java", func(t *testing.T) {
		java := buildJava(t)
		for i, name := range names {
			e, rows := modelAndRows(kinds[name])
			t.Run(name, func(t *testing.T) {
				compare(t, e, rows, "java", "-cp", java, "Main", fmt.Sprintf("com.ranker%d.Ranker", i))
			})
		}
	})
	for i, name := range names {
		e, rows := modelAndRows(kinds[name])
		t.Run("go "+name, func(t *testing.T) { compare(t, e, rows, program, strconv.Itoa(i)) })
		t.Run("c "+name, func(t *testing.T) { compare(t, e, rows, buildC(t, e)) })
	}
}

func modelAndRows(kind treetest.Model) (*tree.Ensemble, [][]float64) {
	rng := rand.New(rand.NewPCG(5, 6))
	e := kind.Make(rng)
	var rows [][]float64
	for range 500 {
		rows = append(rows, kind.Row(rng, e))
	}
	for i := range e.Trees { // like LightGBM's splits for missing values
		for node := range e.Trees[i].Threshold {
			if node%5 == 1 && e.Trees[i].Decision[node]&tree.Categorical == 0 {
				e.Trees[i].Threshold[node] = math.Inf(1)
			}
		}
	}
	rows[0][0], rows[1][0] = math.Inf(1), math.Inf(-1)
	return e, rows
}

// buildGo compiles a program that reads rows of float64 and writes the scores of one model. Its argument is
// the index of the model in the sorted names of kinds.
func buildGo(t *testing.T) string {
	folder := t.TempDir()
	var imports, scorers strings.Builder
	for i, name := range slices.Sorted(maps.Keys(kinds)) {
		e, _ := modelAndRows(kinds[name])
		var text bytes.Buffer
		ranker := fmt.Sprintf("ranker%d", i)
		require.NoError(t, sourcecode.Go.Write(&text, e, ranker))
		writeFile(t, filepath.Join(folder, ranker, "ranker.go"), text.String())
		fmt.Fprintf(&imports, "\t\"scorer/%s\"\n", ranker)
		fmt.Fprintf(&scorers, "\t{%s.NumFeatures, %s.Score},\n", ranker, ranker)
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
	score    func([]float64) float64
}{
`+scorers.String()+`}

func main() {
	number, _ := strconv.Atoi(os.Args[1])
	s := scorers[number]
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	defer out.Flush()
	row := make([]float64, s.features)
	for binary.Read(in, binary.LittleEndian, row) == nil {
		binary.Write(out, binary.LittleEndian, s.score(row))
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

// javaMain reads rows of float64 and writes the scores of the class given by its argument.
const javaMain = `import java.io.*;

class Main {
	public static void main(String[] args) throws Exception {
		Class<?> ranker = Class.forName(args[0]);
		double[] row = new double[ranker.getField("NUM_FEATURES").getInt(null)];
		java.lang.reflect.Method score = ranker.getMethod("score", double[].class);
		DataInputStream in = new DataInputStream(new BufferedInputStream(System.in));
		DataOutputStream out = new DataOutputStream(new BufferedOutputStream(System.out));
		try {
			while (true) {
				for (int i = 0; i < row.length; i++) {
					row[i] = Double.longBitsToDouble(Long.reverseBytes(in.readLong()));
				}
				double s = (double) score.invoke(null, row);
				out.writeLong(Long.reverseBytes(Double.doubleToRawLongBits(s)));
			}
		} catch (EOFException end) {
			out.flush();
		}
	}
}
`

// buildJava compiles the models of all kinds, each in its own package, and returns the folder of the
// classes.
func buildJava(t *testing.T) string {
	compiler, err := exec.LookPath("javac")
	if err != nil {
		t.Skip("no javac: install a JDK to have the Java export compiled")
	}
	folder := t.TempDir()
	files := []string{filepath.Join(folder, "Main.java")}
	writeFile(t, files[0], javaMain)
	for i, name := range slices.Sorted(maps.Keys(kinds)) {
		e, _ := modelAndRows(kinds[name])
		var text bytes.Buffer
		require.NoError(t, sourcecode.Java.Write(&text, e, fmt.Sprintf("com.ranker%d.Ranker", i)))
		files = append(files, filepath.Join(folder, fmt.Sprintf("com/ranker%d/Ranker.java", i)))
		writeFile(t, files[len(files)-1], text.String())
	}
	text, err := exec.Command(compiler, append([]string{"-Xlint:all,-options", "-Werror", "--release", "8", "-d", folder}, files...)...).CombinedOutput()
	require.NoError(t, err, "%s", text)
	return folder
}

func buildC(t *testing.T, e *tree.Ensemble) string {
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler: install cc to have the C export compiled")
	}
	folder := t.TempDir()
	main := `#include <stdio.h>
#include "ranker.c"
int main(void)
{
	double row[RANKER_NUM_FEATURES], score;
	while (fread(row, sizeof row, 1, stdin) == 1) {
		score = ranker_score(row);
		fwrite(&score, sizeof score, 1, stdout);
	}
	return 0;
}
`
	writeFile(t, filepath.Join(folder, "ranker.c"), string(write(t, e, sourcecode.C)))
	writeFile(t, filepath.Join(folder, "main.c"), main)
	program := filepath.Join(folder, "scorer")
	text, err := exec.Command(compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O2", "-o", program, filepath.Join(folder, "main.c")).CombinedOutput()
	require.NoError(t, err, string(text))
	return program
}

func compare(t *testing.T, e *tree.Ensemble, rows [][]float64, program string, args ...string) {
	t.Helper()
	var in bytes.Buffer
	for _, row := range rows {
		require.NoError(t, binary.Write(&in, binary.LittleEndian, row))
	}
	run := exec.Command(program, args...)
	run.Stdin = &in
	out, err := run.Output()
	require.NoError(t, err)
	scores := make([]float64, len(rows))
	require.NoError(t, binary.Read(bytes.NewReader(out), binary.LittleEndian, scores))
	for i, row := range rows {
		requireSameBits(t, score(t, e, row), scores[i], row)
	}
}

// requireSameBits compares bits, except that all NaNs are equal: the bits of a NaN computed from infinities
// or linear leaves depend on the processor.
func requireSameBits(t *testing.T, want, got float64, row []float64) {
	t.Helper()
	if !math.IsNaN(want) || !math.IsNaN(got) {
		require.Equal(t, math.Float64bits(want), math.Float64bits(got), "%v, want %v, for row %v", got, want, row)
	}
}

func TestWriteRefuses(t *testing.T) {
	e := kinds["plain"].Make(rand.New(rand.NewPCG(7, 8)))
	for _, name := range []string{"", "ranker", "1X", "A-b", "Ä", "String", "java.Ranker", "com.class.Ranker", "com..Ranker", "Com.Ranker", strings.Repeat("R", 201)} {
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
