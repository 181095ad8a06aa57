package ranklib_test

import (
	"bytes"
	"errors"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/ranklib"
	"github.com/lambdamart/lambdamart/io/model/internal/treetest"
	"github.com/lambdamart/lambdamart/tree"
)

func read(text string) (*tree.Ensemble, error) { return ranklib.Read([]byte(text)) }

// rows returns the rows of testdata/rows.txt: feature n of the file is column n.
func rows(t testing.TB) [][]float64 {
	text, err := os.ReadFile("testdata/rows.txt")
	require.NoError(t, err)
	var rows [][]float64
	for line := range strings.Lines(string(text)) {
		row := make([]float64, 5)
		for _, word := range strings.Fields(line)[2:] {
			number, value, _ := strings.Cut(word, ":")
			i, err := strconv.Atoi(number)
			require.NoError(t, err)
			row[i], err = strconv.ParseFloat(value, 64)
			require.NoError(t, err)
		}
		rows = append(rows, row)
	}
	return rows
}

// scores returns RankLib's scores: see testdata/generate.py.
func scores(t testing.TB, name string) []float32 {
	text, err := os.ReadFile("testdata/" + name + ".scores")
	require.NoError(t, err)
	var scores []float32
	for line := range strings.Lines(string(text)) {
		v, err := strconv.ParseFloat(strings.Fields(line)[2], 64)
		require.NoError(t, err)
		require.Equal(t, v, float64(float32(v)), "RankLib's scores are float32")
		scores = append(scores, float32(v))
	}
	return scores
}

func readFile(t *testing.T, path string) (*tree.Ensemble, error) {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return read(string(text))
}

func TestScoresEqualRankLib(t *testing.T) {
	for name, objective := range map[string]string{"lambdamart": "lambdarank", "mart": "regression"} {
		e, err := readFile(t, "testdata/"+name+".txt")
		require.NoError(t, err)
		assert.Equal(t, objective, e.Objective)
		require.Len(t, e.Trees, 5)
		want := scores(t, name)
		require.Len(t, rows(t), len(want))
		for i, row := range rows(t) {
			row = row[:e.NumFeatures()]
			assert.Equal(t, want[i], treetest.Sum32(e, row), "%s, row %d", name, i)
			score, err := e.ScoreRow(row)
			require.NoError(t, err)
			assert.InDelta(t, want[i], score, 1e-6)
		}
	}
}

// small is a model in RankLib's own indented format.
const small = `## LambdaMART
## No. of trees = 1

<ensemble>
	<tree id="1" weight="0.5">
		<split>
			<feature> 2 </feature>
			<threshold> 0.7 </threshold>
			<split pos="left">
				<output> -1 </output>
			</split>
			<split pos="right">
				<output> 2 </output>
			</split>
		</split>
	</tree>
</ensemble>
`

// TestReadForms covers indentation by tabs, by spaces and none, a missing header, and Windows line ends.
func TestReadForms(t *testing.T) {
	want, err := read(small)
	require.NoError(t, err)
	assert.Equal(t, []float64{-0.5, 1}, want.Trees[0].LeafValue)
	for x, score := range map[float64]float64{0.7: -0.5, float64(float32(0.7)): -0.5, 0.7000001: 1, 0: -0.5,
		math.NaN(): -0.5} {
		got, err := want.ScoreRow([]float64{9, 9, x})
		require.NoError(t, err)
		assert.Equal(t, score, got, "%v; 0.7 is above the float32 0.7, but rounded to it", x)
	}
	for _, text := range []string{
		strings.ReplaceAll(small, "\t", " "), strings.NewReplacer("\t", "", " <", "<", "> ", ">").Replace(small),
		strings.ReplaceAll(small, "\n", "\r\n"),
		strings.ReplaceAll(small, "\n\t", ""), strings.TrimSpace(small), "\n\n" + small,
		strings.Replace(small, "id=\"1\"", "", 1),
		strings.Replace(small, "<ensemble>", "<!-- a comment --><ensemble>", 1),
	} {
		got, err := read(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got)
	}
	bare, err := read(small[strings.Index(small, "<"):])
	require.NoError(t, err)
	assert.Equal(t, want.Trees, bare.Trees)
}

// TestWrite: the text has no indentation, which older plug-ins do not load, and gives the ordinal
// of column 0.
func TestWrite(t *testing.T) {
	e, err := read(small)
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, ranklib.Write(&text, e, 1))
	assert.Equal(t, `## LambdaMART
## No. of trees = 1
## No. of leaves = 2
## Ordinal of column 0 = 1

<ensemble>
<tree id="1" weight="1">
<split>
<feature>3</feature>
<threshold>0.7</threshold>
<split pos="left">
<output>-0.5</output>
</split>
<split pos="right">
<output>1</output>
</split>
</split>
</tree>
</ensemble>
`, text.String())
	back, err := read(text.String())
	require.NoError(t, err)
	assert.Equal(t, e, back)
}

func TestReadFaults(t *testing.T) {
	deep := strings.Repeat(`<feature>1</feature><threshold>1</threshold><split pos="left">`, 12000)
	for _, c := range []struct {
		old, new string // replaced once in small
		want     error
		where    string
	}{
		{small, "", document.ErrTruncated, "line 1, column 1: "},
		{"## LambdaMART", "## Random Forests", ranklib.ErrUnsupported, "line 1, column 1: "},
		{"## No. of trees = 1", "## Ordinal of column 0 = x", document.ErrNumber,
			`line 2, column 1: bad number: "x"`},
		{"## No. of trees = 1", "## Ordinal of column 0 = 3", ranklib.ErrOrdinal, "tree 0: "},
		{"<ensemble>", "<forest>", ranklib.ErrModel, "line 4, column 9: "},
		{"<tree id=\"1\" weight=\"0.5\">", "<bush>", ranklib.ErrModel, "line 5, column 8: not a model: <bush>"},
		{" weight=\"0.5\"", "", ranklib.ErrModel, "line 16, "},
		{"weight=\"0.5\"", "weight=\"x\"", document.ErrNumber, `line 5, column 26: bad number: "x"`},
		{"weight=\"0.5\"", "weight=\"1e39\"", document.ErrNumber, "line 5, "},
		{"> 2 </feature>", "> 0 </feature>", document.ErrNumber,
			`line 7, column 26: bad number: feature "0", want 1 to 1048575`},
		{"> 2 </feature>", "> 2000000 </feature>", document.ErrNumber, "line 7, "},
		{"> 2 </feature>", "></feature>", document.ErrNumber, "line 7, "},
		{"> 2 </feature>", "> <b>2</b> </feature>", document.ErrNumber, "line 7, "},
		{"> 0.7 <", "> NaN <", document.ErrNumber, "line 8, "},
		{"<threshold> 0.7 </threshold>", "", ranklib.ErrModel, "line 16, "},
		{"<threshold>", "0.7 <threshold>", ranklib.ErrModel, `line 15, column 11: not a model: "0.7"`},
		{"pos=\"left\"", "pos=\"right\"", ranklib.ErrModel, "line 16, "},
		{"pos=\"left\"", "", ranklib.ErrModel, "line 16, "},
		{"> -1 <", "> NaN <", document.ErrNumber, "line 10, "},
		{"> -1 <", "> Inf <", ranklib.ErrModel, "tree 0: LeafValue[0]: +Inf is not finite"},
		{"<output> -1 </output>", "", ranklib.ErrModel, "line 16, "},
		{"<output> -1 </output>", "<output> -1 </output><output> -1 </output>", ranklib.ErrModel, "line 16, "},
		{"</ensemble>", "", document.ErrTruncated, "line 18, "},
		{"</ensemble>", "</ensemble><ensemble></ensemble>", ranklib.ErrModel, "line 17, "},
		{"</ensemble>", "</ensemble> more", ranklib.ErrModel, "line 17, "},
		{"> -1 <", ">&a;<", ranklib.ErrModel, "line 10, "},
		{"<output> -1 </output>", deep, ranklib.ErrModel, "line 10, "},
	} {
		require.Contains(t, small, c.old)
		_, err := read(strings.Replace(small, c.old, c.new, 1))
		name := c.new[:min(len(c.new), 60)]
		assert.ErrorIs(t, err, c.want, name)
		assert.ErrorContains(t, err, c.where, name)
	}
	for _, name := range []string{"random_forests", "coordinate_ascent"} {
		_, err := readFile(t, "testdata/"+name+".txt")
		assert.ErrorIs(t, err, ranklib.ErrUnsupported)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(small)
	text, err := os.ReadFile("testdata/mart.txt")
	require.NoError(f, err)
	f.Add(string(text))
	f.Fuzz(func(t *testing.T, text string) {
		e, err := read(text)
		if err != nil {
			require.True(t, errors.Is(err, document.ErrFormat) || errors.Is(err, ranklib.ErrUnsupported), "%v", err)
			return
		}
		var first, second bytes.Buffer
		if ranklib.Write(&first, e, 1) != nil {
			return
		}
		back, err := read(first.String())
		require.NoError(t, err)
		require.NoError(t, ranklib.Write(&second, back, 1))
		require.Equal(t, first.String(), second.String())
	})
}
