package lightgbm_test

import (
	"bytes"
	"encoding/json"
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
	"github.com/lambdamart/lambdamart/io/model/internal/treetest"
	"github.com/lambdamart/lambdamart/test/aid"
	"github.com/lambdamart/lambdamart/tree"
)

// golden holds LightGBM 4.7.0's results for a model: see testdata/generate.py.
type golden struct {
	Rows         [][]treetest.Number
	Score        []treetest.Number
	ScoreFirst3  []treetest.Number `json:"score_first_3"`
	Leaf         [][]int32
	Contribution [][]treetest.Number
}

func (g *golden) flatRows() []float64 {
	var flat []float64
	for _, row := range g.Rows {
		flat = append(flat, treetest.Floats(row)...)
	}
	return flat
}

// goldenNames are the names of the golden models in a folder below testdata, with a slash at its end.
func goldenNames(t testing.TB, folder string) (names []string) {
	paths, err := filepath.Glob("testdata/" + folder + "*.json")
	require.NoError(t, err)
	require.Greater(t, len(paths), 5)
	for _, path := range paths {
		names = append(names, folder+strings.TrimSuffix(filepath.Base(path), ".json"))
	}
	return names
}

// allGolden are the names of the golden models, also of those of version v2 by the LightGBM that wrote it.
func allGolden(t testing.TB) []string { return append(goldenNames(t, ""), goldenNames(t, "v2/")...) }

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

func score(t testing.TB, e *tree.Ensemble, rows []float64, n int) []float64 {
	scores := make([]float64, n)
	require.NoError(t, e.Score(scores, rows))
	return scores
}

func TestScoresEqualLightGBM(t *testing.T) {
	for _, name := range allGolden(t) {
		t.Run(name, func(t *testing.T) {
			e, g := readGolden(t, name)
			rows, n := g.flatRows(), len(g.Rows)
			treetest.SameBits(t, treetest.Floats(g.Score), score(t, e, rows, n))
			if len(g.ScoreFirst3) > 0 {
				treetest.SameBits(t, treetest.Floats(g.ScoreFirst3), score(t, e.Part(0, 3), rows, n))
			}

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

// TestWriteAsLightGBMDoes compares our text with LightGBM's line by line. Only the version, the digits of
// numbers, and the sizes that depend on them may differ. The text is read back as the same model.
func TestWriteAsLightGBMDoes(t *testing.T) {
	for _, name := range goldenNames(t, "") {
		t.Run(name, func(t *testing.T) {
			e, g := readGolden(t, name)
			theirs, err := os.ReadFile("testdata/" + name + ".txt")
			require.NoError(t, err)
			var ours bytes.Buffer
			require.NoError(t, lightgbm.Write(&ours, e))

			want, got := strings.Split(string(theirs), "\n"), strings.Split(ours.String(), "\n")
			require.Len(t, got, len(want))
			for i := range want {
				requireSameLine(t, want[i], got[i])
			}
			back, err := lightgbm.Read(ours.Bytes())
			require.NoError(t, err)
			require.Equal(t, e, back)
			treetest.SameBits(t, treetest.Floats(g.Score), score(t, back, g.flatRows(), len(g.Rows)))
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
	for _, name := range goldenNames(t, "") {
		if name == "linear" || name == "random_forest" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			e, g := readGolden(t, name)
			var text bytes.Buffer
			require.NoError(t, lightgbm.Write(&text, e))
			model, err := leaves.LGEnsembleFromFile(aid.File(t, "model.txt", text.Bytes()), false)
			require.NoError(t, err)
			for _, row := range g.Rows {
				x := treetest.Floats(row)
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
	for _, name := range goldenNames(t, "") {
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
				assert.InDeltaSlice(t, treetest.Floats(want), got[i*width:(i+1)*width], 1e-9)
			}
		})
	}
}
