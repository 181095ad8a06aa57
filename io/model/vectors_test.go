package model

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

	"github.com/lambdamart/lambdamart/io/model/internal/treetest"
	"github.com/lambdamart/lambdamart/tree"
)

func modelOf(m treetest.Model) *tree.Ensemble { return m.Make(rand.New(rand.NewPCG(1, 2))) }

var float32Model = treetest.Model{Trees: 20, Leaves: 15, Features: 4, Missing: true, Float32: true}

func float32Options(rows int) rowOptions {
	return rowOptions{scoring: float32InOrder, Rows: rows, Seed: 1, Missing: true}
}

func TestGenerate(t *testing.T) {
	e := modelOf(float32Model)
	s := generate(e, float32Options(1000))
	require.Len(t, s.Rows, 1000)
	missing, zero, onThreshold, above := 0, 0, 0, 0
	for _, row := range s.Rows {
		for f, x := range row.Values {
			switch {
			case math.IsNaN(x):
				missing++
				continue
			case x == 0:
				zero++
			}
			require.Equal(t, x, float64(float32(x)), "float32 only")
			require.False(t, math.IsInf(x, 0))
			on, next := beside(e, f, x)
			onThreshold, above = onThreshold+on, above+next
		}
		model, err := e.ScoreRow(row.Values)
		require.NoError(t, err)
		require.Equal(t, model, row.ModelScore)
		require.InDelta(t, model, row.Score, 1e-4)
		sum := float32(0)
		for i := range e.Trees {
			sum += float32(e.Trees[i].Score(row.Values))
		}
		require.Equal(t, float64(sum), row.Score)
		require.Equal(t, row.Score, float64(float32(row.Score)))
	}
	for _, n := range []int{missing, zero, onThreshold, above} {
		assert.Greater(t, n, 100)
	}
	assert.Zero(t, s.Tolerance)
	taken, sides := s.coverage(e)
	assert.Greater(t, float64(taken), 0.6*float64(sides),
		"of %d sides; random thresholds leave many without values", sides)
}

// beside reports, as 0 or 1, whether x is the largest float32 not above some threshold of the feature, and
// whether it is the float32 after that.
func beside(e *tree.Ensemble, feature int, x float64) (on, above int) {
	for i := range e.Trees {
		t := &e.Trees[i]
		for node, cut := range t.Threshold {
			if int(t.Feature[node]) != feature {
				continue
			}
			next := float64(math.Nextafter32(float32(x), float32(math.Inf(1))))
			before := float64(math.Nextafter32(float32(x), float32(math.Inf(-1))))
			if x <= cut && next > cut {
				on = 1
			}
			if x > cut && before <= cut {
				above = 1
			}
		}
	}
	return on, above
}

func TestGenerateKeepsToItsOptions(t *testing.T) {
	e := modelOf(float32Model)
	o := float32Options(300)
	o.Missing = false
	o.Exclude = func(feature int, x float64) bool { return feature == 1 && x == 1 }
	for _, row := range generate(e, o).Rows {
		for f, x := range row.Values {
			require.False(t, math.IsNaN(x))
			require.False(t, f == 1 && x == 1)
		}
	}
	for _, m := range []treetest.Model{
		{Features: 2},
		{Trees: 2, Leaves: 1, Features: 2},
		{Trees: 9, Leaves: 9, Features: 2, Categorical: true, Linear: true, Average: true, Missing: true,
			ZeroMissing: true},
	} {
		s := generate(modelOf(m), rowOptions{scoring: scoring{arithmetic: inFloat64}, Rows: 100, Missing: true})
		for _, row := range s.Rows {
			require.Equal(t, row.ModelScore, row.Score)
		}
	}
}

// TestInfiniteThresholds: in LightGBM's models, a split at +Inf sends only missing values right. The test
// vectors must stay within the range that every engine can split.
func TestInfiniteThresholds(t *testing.T) {
	e := modelOf(float32Model)
	for i := range e.Trees {
		for node := range e.Trees[i].Threshold {
			if node%2 == 0 {
				e.Trees[i].Threshold[node] = math.Inf(1)
			}
		}
	}
	for _, row := range generate(e, float32Options(500)).Rows {
		for _, x := range row.Values {
			require.False(t, math.Abs(x) > 0x1p126, "%v", x)
		}
	}
}

// TestToleranceCoversAllOrders sums the trees in reverse order.
func TestToleranceCoversAllOrders(t *testing.T) {
	e := modelOf(treetest.Model{Trees: 200, Leaves: 5, Features: 2, Float32: true})
	o := float32Options(200)
	o.inOrder = false
	s := generate(e, o)
	assert.Positive(t, s.Tolerance)
	differ := 0
	for _, row := range s.Rows {
		sum := float32(0)
		for i := len(e.Trees) - 1; i >= 0; i-- {
			sum += float32(e.Trees[i].Score(row.Values))
		}
		if float64(sum) != row.Score {
			differ++
		}
		require.InDelta(t, row.Score, sum, s.Tolerance)
		require.InDelta(t, row.Score, row.ModelScore, s.Tolerance)
	}
	assert.Positive(t, differ)
	assert.Less(t, s.Tolerance, 0.02)
}

func TestRoundTrip(t *testing.T) {
	s := generate(modelOf(float32Model), float32Options(20))
	s.Target, s.Model, s.Tolerance = "solr", "abc", 0.5
	var text bytes.Buffer
	require.NoError(t, s.Write(&text))
	back, err := readVectors(bytes.NewReader(text.Bytes()))
	require.NoError(t, err)
	var again bytes.Buffer
	require.NoError(t, back.Write(&again))
	assert.Equal(t, text.String(), again.String())
	assert.Equal(t, s.Features, back.Features)
	assert.True(t, strings.HasPrefix(text.String(),
		`{"form":"lambdamart vectors 1","target":"solr","model":"abc","arithmetic":"float32","tolerance":0.5,`+
			`"features":["f0","f1","f2","f3"],"rows":[`+"\n"+`{"values":[`), text.String())
}

func TestCheck(t *testing.T) {
	e := modelOf(float32Model)
	s := generate(e, float32Options(100))
	report, err := s.check(e)
	require.NoError(t, err)
	assert.Equal(t, []int{100, 0, -1, -1}, []int{len(report.Scores), report.Different, report.First,
		report.WorstRow})

	s.Rows[3].Score = math.Nextafter(s.Rows[3].Score, 9)
	s.Rows[7].Score += 2
	report, err = s.check(e)
	require.NoError(t, err)
	assert.Equal(t, []int{100, 2, 3, 7}, []int{len(report.Scores), report.Different, report.First,
		report.WorstRow})
	assert.InDelta(t, 2, report.Worst, 1e-9)

	t.Run("by name", func(t *testing.T) {
		s := generate(e, float32Options(100))
		swapped := *e
		swapped.Features = []tree.Feature{e.Features[1], e.Features[0], e.Features[2], e.Features[3]}
		report, err := s.check(&swapped)
		require.NoError(t, err)
		assert.Positive(t, report.Different)
		swapped.Features = append([]tree.Feature{{Name: "other"}}, e.Features[1:]...)
		_, err = s.check(&swapped)
		assert.ErrorIs(t, err, errFeature)
		assert.ErrorContains(t, err, `"other"`)
		swapped.Features = append([]tree.Feature{{Name: "Column_0"}}, e.Features[1:]...)
		report, err = s.check(&swapped)
		require.NoError(t, err)
		assert.Zero(t, report.Different)
	})
}

func TestReadRefuses(t *testing.T) {
	const row = `{"values":[null],"score":1,"model_score":1}`
	const good = `{"form":"lambdamart vectors 1","target":"go","model":"","arithmetic":"float64",` +
		`"tolerance":0,"features":["a"],"queries":[1,2],"rows":[` +
		row + "," + row + "," + row + `]}`
	for _, queries := range []string{`"queries":[1,2],`, `"queries":[3],`, ""} {
		_, err := readVectors(strings.NewReader(strings.Replace(good, `"queries":[1,2],`, queries, 1)))
		require.NoError(t, err)
	}
	for _, change := range [][2]string{
		{"vectors 1", "vectors 2"}, {`"float64"`, `"float16"`}, {"[null]", "[]"}, {"[null]", `["x"]`},
		{`"score":1,`, ""}, {`"target"`, `"targets"`},
		{row + "," + row + "," + row, ""}, {`1}]}`, `1}]}{}`}, {`1}]}`, `1}]`}, {good, ""},
		{good, "tree\nversion=v3\n"},
		{"[1,2]", "[1,1]"}, {"[1,2]", "[4]"}, {"[1,2]", "[0,3]"}, {"[1,2]", "[-1,4]"}, {"[1,2]", "[]"},
	} {
		require.Contains(t, good, change[0])
		_, err := readVectors(strings.NewReader(strings.Replace(good, change[0], change[1], 1)))
		assert.ErrorIs(t, err, errVectors, "%q", change)
	}
	_, err := readVectors(iotest.ErrReader(io.ErrClosedPipe))
	assert.ErrorIs(t, err, io.ErrClosedPipe)
	assert.NotErrorIs(t, err, errVectors)
}

func FuzzVectors(f *testing.F) {
	var text bytes.Buffer
	require.NoError(f, generate(modelOf(float32Model), float32Options(3)).Write(&text))
	f.Add(text.Bytes())
	for _, queries := range []string{"[3]", "[1,2]", "[4]", "[0,3]", "[1,1]"} {
		f.Add(bytes.Replace(text.Bytes(), []byte(`"rows":`), []byte(`"queries":`+queries+`,"rows":`), 1))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := readVectors(bytes.NewReader(text))
		if err != nil {
			return
		}
		e := modelOf(float32Model)
		_, _ = s.check(e)
	})
}
