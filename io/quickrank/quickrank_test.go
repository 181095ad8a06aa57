package quickrank_test

import (
	_ "embed"
	"errors"
	"math"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/io/quickrank"
	"github.com/lambdamart/lambdamart/tree"
)

// example has the elements, and their order, that QuickRank's Mart::get_xml_model,
// Ensemble::append_xml_model and RTNode::append_xml_model write (hpclab/quickrank,
// 2018), indented as pugixml does. It was written by hand.
//
//go:embed testdata/example.xml
var example string

func read(text string) (*tree.Ensemble, error) { return quickrank.Read(strings.NewReader(text)) }

// naive scores as RTNode::score_instance and Ensemble::score_instance do, on float32
// features that count from 0.
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
	e, err := read(example)
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
		old, new string // replaced once in example
		want     error
		line     int
		tree     int
	}{
		{example, "", quickrank.ErrTruncated, 1, -1},
		{">LAMBDAMART<", ">LINESEARCH<", quickrank.ErrUnsupported, 14, -1},
		{"<type>LAMBDAMART</type>", "", quickrank.ErrUnsupported, 14, -1},
		{"<ranker>", "<model>", quickrank.ErrFormat, 2, -1},
		{"<trees>2</trees>", "more", quickrank.ErrFormat, 6, -1},
		{"<trees>2</trees>", "<trees><n/></trees>", quickrank.ErrFormat, 5, -1},
		{">3</feature>", ">-1</feature>", quickrank.ErrNumber, 18, 0},
		{">0.699999988<", ">x<", quickrank.ErrNumber, 19, 0},
		{">2</output>", ">1e999</output>", quickrank.ErrNumber, 30, 0},
		{"</ranker>", "", quickrank.ErrTruncated, 42, -1},
		{"</ranker>", "</ranker><ranker/>", quickrank.ErrFormat, 41, -1},
		{"<ensemble>", "<ensemble/><ensemble>", quickrank.ErrFormat, 15, -1},
	} {
		require.Contains(t, example, c.old)
		_, err := read(strings.Replace(example, c.old, c.new, 1))
		assert.ErrorIs(t, err, c.want, c.new)
		var fault *quickrank.Error
		if assert.ErrorAs(t, err, &fault, c.new) {
			assert.Equal(t, []int{c.line, c.tree}, []int{fault.Line, fault.Tree}, "%s: %v", c.new, err)
		}
	}
}

func TestReadPassesOnTheErrorOfTheReader(t *testing.T) {
	broken := errors.New("broken")
	_, err := quickrank.Read(iotest.ErrReader(broken))
	assert.ErrorIs(t, err, broken)
	_, err = quickrank.ReadFile("absent.xml")
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func FuzzRead(f *testing.F) {
	f.Add(example)
	f.Fuzz(func(t *testing.T, text string) {
		e, err := read(text)
		if err != nil {
			var fault *quickrank.Error
			require.ErrorAs(t, err, &fault)
			return
		}
		require.NoError(t, e.Validate())
	})
}
