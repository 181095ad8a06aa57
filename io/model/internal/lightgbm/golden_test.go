package lightgbm_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dmitryikh/leaves"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/io/model/internal/lightgbm"
	"github.com/lambdamart/lambdamart/tree"
)

// golden holds LightGBM 4.7.0's results for a model: see testdata/generate.py.
type golden struct {
	Rows         [][]number
	Score        []number
	ScoreFirst3  []number `json:"score_first_3"`
	Leaf         [][]int32
	Contribution [][]number
}

// number is a float64 that JSON writes as a string if it is not finite.
type number float64

func (n *number) UnmarshalJSON(text []byte) error {
	v, err := strconv.ParseFloat(strings.Trim(string(text), `"`), 64)
	*n = number(v)
	return err
}

func floats(values []number) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = float64(v)
	}
	return out
}

func (g *golden) flatRows() []float64 {
	var flat []float64
	for _, row := range g.Rows {
		flat = append(flat, floats(row)...)
	}
	return flat
}

func goldenNames(t testing.TB) []string {
	paths, err := filepath.Glob("testdata/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	var names []string
	for _, path := range paths {
		names = append(names, strings.TrimSuffix(filepath.Base(path), ".json"))
	}
	return names
}

func readGolden(t testing.TB, name string) (*tree.Ensemble, *golden) {
	model, err := os.ReadFile("testdata/" + name + ".txt")
	require.NoError(t, err)
	e, err := lightgbm.Read(model)
	require.NoError(t, err)
	text, err := os.ReadFile("testdata/" + name + ".json")
	require.NoError(t, err)
	g := &golden{}
	require.NoError(t, json.Unmarshal(text, g))
	return e, g
}

// requireSameBits compares bits, so -0 differs from 0, except that all NaNs are equal.
func requireSameBits(t testing.TB, want, got []float64) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		if math.IsNaN(want[i]) && math.IsNaN(got[i]) {
			continue
		}
		require.Equalf(t, math.Float64bits(want[i]), math.Float64bits(got[i]), "value %d: want %v, got %v", i,
			want[i], got[i])
	}
}

func score(t testing.TB, e *tree.Ensemble, rows []float64, n int) []float64 {
	scores := make([]float64, n)
	require.NoError(t, e.Score(scores, rows))
	return scores
}

func TestScoresEqualLightGBM(t *testing.T) {
	for _, name := range goldenNames(t) {
		t.Run(name, func(t *testing.T) {
			e, g := readGolden(t, name)
			rows, n := g.flatRows(), len(g.Rows)
			requireSameBits(t, floats(g.Score), score(t, e, rows, n))
			requireSameBits(t, floats(g.ScoreFirst3), score(t, e.Part(0, 3), rows, n))

			got := make([]int32, n*len(e.Trees))
			require.NoError(t, e.Leaves(got, rows, n))
			var want []int32
			for _, row := range g.Leaf {
				want = append(want, row...)
			}
			require.Equal(t, want, got)
		})
	}
}

func TestWriteThenRead(t *testing.T) {
	for _, name := range goldenNames(t) {
		t.Run(name, func(t *testing.T) {
			e, g := readGolden(t, name)
			var first, second bytes.Buffer
			require.NoError(t, lightgbm.Write(&first, e))
			back, err := lightgbm.Read(first.Bytes())
			require.NoError(t, err)
			require.Equal(t, e, back)
			require.NoError(t, lightgbm.Write(&second, back))
			require.Equal(t, first.String(), second.String())
			requireSameBits(t, floats(g.Score), score(t, back, g.flatRows(), len(g.Rows)))
		})
	}
}

// TestWriteAsLightGBMDoes compares our text with LightGBM's line by line. Only the version, the digits of
// numbers, and the sizes that depend on them may differ.
func TestWriteAsLightGBMDoes(t *testing.T) {
	for _, name := range goldenNames(t) {
		t.Run(name, func(t *testing.T) {
			e, _ := readGolden(t, name)
			theirs, err := os.ReadFile("testdata/" + name + ".txt")
			require.NoError(t, err)
			var ours bytes.Buffer
			require.NoError(t, lightgbm.Write(&ours, e))

			want, got := strings.Split(string(theirs), "\n"), strings.Split(ours.String(), "\n")
			require.Len(t, got, len(want))
			for i := range want {
				requireSameLine(t, want[i], got[i])
			}
		})
	}
}

func requireSameLine(t *testing.T, want, got string) {
	wantKey, wantValue, _ := strings.Cut(want, "=")
	key, value, _ := strings.Cut(got, "=")
	require.Equal(t, wantKey, key)
	if key == "version" || key == "tree_sizes" {
		return
	}
	wantWords, words := strings.Fields(wantValue), strings.Fields(value)
	if len(wantWords) == 0 && (key == "leaf_weight" || key == "leaf_count") {
		require.Equal(t, "0", value) // LightGBM omits the weight of a lone leaf
		return
	}
	require.Len(t, words, len(wantWords), got)
	for i := range words {
		a, errA := strconv.ParseFloat(wantWords[i], 64)
		b, errB := strconv.ParseFloat(words[i], 64)
		if errA != nil || errB != nil {
			require.Equal(t, wantWords[i], words[i])
			continue
		}
		require.Equal(t, a, b, key)
	}
}

// TestLeavesReadsOurText: github.com/dmitryikh/leaves computes the same scores. Models and values that it
// treats differently are excluded: it ignores linear leaves, averages only with transformations, and does
// not treat exactly 1e-35f as missing.
func TestLeavesReadsOurText(t *testing.T) {
	for _, name := range goldenNames(t) {
		if name == "linear" || name == "random_forest" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			e, g := readGolden(t, name)
			var text bytes.Buffer
			require.NoError(t, lightgbm.Write(&text, e))
			path := filepath.Join(t.TempDir(), "model.txt")
			require.NoError(t, os.WriteFile(path, text.Bytes(), 0o666))
			model, err := leaves.LGEnsembleFromFile(path, false)
			require.NoError(t, err)
			for _, row := range g.Rows {
				x := floats(row)
				if slices.Contains(x, tree.ZeroThreshold) {
					continue
				}
				want, err := e.ScoreRow(x)
				require.NoError(t, err)
				assert.Equal(t, want, model.PredictSingle(x, 0))
			}
		})
	}
}

// TestContributionsEqualLightGBM: contributions are equal up to rounding. For random forests, LightGBM does
// not divide them by the number of trees.
func TestContributionsEqualLightGBM(t *testing.T) {
	for _, name := range goldenNames(t) {
		e, g := readGolden(t, name)
		if name == "linear" {
			require.Empty(t, g.Contribution)
			continue
		}
		t.Run(name, func(t *testing.T) {
			e.Average = false
			n, width := len(g.Rows), e.NumFeatures()+1
			got := make([]float64, n*width)
			require.NoError(t, e.Contributions(got, g.flatRows(), n))
			require.Len(t, g.Contribution, n)
			for i, want := range g.Contribution {
				assert.InDeltaSlice(t, floats(want), got[i*width:(i+1)*width], 1e-9)
			}
		})
	}
}
