package xgboost_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/treetest"
	"github.com/lambdamart/lambdamart/io/model/internal/xgboost"
	"github.com/lambdamart/lambdamart/tree"
)

// golden holds the results of XGBoost 1.7.6 or 3.2.0 for a model: see testdata/generate.py.
type golden struct {
	Rows   [][]treetest.Number
	Margin []float32
}

func goldenNames(t testing.TB) []string {
	paths, err := filepath.Glob("testdata/*.golden")
	require.NoError(t, err)
	require.Len(t, paths, 20)
	var names []string
	for _, path := range paths {
		names = append(names, strings.TrimSuffix(filepath.Base(path), ".golden"))
	}
	return names
}

func readGolden(t testing.TB, name string) *golden {
	text, err := os.ReadFile("testdata/" + name + ".golden")
	require.NoError(t, err)
	g := &golden{}
	require.NoError(t, json.Unmarshal(text, g))
	return g
}

func readFile(t testing.TB, name string) *tree.Ensemble {
	data, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	e, err := xgboost.Read(data)
	require.NoError(t, err)
	return e
}

// tolerance returns the bound that the package documentation states.
func tolerance(e *tree.Ensemble) float64 {
	sum := 0.0
	for i := range e.Trees {
		most := 0.0
		for _, v := range e.Trees[i].LeafValue {
			most = max(most, math.Abs(v))
		}
		sum += most
	}
	return float64(len(e.Trees)+1) * 0x1p-24 * sum
}

// TestScoresEqualXGBoost: scores are equal in every bit if leaves are summed as in XGBoost. In dart models
// the last bits differ, because XGBoost multiplies tree weights in float32.
func TestScoresEqualXGBoost(t *testing.T) {
	for _, name := range goldenNames(t) {
		for _, ending := range []string{".json", ".ubj"} {
			t.Run(name+ending, func(t *testing.T) {
				e, g := readFile(t, name+ending), readGolden(t, name)
				for i, want := range g.Margin {
					score, err := e.ScoreRow(treetest.Floats(g.Rows[i]))
					require.NoError(t, err)
					assert.InDelta(t, want, score, tolerance(e), "row %d", i)
					if !strings.Contains(name, "dart") {
						assert.Equal(t, want, treetest.Sum32(e, treetest.Floats(g.Rows[i])), "row %d", i)
					}
				}
			})
		}
	}
}

// TestFormsHoldTheSameModel: JSON and UBJSON give the same model, and dumps give its trees without base
// score, names and statistics.
func TestFormsHoldTheSameModel(t *testing.T) {
	for _, name := range goldenNames(t) {
		t.Run(name, func(t *testing.T) {
			model := readFile(t, name+".json")
			require.Equal(t, model, readFile(t, name+".ubj"))
			if strings.Contains(name, "dart") {
				return // dumps have no weights
			}
			trees := model.Trees
			if trees[0].NumNodes() == 0 {
				trees = trees[1:] // without the base score
			}
			for i, ending := range []string{".dump0", ".dump1"} {
				dump := readFile(t, name+ending)
				require.Len(t, dump.Trees, len(trees))
				for j := range trees {
					assert.Equal(t, trees[j].Feature, dump.Trees[j].Feature)
					assert.Equal(t, trees[j].Threshold, dump.Trees[j].Threshold)
					assert.Equal(t, trees[j].Decision, dump.Trees[j].Decision)
					assert.Equal(t, trees[j].Left, dump.Trees[j].Left)
					assert.Equal(t, trees[j].LeafValue, dump.Trees[j].LeafValue)
					if i == 1 {
						assert.Equal(t, trees[j].Gain, dump.Trees[j].Gain)
						assert.Equal(t, trees[j].LeafWeight, dump.Trees[j].LeafWeight)
					}
				}
			}
		})
	}
}

// TestWriteThenRead: a model that is written and read back sends every row to the same leaves, and its
// scores equal XGBoost's in every bit.
func TestWriteThenRead(t *testing.T) {
	for _, name := range goldenNames(t) {
		for _, form := range []xgboost.Form{xgboost.Dump, xgboost.JSON} {
			e, g := readFile(t, name+".json"), readGolden(t, name)
			var text bytes.Buffer
			require.NoError(t, xgboost.Write(&text, e, form))
			back, err := xgboost.Read(text.Bytes())
			require.NoError(t, err)
			require.Len(t, back.Trees, len(e.Trees))
			for i := range g.Rows {
				row := treetest.Floats(g.Rows[i])
				if !strings.Contains(name, "dart") {
					require.Equal(t, g.Margin[i], treetest.Sum32(back, row))
				}
				require.InDelta(t, g.Margin[i], treetest.Sum32(back, row), 2*tolerance(e))
			}
		}
	}
}

func TestRefusedByName(t *testing.T) {
	paths, err := filepath.Glob("testdata/*refused*")
	require.NoError(t, err)
	require.Len(t, paths, 7)
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		_, err = xgboost.Read(data)
		assert.ErrorIs(t, err, document.ErrUnsupported, path)
		assert.ErrorContains(t, err, map[string]string{
			"linear": `booster "gblinear"`, "classes": "num_class=3", "targets": "num_target=2",
			"vectors": "num_target=2",
		}[strings.TrimSuffix(path[strings.LastIndex(path, "-")+1:], ".json")])
	}
}

// TestCategoriesWriteThenRead: a model of XGBoost with categorical splits scores the same after it was
// written. The sizes of 3.2.0's trees grow, since a missing value goes with the categories.
func TestCategoriesWriteThenRead(t *testing.T) {
	for _, version := range []string{"1.7.6", "3.2.0"} {
		e := readFile(t, version+"-categories.json")
		assert.Positive(t, len(e.Trees[len(e.Trees)-1].CategoryStart), version)
		var text bytes.Buffer
		require.NoError(t, xgboost.Write(&text, e, xgboost.JSON))
		back, err := xgboost.Read(text.Bytes())
		require.NoError(t, err)
		for i := range 200 {
			row := []float64{float64(i%3) - 1, float64(i%5) - 2, float64(i%7) - 3, float64(i % 23)}
			if i%10 == 0 {
				row[i/10%4] = math.NaN()
			}
			want, err := e.ScoreRow(row)
			require.NoError(t, err)
			got, err := back.ScoreRow(row)
			require.NoError(t, err)
			require.InDelta(t, want, got, 1e-6, "%v", row)
		}
	}
}

// TestCategoriesTooLarge: XGBoost has categories as float32.
func TestCategoriesTooLarge(t *testing.T) {
	e := stump("a", 0)
	e.Trees[0].Decision[0], e.Trees[0].CategoryStart = tree.Categorical, []int32{0, xgboost.MaxCategory/32 + 1}
	e.Trees[0].Categories = make([]uint32, xgboost.MaxCategory/32+1)
	e.Trees[0].Categories[xgboost.MaxCategory/32] = 1 << 31
	require.NoError(t, xgboost.Capabilities(xgboost.JSON).Check(e))
	e.Trees[0].Categories = append(e.Trees[0].Categories, 1)
	e.Trees[0].CategoryStart[1]++
	assert.EqualError(t, xgboost.Capabilities(xgboost.JSON).Check(e),
		"XGBoost cannot hold this model: tree 0, node 0 has a category that is too large (feature 0 has category "+
			"16777216; at most 16777215)")
}
