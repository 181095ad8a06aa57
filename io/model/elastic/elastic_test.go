package elastic

import (
	"bytes"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/io/model/engine"
	"github.com/lambdamart/lambdamart/io/model/internal/treetest"
	"github.com/lambdamart/lambdamart/tree"
)

func stump(d tree.Decision, threshold float64) *tree.Ensemble {
	return treetest.Stump("title", d, threshold)
}

// The text is what eland writes of the same tree (test/check_elastic.py compares whole models with eland's).
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

// What is read scores as what was written, missing values included.
func TestRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		e := treetest.Model{Trees: 3, Leaves: 1 + rng.IntN(8), Features: 3, Missing: true}.Make(rng)
		var text bytes.Buffer
		require.NoError(t, Write(&text, e))
		got, err := Read(&text)
		require.NoError(t, err)
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
			score, err := got.ScoreRow(row)
			require.NoError(t, err)
			require.Equal(t, want, score)
		}
	}
}

// eland writes XGBoost's splits as "lt", and nodes in any order.
func TestReadStrict(t *testing.T) {
	e, err := Read(strings.NewReader(strings.Replace(small, `"lte"`, `"lt"`, 1)))
	require.NoError(t, err)
	for x, want := range map[float64]float64{2.4: -0.5, 2.5: 1} {
		got, err := e.ScoreRow([]float64{x})
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

func TestWriteRefuses(t *testing.T) {
	twice := stump(tree.MissingNone, 1)
	twice.Features = append(twice.Features, twice.Features[0])
	assert.ErrorIs(t, Write(io.Discard, twice), ErrName)
	assert.ErrorIs(t, Write(io.Discard, stump(tree.MissingZero, 1)), engine.ErrZeroMissing)
	average := stump(tree.MissingNone, 1)
	average.Average = true
	assert.ErrorIs(t, Write(io.Discard, average), engine.ErrAverage)
}

func TestReadRefuses(t *testing.T) {
	for _, change := range [][2]string{
		{`"lte"`, `"gt"`}, {`"regression","feature_names":["title"],"trained`, `"classification","feature_names":["title"],"trained`},
		{`"weighted_sum":{}`, `"logistic_regression":{}`}, {`"weighted_sum":{}`, `"weighted_sum":{"weights":[1]}`},
		{`"left_child":1`, `"left_child":0`}, {`"left_child":1`, `"left_child":2`}, {`"left_child":1`, `"left_child":3`}, {`"split_feature":0`, `"split_feature":1`},
		{`"leaf_value":1.0`, `"leaf_value":null`}, {`"leaf_value":1.0`, `"leaf_value":[1,2]`}, {`"node_index":2`, `"node_index":1`},
		{`["title"],"tree_structure"`, `["body"],"tree_structure"`}, {`"feature_names":["title"],"trained`, `"feature_names":[""],"trained`},
		{`[{"node_index":0`, `[],"x":[{"node_index":0`}, {`"threshold":2.5,`, ``},
	} {
		require.Contains(t, small, change[0])
		_, err := Read(strings.NewReader(strings.Replace(small, change[0], change[1], 1)))
		assert.Error(t, err, change)
	}
	_, err := Read(iotest.ErrReader(io.ErrClosedPipe))
	assert.ErrorIs(t, err, io.ErrClosedPipe)
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte(strings.Replace(small, `"lte"`, `"lt"`, 1)))
	f.Add([]byte(strings.Replace(small, `"weighted_sum":{}`, `"weighted_sum":{"weights":[1]}`, 1)))
	treetest.FuzzRead(f, Read)
}
