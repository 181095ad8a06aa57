package sourcecode_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/widened"
	"github.com/lambdamart/lambdamart/io/model/internal/sourcecode"
	"github.com/lambdamart/lambdamart/io/model/internal/treetest"
	"github.com/lambdamart/lambdamart/querycontext"
	"github.com/lambdamart/lambdamart/tree"
)

// contextual returns a model with all kinds of query context for 3 features.
func contextual(rng *rand.Rand) *tree.Ensemble {
	c := &querycontext.Columns{Raw: 3, List: []querycontext.Column{{Kind: querycontext.Count}}}
	for _, k := range querycontext.Kinds() {
		for f := range 3 {
			if k != querycontext.Count {
				c.List = append(c.List, querycontext.Column{Kind: k, Feature: f})
			}
		}
	}
	e := treetest.Model{Trees: 30, Leaves: 24, Features: c.Len(), Missing: true, ZeroMissing: true, Linear: true}.Make(rng)
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
	return e
}

// queries returns raw feature values of queries of 1 to 20 documents, with ties, missing values and extreme
// values.
func queries(rng *rand.Rand) [][]float64 {
	var list [][]float64
	m := treetest.Model{}
	for range 200 {
		common := []float64{m.Value(rng), m.Value(rng)}
		values := make([]float64, 3*(1+rng.IntN(20)))
		for i := range values {
			switch rng.IntN(6) {
			case 0:
				values[i] = math.NaN()
			case 1, 2:
				values[i] = m.Value(rng)
			case 3:
				values[i] = common[rng.IntN(2)]
			default:
				values[i] = float64(rng.IntN(9)) / 3
			}
		}
		list = append(list, values)
	}
	return append(list, []float64{math.MaxFloat64, 0, 5e-324, -math.MaxFloat64, math.Copysign(0, -1), 0, 1, 2, 3}, []float64{math.NaN(), math.NaN(), math.NaN()})
}

// queryScores returns the scores of a query's documents.
func queryScores(t *testing.T, e *tree.Ensemble, values []float64) []float64 {
	var scores []float64
	n := len(values) / e.Context.Raw
	wide := widened.Rows(values, n, e.Context, e.UsedFeatures())
	for i := range n {
		scores = append(scores, score(t, e, wide[i*e.Context.Len():(i+1)*e.Context.Len()]))
	}
	return scores
}

func TestContextNeedsAQuery(t *testing.T) {
	e := contextual(rand.New(rand.NewPCG(1, 2)))
	assert.NotContains(t, string(write(t, e, sourcecode.Go)), "func Score(", "a document alone has no score")
}

// TestCompiledQueriesScoreAlike compiles the code and compares scores of queries bit by bit.
func TestCompiledQueriesScoreAlike(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles")
	}
	rng := rand.New(rand.NewPCG(3, 4))
	e := contextual(rng)
	list := queries(rng)
	for language, build := range map[*sourcecode.Language]func(t *testing.T, folder, source string) []string{
		sourcecode.Go: buildGoQueries, sourcecode.C: buildCQueries, sourcecode.Java: buildJavaQueries,
	} {
		t.Run(language.Target, func(t *testing.T) {
			command := build(t, t.TempDir(), string(write(t, e, language)))
			var in bytes.Buffer
			for _, values := range list {
				require.NoError(t, binary.Write(&in, binary.LittleEndian, float64(len(values)/3)))
				require.NoError(t, binary.Write(&in, binary.LittleEndian, values))
			}
			run := exec.Command(command[0], command[1:]...)
			run.Stdin = &in
			out, err := run.Output()
			require.NoError(t, err)
			reader := bytes.NewReader(out)
			for _, values := range list {
				got := make([]float64, len(values)/3)
				require.NoError(t, binary.Read(reader, binary.LittleEndian, got))
				for i, want := range queryScores(t, e, values) {
					requireSameBits(t, want, got[i], values)
				}
			}
			assert.Zero(t, reader.Len())
		})
	}
}

func buildGoQueries(t *testing.T, folder, source string) []string {
	writeFile(t, filepath.Join(folder, "ranker", "ranker.go"), source)
	writeFile(t, filepath.Join(folder, "go.mod"), "module scorer\n\ngo 1.21\n")
	writeFile(t, filepath.Join(folder, "main.go"), `package main

import (
	"bufio"
	"encoding/binary"
	"os"

	"scorer/ranker"
)

func main() {
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	defer out.Flush()
	var count float64
	for binary.Read(in, binary.LittleEndian, &count) == nil {
		rows := make([][]float64, int(count))
		for i := range rows {
			rows[i] = make([]float64, ranker.NumFeatures)
			binary.Read(in, binary.LittleEndian, rows[i])
		}
		binary.Write(out, binary.LittleEndian, ranker.ScoreQuery(rows))
	}
}
`)
	build := exec.Command("go", "build", "-o", "scorer", ".")
	build.Dir = folder
	text, err := build.CombinedOutput()
	require.NoError(t, err, string(text))
	return []string{filepath.Join(folder, "scorer")}
}

func buildCQueries(t *testing.T, folder, source string) []string {
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler: install cc to have the C export compiled")
	}
	writeFile(t, filepath.Join(folder, "ranker.c"), source)
	writeFile(t, filepath.Join(folder, "main.c"), `#include <stdio.h>
#include "ranker.c"
int main(void)
{
	static double count, rows[100 * RANKER_NUM_FEATURES], scores[100];
	while (fread(&count, sizeof count, 1, stdin) == 1) {
		if (fread(rows, RANKER_NUM_FEATURES * sizeof *rows, (size_t)count, stdin) != (size_t)count || ranker_score_query(rows, (int32_t)count, scores))
			return 1;
		fwrite(scores, sizeof *scores, (size_t)count, stdout);
	}
	return 0;
}
`)
	program := filepath.Join(folder, "scorer")
	text, err := exec.Command(compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O2", "-o", program, filepath.Join(folder, "main.c"), "-lm").CombinedOutput()
	require.NoError(t, err, string(text))
	return []string{program}
}

func buildJavaQueries(t *testing.T, folder, source string) []string {
	compiler, err := exec.LookPath("javac")
	if err != nil {
		t.Skip("no javac: install a JDK to have the Java export compiled")
	}
	files := []string{filepath.Join(folder, "Ranker.java"), filepath.Join(folder, "Main.java")}
	writeFile(t, files[0], source)
	writeFile(t, files[1], `import java.io.*;

class Main {
	static final DataInputStream in = new DataInputStream(new BufferedInputStream(System.in));

	static double next() throws IOException {
		return Double.longBitsToDouble(Long.reverseBytes(in.readLong()));
	}

	public static void main(String[] args) throws Exception {
		DataOutputStream out = new DataOutputStream(new BufferedOutputStream(System.out));
		try {
			while (true) {
				double[][] rows = new double[(int) next()][Ranker.NUM_FEATURES];
				for (double[] row : rows) {
					for (int i = 0; i < row.length; i++) {
						row[i] = next();
					}
				}
				for (double s : Ranker.scoreQuery(rows)) {
					out.writeLong(Long.reverseBytes(Double.doubleToRawLongBits(s)));
				}
			}
		} catch (EOFException end) {
			out.flush();
		}
	}
}
`)
	text, err := exec.Command(compiler, append([]string{"-Xlint:all,-options", "-Werror", "--release", "8", "-d", folder}, files...)...).CombinedOutput()
	require.NoError(t, err, "%s", text)
	return []string{"java", "-cp", folder, "Main"}
}
