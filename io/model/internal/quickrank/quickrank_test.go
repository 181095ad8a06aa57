package quickrank_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/io/model/internal/fault"
	"github.com/lambdamart/lambdamart/io/model/internal/quickrank"
	"github.com/lambdamart/lambdamart/io/model/internal/treexml"
	"github.com/lambdamart/lambdamart/tree"
)

// small is a model in the format that QuickRank writes.
const small = `<?xml version="1.0"?>
<ranker>
	<info>
		<type>LAMBDAMART</type>
		<trees>2</trees>
		<leaves>3</leaves>
		<shrinkage>0.10000000000000001</shrinkage>
		<leafsupport>1</leafsupport>
		<discretization>0</discretization>
		<estop>100</estop>
		<subsample>1</subsample>
		<max_features>1</max_features>
		<collapse_leaves_factor>0</collapse_leaves_factor>
	</info>
	<ensemble>
		<tree id="1" weight="0.10000000000000001">
			<split>
				<feature>3</feature>
				<threshold>0.699999988</threshold>
				<split pos="left">
					<output>-1.3999999999999999</output>
				</split>
				<split pos="right">
					<feature>1</feature>
					<threshold>-2.5</threshold>
					<split pos="left">
						<output>0.29999999999999999</output>
					</split>
					<split pos="right">
						<output>2</output>
					</split>
				</split>
			</split>
		</tree>
		<tree id="2" weight="0.29999999999999999">
			<split>
				<output>0.69999999999999996</output>
			</split>
		</tree>
	</ensemble>
</ranker>
`

func read(text string) (*tree.Ensemble, error) { return quickrank.Read([]byte(text)) }

// TestScoresEqualQuickRank: scores are equal in every bit; see testdata/generate.py.
func TestScoresEqualQuickRank(t *testing.T) {
	text, err := os.ReadFile("testdata/example.xml")
	require.NoError(t, err)
	e, err := read(string(text))
	require.NoError(t, err)
	require.Len(t, e.Trees, 12)
	rows, err := os.ReadFile("testdata/example.rows")
	require.NoError(t, err)
	scores, err := os.ReadFile("testdata/example.scores")
	require.NoError(t, err)
	want := strings.Fields(string(scores))
	require.NotEmpty(t, want)
	i := 0
	for line := range strings.Lines(string(rows)) {
		row := []float64{9} // column 0 is not used
		for _, word := range strings.Fields(line) {
			v, err := strconv.ParseFloat(word, 64)
			require.NoError(t, err)
			row = append(row, v)
		}
		got, err := e.ScoreRow(row)
		require.NoError(t, err)
		require.Equal(t, want[i], fmt.Sprintf("%.17g", got), "row %d", i)
		i++
	}
	require.Len(t, want, i)
}

// naive scores as QuickRank's RTNode::score_instance and Ensemble::score_instance do, on float32 features
// numbered from 0.
func naive(d []float32) float64 {
	weights, outputs := []float64{0.1, 0.3}, []float64{-1.4, 0.7}
	if !(d[2] <= 0.699999988) {
		outputs[0] = 2
		if d[0] <= -2.5 {
			outputs[0] = 0.3
		}
	}
	sum := 0.0
	for i := range weights {
		sum += float64(outputs[i] * weights[i])
	}
	return sum
}

func TestScoresAsQuickRank(t *testing.T) {
	e, err := read(small)
	require.NoError(t, err)
	assert.Equal(t, "lambdarank", e.Objective)
	require.Equal(t, 4, e.NumFeatures())
	nan, below, above := math.NaN(), math.Nextafter(0.7, 0), math.Nextafter(0.7, 1)
	for _, x := range [][]float64{
		{0, 0, 0}, {0, 0, 0.7}, {0, 0, below}, {0, 0, above}, {0, 0, float64(float32(0.7))}, {-3, 0, 0.70000004}, {-2.5, 0, 1},
		{-2.4999999999, 0, 1}, {-2.4999998, 0, 1}, {nan, 0, 1}, {0, 0, nan}, {-3, nan, nan}, {math.Inf(1), 0, math.Inf(-1)},
	} {
		got, err := e.ScoreRow(append([]float64{9}, x...))
		require.NoError(t, err)
		assert.Equal(t, naive([]float32{float32(x[0]), float32(x[1]), float32(x[2])}), got, "%v", x)
	}
}

func TestReadFaults(t *testing.T) {
	for _, c := range []struct {
		old, new string // replaced once in small
		want     error
		line     int
		tree     int
	}{
		{small, "", fault.ErrTruncated, 1, -1},
		{">LAMBDAMART<", ">LINESEARCH<", quickrank.ErrUnsupported, 14, -1},
		{"<type>LAMBDAMART</type>", "", quickrank.ErrUnsupported, 14, -1},
		{"<ranker>", "<model>", treexml.ErrModel, 2, -1},
		{"<trees>2</trees>", "more", treexml.ErrModel, 6, -1},
		{"<trees>2</trees>", "<trees><n/></trees>", treexml.ErrModel, 5, -1},
		{">3</feature>", ">-1</feature>", fault.ErrNumber, 18, 0},
		{">0.699999988<", ">x<", fault.ErrNumber, 19, 0},
		{">2</output>", ">1e999</output>", fault.ErrNumber, 30, 0},
		{"</ranker>", "", fault.ErrTruncated, 42, -1},
		{"</ranker>", "</ranker><ranker/>", treexml.ErrModel, 41, -1},
		{"<ensemble>", "<ensemble/><ensemble>", treexml.ErrModel, 15, -1},
	} {
		require.Contains(t, small, c.old)
		_, err := read(strings.Replace(small, c.old, c.new, 1))
		assert.ErrorIs(t, err, c.want, c.new)
		var located *treexml.Error
		if assert.ErrorAs(t, err, &located, c.new) {
			assert.Equal(t, []int{c.line, c.tree}, []int{located.Line, located.Tree}, "%s: %v", c.new, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(small)
	f.Fuzz(func(t *testing.T, text string) {
		e, err := read(text)
		if err != nil {
			require.True(t, errors.Is(err, fault.ErrFormat) || errors.Is(err, quickrank.ErrUnsupported), "%v", err)
			return
		}
		require.NoError(t, e.Validate())
	})
}
