package vespa

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/io/model/internal/treetest"
	"github.com/lambdamart/lambdamart/tree"
)

func stump(d tree.Decision, threshold float64) *tree.Ensemble {
	return treetest.Stump("bm25(title)", d, threshold)
}

// TestThresholds: x < above(t) equals x <= t at the threshold, next to it, and at its float32 neighbors.
func TestThresholds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	cuts := []float64{0, math.Copysign(0, -1), 5e-324, -5e-324, 1e-35, 1, -1, 0.1, 1e22, -math.MaxFloat64, math.Inf(-1), math.MaxFloat32}
	for range 20_000 {
		cuts = append(cuts, rng.NormFloat64()*math.Exp(20*rng.NormFloat64()))
	}
	for _, cut := range cuts {
		f := float32(cut)
		for _, x := range []float64{
			cut, math.Nextafter(cut, math.Inf(1)), math.Nextafter(cut, math.Inf(-1)), 0, math.Inf(1), math.Inf(-1),
			float64(f), float64(math.Nextafter32(f, 1e38)), float64(math.Nextafter32(f, -1e38)),
		} {
			require.Equal(t, x <= cut, x < above(cut), "%v beside %v", x, cut)
		}
	}
}

func TestDeviates(t *testing.T) {
	for _, cut := range []float64{math.Inf(1), math.MaxFloat64} {
		deviates := Deviates(stump(tree.MissingNaN, cut))
		assert.True(t, deviates(0, math.Inf(1)))
		assert.True(t, deviates(0, math.MaxFloat64))
		assert.False(t, deviates(0, 1e308))
		assert.False(t, deviates(1, math.Inf(1)))
	}
	assert.False(t, Deviates(stump(tree.MissingNaN, 1))(0, math.Inf(1)))
}

func TestWrite(t *testing.T) {
	var text bytes.Buffer
	require.NoError(t, Write(&text, stump(tree.MissingNone, 2.5)))
	assert.Equal(t, `{"form":"lambdamart for vespa 1","objective":"lambdarank","feature_names":["bm25(title)"],"feature_infos":{},"pandas_categorical":[],"tree_info":[
{"tree_structure":{"split_feature":0,"threshold":2.5000000000000004,"decision_type":"\u003c","default_left":true,"left_child":{"leaf_value":-0.5},"right_child":{"leaf_value":1.0}}}]}
`, text.String())
	text.Reset()
	require.NoError(t, Write(&text, &tree.Ensemble{Features: []tree.Feature{{Name: "a"}}}))
	assert.Contains(t, text.String(), `{"tree_structure":{"leaf_value":0.0}}`)
}

// structure is a node or leaf as Vespa reads it.
type structure struct {
	Leaf        *float64 `json:"leaf_value"`
	Feature     int      `json:"split_feature"`
	Threshold   float64
	DefaultLeft bool       `json:"default_left"`
	Left        *structure `json:"left_child"`
	Right       *structure `json:"right_child"`
}

// score compares values as the package documentation says that Vespa does.
func (s *structure) score(row []float64) float64 {
	for s.Leaf == nil {
		x := row[s.Feature]
		left := x < s.Threshold
		if s.DefaultLeft {
			left = !(x >= s.Threshold)
		}
		if left {
			s = s.Left
		} else {
			s = s.Right
		}
	}
	return *s.Leaf
}

// TestScores: the written expression scores like the model, also with missing values.
func TestScores(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		m := treetest.Model{Trees: 3, Leaves: 1 + rng.IntN(8), Features: 3, Missing: true}
		e := m.Make(rng)
		deviates := Deviates(e)
		var text bytes.Buffer
		require.NoError(t, Write(&text, e))
		var got struct {
			Trees []struct {
				Root structure `json:"tree_structure"`
			} `json:"tree_info"`
		}
		require.NoError(t, json.Unmarshal(text.Bytes(), &got))
		for range 50 {
			row := m.Row(rng, e)
			for f, x := range row {
				if deviates(f, x) {
					row[f] = 0
				}
			}
			want, err := e.ScoreRow(row)
			require.NoError(t, err)
			sum := 0.0
			for i := range got.Trees {
				sum += got.Trees[i].Root.score(row)
			}
			require.Equal(t, want, sum, "%v", row)
		}
	}
}

// TestNames: only names of rank features may be in the expression.
func TestNames(t *testing.T) {
	for _, name := range []string{"a", "Column_3", "bm25(title)", "attribute(price)", "query(age)", "fieldMatch(title).queryCompleteness", "term(0).weight",
		"closeness(field,embedding)", "firstPhase", "a(b.c,2).d.e", "foo(0.5)"} {
		assert.True(t, isFeature(name), name)
	}
	for _, name := range []string{"", "1a", "a b", "a+b", "a < 1, 0, 1) + if (a", "a(b", "a(b))", "a()", "a(b)c", "a.", "a..b", ".a", "a(b,)", "a(b+c)", "if", "log(a)", "isNan",
		"a(b.)", "ä", "a\n", "a#", "\"a\"", "a(if)", "a-b", "in", "true"} {
		assert.False(t, isFeature(name), name)
		e := stump(tree.MissingNone, 1)
		e.Features[0].Name = name
		assert.ErrorIs(t, Write(io.Discard, e), ErrName, name)
	}
}

func TestWriteRefusesDepth(t *testing.T) {
	assert.NoError(t, Write(io.Discard, treetest.Chain("a", MaxDepth)))
	assert.ErrorIs(t, Write(io.Discard, treetest.Chain("a", MaxDepth+1)), ErrDepth)
}
