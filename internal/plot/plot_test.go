package plot

import (
	"encoding/xml"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// texts returns the text of an SVG document, which must be well-formed XML.
func texts(t *testing.T, svg string) string {
	t.Helper()
	var b strings.Builder
	decoder := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return b.String()
		}
		require.NoError(t, err, svg)
		if text, ok := token.(xml.CharData); ok {
			b.Write(text)
			b.WriteByte('\n')
		}
	}
}

// figures draws a figure of each kind that contains the name.
func figures(name string) map[string]string {
	points := []Point{{X: 1, Y: 0.5, Low: 0.4, High: 0.6}, {X: 10, Y: 0.7}, {X: 100, Y: 0.6}}
	series := []Series{{Name: name, Points: points}, {Name: "other", Color: 9, Points: points[:1]}}
	return map[string]string{
		"differences": (&Differences{ID: "d", Title: name, Subtitle: "x", Values: []float64{-0.1, 0, 0.3},
			Mean: 0.1, High: 0.2}).Draw(),
		"lines":  (&Lines{ID: "l", Title: name, XLabel: "x", YLabel: "y", Series: series}).Draw(),
		"points": (&Lines{ID: "l", Title: name, Series: series, LogX: true, PointsOnly: true}).Draw(),
		"curves": (&Curves{ID: "c", Title: name,
			Series: []Series{{Name: name, Points: points, Marked: 1}}}).Draw(),
		"dots": (&Curves{ID: "o", Title: name,
			Series: []Series{{Name: name, Points: points, Dots: true}}}).Draw(),
		"signed": (&Bars{ID: "s", Title: name, Signed: true, Format: Change,
			Bars: []Bar{{name, -0.5, "x"}, {"none", 0, ""}, {"up", 2, "y"}}}).Draw(),
		"swarm": (&Swarm{ID: "w", Title: name, Lines: []SwarmLine{{name, []float64{-1, 0, 0, 0.5},
			[]float64{0, 1, -1, 0.5}}}}).Draw(),
		"branches": (&Branches{ID: "t", Title: name,
			Root: Branch{Text: name, Children: []Branch{{Text: "1", Positive: true}, {Text: "-1"}}}}).Draw(),
		"bars": (&Bars{ID: "b", Title: name, Bars: []Bar{{Name: name, Value: 0.5}, {Name: "none"}},
			Format: Percent}).Draw(),
	}
}

// TestLabelOfZeroHasNoSign: the label at zero is "0.0" even if the value is negative by a rounding error.
func TestLabelOfZeroHasNoSign(t *testing.T) {
	a := linear(-0.3, 0.3, 0, 100)
	for _, zero := range []float64{0, math.Copysign(0, -1), -1e-17, 1e-17} {
		assert.Equal(t, "0.0", a.label(zero))
	}
	assert.Equal(t, "-0.1", a.label(-0.1))
	assert.Equal(t, "0", linear(-30, 30, 0, 100).label(math.Copysign(0, -1)))
	assert.Equal(t, "0", short(linear(0, 5, 0, 100).ticks()[0]))
	assert.NotContains(t, texts(t,
		(&Lines{ID: "l", Title: "t", Series: []Series{
			{Name: "s", Points: []Point{{X: 0, Y: -0.25}, {X: 1, Y: 0.25}}}}}).Draw()), "-0.0\n")
}

func TestFiguresAreWellFormed(t *testing.T) {
	for kind, svg := range figures(`a<&"b`) {
		assert.Contains(t, texts(t, svg), `a<&"b`, kind)
		assert.NotRegexp(t, `="[^"]*(NaN|Inf)`, svg, kind)
		assert.Contains(t, svg, `aria-labelledby="`, kind)
		assert.NotContains(t, svg, `="#`, "colors of a page are the page's: "+kind)
	}
}

// TestAxesHoldTheirValues: an axis includes its values, for a single value, equal values, and values of many
// magnitudes.
func TestAxesHoldTheirValues(t *testing.T) {
	for _, c := range [][2]float64{{0, 0}, {0.5, 0.5}, {0.41, 0.52}, {-3, 1e6}, {1e-9, 2e-9}} {
		a := linear(c[0], c[1], 100, 0)
		assert.LessOrEqual(t, a.low, c[0])
		assert.GreaterOrEqual(t, a.high, c[1])
		ticks := a.ticks()
		assert.GreaterOrEqual(t, len(ticks), 2, "%v", c)
		assert.LessOrEqual(t, len(ticks), 9, "%v", c)
		assert.IsIncreasing(t, ticks)
	}
	for _, c := range [][2]float64{{0.5, 0.5}, {0.01, 2000}, {3, 7}} {
		a := logarithmic(c[0], c[1], 0, 100)
		assert.Greater(t, a.at(c[0]), 0.0)
		assert.Less(t, a.at(c[1]), 100.0)
	}
}

// TestIntervalsOfBothAxes: they are drawn, and the axes include them.
func TestIntervalsOfBothAxes(t *testing.T) {
	point := Point{X: 1, Y: 5, Low: 4, High: 6, XLow: -2, XHigh: 3}
	l := Lines{PointsOnly: true, Series: []Series{{Points: []Point{point}}}}
	assert.Equal(t, 2, strings.Count(l.Draw(), `stroke-width="1.5"`))
	x, y := ranges(l.Series)
	assert.Equal(t, []float64{-2, 3, 4, 6}, []float64{x.low, x.high, y.low, y.high})
}

// TestCurvesOfOneNameShareAChart: values that are not finite are left out, as are series without a value, and
// the marked point has a mark.
func TestCurvesOfOneNameShareAChart(t *testing.T) {
	first, second, none := Series{Name: "a", Marked: 3}, Series{Name: "a"}, Series{Name: "none"}
	for i, y := range []float64{0.5, math.NaN(), 0.75} {
		first.Add(float64(i+1), y)
	}
	second.Add(1, 0.25)
	none.Add(1, math.Inf(-1))
	curves := Curves{XLabel: "iteration", Series: []Series{first, none, second}}
	assert.Equal(t, [][]Series{{first, second}}, curves.panels())
	svg := curves.Draw()
	assert.Equal(t, 2, strings.Count(svg, `stroke-opacity="0.75"`), "lines")
	assert.Equal(t, 1, strings.Count(texts(t, svg), "iteration, 3: 0.7500\n"))
}

func TestLimitsOfTheAxis(t *testing.T) {
	for x, want := range map[float64]float64{0: 1, 0.3: 0.4, 0.2: 0.2, 0.95: 1, 0.061: 0.08, 3: 4} {
		assert.InDelta(t, want, NiceLimit(x), 1e-12, "%v", x)
	}
}

func TestBarsOfManyQueries(t *testing.T) {
	heights := make([]float64, 3*MostBars+7)
	for i := range heights {
		heights[i] = float64(i)
	}
	got := bars(heights)
	assert.Len(t, got, MostBars)
	assert.InDelta(t, 1, got[0], 1e-12, "the mean of 0, 1, 2")
	assert.IsIncreasing(t, got)
}

func TestLabelsDoNotOverlap(t *testing.T) {
	got := spread([]float64{10, 11, 12, 90, 99}, 17, 0, 100)
	for i := range got {
		assert.GreaterOrEqual(t, got[i], 0.0)
		assert.LessOrEqual(t, got[i], 100.0)
		if i > 0 {
			assert.GreaterOrEqual(t, got[i]-got[i-1], 17-1e-9)
		}
	}
}

func TestThinnedKeepsTheEnds(t *testing.T) {
	line := make([]Point, 5000)
	for i := range line {
		line[i].X = float64(i)
	}
	few := thinned(line)
	assert.Len(t, few, mostOfCurve)
	assert.Zero(t, few[0].X)
	assert.Equal(t, float64(4999), few[len(few)-1].X)
	assert.Equal(t, line[:3], thinned(line[:3]))
	assert.False(t, math.IsNaN(few[1].X))
}

// TestRoundingErrorsAreNoRange: drawing ticks between nearly equal values must terminate.
func TestRoundingErrorsAreNoRange(t *testing.T) {
	for _, low := range []float64{1, -1, 0, 1e6} {
		ticks := linear(low, math.Nextafter(low, math.Inf(1)), 0, 100).ticks()
		assert.LessOrEqual(t, len(ticks), 13)
	}
}

// TestCounted: every value is in one bar, including values at the ends of the range and beyond.
func TestCounted(t *testing.T) {
	assert.Equal(t, []Bar{{Name: "0 to 0.5", Value: 2}, {Name: "0.5 to 1", Value: 3}},
		Counted([]float64{-1, 0, 0.5, 1, 7}, 1, 2, "%.4g"))
	assert.Equal(t, []Bar{{Name: "0.0 to 2.0"}, {Name: "2.0 to 4.0", Value: 1}},
		Counted([]float64{2}, 4, 2, "%.1f"))
}
