package elastic

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
	return treetest.Stump("title", d, threshold)
}

// small is the text that eland writes for the same tree. (test/check_elastic.py compares whole models with
// eland's.)
const small = `{"trained_model":{"ensemble":{"target_type":"regression","feature_names":["title"],"trained_models":[
{"tree":{"target_type":"regression","feature_names":["title"],"tree_structure":[{"node_index":0,"decision_type":"lte","left_child":1,"right_child":2,"split_feature":0,"threshold":2.5,"default_left":true},{"node_index":1,"leaf_value":-0.5},{"node_index":2,"leaf_value":1.0}]}}],"aggregate_output":{"weighted_sum":{}}}}}
`

func TestWrite(t *testing.T) {
	var text bytes.Buffer
	require.NoError(t, Write(&text, stump(tree.MissingNone, 2.5)))
	assert.Equal(t, small, text.String())
	assert.True(t, Is(text.Bytes()))
	text.Reset()
	require.NoError(t, Write(&text, &tree.Ensemble{Features: []tree.Feature{{Name: "a"}}}))
	assert.Contains(t, text.String(), `"tree_structure":[{"node_index":0,"leaf_value":0.0}]`)
	text.Reset()
	require.NoError(t, Write(&text, stump(tree.MissingNaN, math.Inf(1))))
	assert.Contains(t, text.String(), `"threshold":1.7976931348623157e+308,"default_left":false`)
}

// definition is the part of a file that Elasticsearch reads.
type definition struct {
	Trained struct {
		Ensemble struct {
			Trees []struct {
				Tree struct {
					Nodes []node `json:"tree_structure"`
				}
			} `json:"trained_models"`
		}
	} `json:"trained_model"`
}

type node struct {
	Leaf        *float64 `json:"leaf_value"`
	Left        int      `json:"left_child"`
	Right       int      `json:"right_child"`
	Feature     int      `json:"split_feature"`
	Threshold   float64
	DefaultLeft bool `json:"default_left"`
}

// score scores as the package documentation says that Elasticsearch does, but without the compensated sum.
func (d *definition) score(row []float64) (sum float64) {
	for _, one := range d.Trained.Ensemble.Trees {
		n := one.Tree.Nodes[0]
		for n.Leaf == nil {
			x := row[n.Feature]
			if x <= n.Threshold || math.IsNaN(x) && n.DefaultLeft {
				n = one.Tree.Nodes[n.Left]
			} else {
				n = one.Tree.Nodes[n.Right]
			}
		}
		sum += *n.Leaf
	}
	return sum
}

// TestScores: the written file scores like the model, also with missing values.
func TestScores(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		e := treetest.Model{Trees: 3, Leaves: 1 + rng.IntN(8), Features: 3, Missing: true}.Make(rng)
		var text bytes.Buffer
		require.NoError(t, Write(&text, e))
		var got definition
		require.NoError(t, json.Unmarshal(text.Bytes(), &got))
		for range 50 {
			row := make([]float64, len(e.Features))
			for f := range row {
				row[f] = rng.NormFloat64()
				if rng.IntN(4) == 0 {
					row[f] = math.NaN()
				}
			}
			want, err := e.ScoreRow(row)
			require.NoError(t, err)
			require.Equal(t, want, got.score(row))
		}
	}
}

func TestWriteRefusesNames(t *testing.T) {
	assert.ErrorIs(t, Write(io.Discard, treetest.Stump("", tree.MissingNone, 1)), ErrName)
}
