package metric

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scipyGoldens holds scipy's figures, written by metric/testdata/generate.py.
type scipyGoldens struct {
	Samples []struct {
		D, T, Wilcoxon []float64
		Randomization  float64
	}
	TTails [][3]float64 `json:"t_tails"` // t, degrees of freedom, p-value of both tails
	Twins  []struct {
		D, Weights, T                         []float64
		Mean, Error, Effective, Randomization float64
		Intervals                             [][3]float64 // level, low, high
	}
}

func readScipy(t *testing.T) (g scipyGoldens) {
	t.Helper()
	text, err := os.ReadFile("testdata/significance.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &g))
	require.NotEmpty(t, g.Samples)
	return g
}

func TestTestsOfSciPy(t *testing.T) {
	for i, s := range readScipy(t).Samples {
		got := NewSample(s.D, nil).studentT()
		assert.InEpsilon(t, s.T[0], got.Statistic, 1e-12, "sample %d", i)
		assert.InEpsilon(t, s.T[1], got.P, 1e-11, "sample %d", i)
		got = NewSample(s.D, nil).wilcoxon()
		assert.InDelta(t, s.Wilcoxon[0], got.Statistic, 1e-12, "sample %d of %d", i, len(s.D))
		assert.InEpsilon(t, s.Wilcoxon[1], got.P, 1e-12, "sample %d of %d", i, len(s.D))
	}
}

func TestTailsOfT(t *testing.T) {
	for _, c := range readScipy(t).TTails {
		// With a million degrees of freedom, logarithms in the millions cancel. Only ten digits remain, and
		// they depend on whether products are fused.
		assert.InDelta(t, c[2], tTail(c[0], c[1]), 5e-9*c[2], "t = %v, %v degrees of freedom", c[0], c[1])
		assert.Equal(t, tTail(c[0], c[1]), tTail(-c[0], c[1]))
	}
	assert.Equal(t, 1.0, tTail(0, 7))
	assert.Equal(t, 0.0, tTail(math.Inf(1), 7))
}

// TestRandomizationOfSciPy: SciPy enumerates all sign changes of small samples. For large samples both
// tests draw at random, so their figures differ by a few standard errors.
func TestRandomizationOfSciPy(t *testing.T) {
	o := DefaultTestOptions()
	for i, s := range readScipy(t).Samples {
		tolerance := 1e-12
		if len(s.D) > mostExchanges {
			tolerance = 5 * math.Sqrt(s.Randomization*(1-s.Randomization)*(1/20000.0+1/float64(o.Trials)))
		}
		assert.InDelta(t, s.Randomization, NewSample(s.D, nil).randomization(o).P, tolerance+1e-4, "sample %d", i)
	}
}

// TestTwins compares with figures that metric/testdata/generate.py computes by brute force: it leaves out
// queries one by one, and tries all resamples and all signs.
func TestTwins(t *testing.T) {
	twins := readScipy(t).Twins
	require.NotEmpty(t, twins)
	o := DefaultTestOptions()
	o.Resamples = 40_000
	for i, want := range twins {
		s := NewSample(want.D, want.Weights)
		assert.InEpsilon(t, want.Mean, s.Mean(), 1e-12, i)
		assert.InEpsilon(t, want.Error, s.StandardError(), 1e-12, i)
		assert.InEpsilon(t, want.Effective, s.effective(), 1e-12, i)
		assert.InEpsilon(t, want.T[0], s.studentT().Statistic, 1e-11, i)
		assert.InEpsilon(t, want.T[1], s.studentT().P, 1e-10, i)
		assert.Equal(t, want.Randomization, s.randomization(o).P, i)
		for _, c := range want.Intervals {
			o.Level = c[0]
			got := s.Interval(o)
			assert.InDelta(t, c[1], got.Low, 0.02*(c[2]-c[1]), "sample %d, level %v", i, c[0])
			assert.InDelta(t, c[2], got.High, 0.02*(c[2]-c[1]), "sample %d, level %v", i, c[0])
		}
	}
}

// TestEqualWeights: equal weights change no bit, and neither does a query with weight 0 or without a value.
func TestEqualWeights(t *testing.T) {
	a, b := []float64{0.1, 0.5, 0.9, 0.3}, []float64{0.2, 0.4, 1, 0.8}
	want, err := Compare(a, b, nil, DefaultTestOptions())
	require.NoError(t, err)
	got, err := Compare(append(a, 0.3, math.NaN()), append(b, 0.9, math.NaN()), []float64{3, 3, 3, 3, 0, 1},
		DefaultTestOptions())
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

// TestWeightedComparison: the Wilcoxon test is refused, because its ranks have no weights. All other figures
// use the weights.
func TestWeightedComparison(t *testing.T) {
	c, err := Compare([]float64{0, 0, 0.5}, []float64{1, 0.5, 0.25}, []float64{1, 2, 5}, DefaultTestOptions())
	require.NoError(t, err)
	assert.InDelta(t, (1+2*0.5-5*0.25)/8, c.Difference, grain)
	assert.InDelta(t, 5*0.5/8, c.MeanA, 1e-15)
	assert.True(t, c.Weighted)
	assert.True(t, math.IsNaN(c.Wilcoxon.P))
	assert.InDelta(t, 64.0/30, c.Effective, 1e-12)
	assert.True(t, c.Interval.Low < c.Difference && c.Difference < c.Interval.High)
	assert.Contains(t, c.Remark(), "3 queries are few")
	assert.Contains(t, c.Verdict(0.3), "not proven on 3 queries: interval ")
}

func TestRemarks(t *testing.T) {
	values, weights := make([]float64, 40), make([]float64, 40)
	for i := range values {
		values[i], weights[i] = float64(i), 1
	}
	assert.Empty(t, NewSample(values, weights).Remark())
	assert.Empty(t, NewSample(values[:20], nil).Remark())
	assert.Contains(t, NewSample(values[:19], nil).Remark(),
		"19 queries are few: intervals and tests of fewer than 20 are rough")
	weights[0] = 100
	assert.Contains(t, NewSample(values, weights).Remark(),
		"the weights make 40 queries as good as 1.9 equal ones")
}

// TestIntervalsOfFewResamples: for all random draws, the bounds are finite, and the mean is between them.
func TestIntervalsOfFewResamples(t *testing.T) {
	o := DefaultTestOptions()
	for _, x := range [][]float64{{0, 0.1}, {0.3, 0.9, 0.9}, {1, 1, 1, 1, 0}, {0, 0, 0, 0, 0, 0, 0, 0, 1},
		{0, 1e-120}, {-1, 0.5, 0.25, 3}} {
		for _, weights := range [][]float64{nil, {1, 1e-3, 2, 5, 9, 1, 1, 1, 1}} {
			s := NewSample(x, weights[:min(len(x), len(weights))])
			for o.Resamples = 2; o.Resamples < 12; o.Resamples++ {
				for o.Seed = 1; o.Seed < 20; o.Seed++ {
					got := s.Interval(o)
					assert.LessOrEqual(t, got.Low, s.Mean())
					assert.GreaterOrEqual(t, got.High, s.Mean())
					assert.False(t, math.IsInf(got.High-got.Low, 0))
				}
			}
		}
	}
	one := NewSample([]float64{0.5}, nil).Interval(DefaultTestOptions())
	assert.True(t, math.IsNaN(one.Low) && math.IsNaN(one.High))
}

func TestCompare(t *testing.T) {
	nan := math.NaN()
	a := []float64{0.5, 0.2, nan, 0.9, 0.4}
	b := []float64{0.7, 0.2, nan, 0.8, 0.9}
	c, err := Compare(a, b, nil, DefaultTestOptions())
	require.NoError(t, err)
	assert.Equal(t, []int{4, 2, 1, 1}, []int{c.Queries, c.Wins, c.Equal, c.Loses})
	assert.InDelta(t, 0.5, c.MeanA, 1e-15)
	assert.InDelta(t, 0.65, c.MeanB, grain)
	assert.InDelta(t, 0.15, c.Difference, grain)
	// The differences are 0.2, 0, -0.1, 0.5; their standard deviation is
	// sqrt((0.0025+0.0225+0.0625+0.1225)/3).
	assert.InDelta(t, 0.15/math.Sqrt(0.21/3), c.Effect, 1e-11)
	assert.Less(t, c.Interval.Low, c.Difference)
	assert.Greater(t, c.Interval.High, c.Difference)
}

func TestRankersThatAreTheSame(t *testing.T) {
	a := []float64{0.5, 0.2, 0.9}
	c, err := Compare(a, a, nil, DefaultTestOptions())
	require.NoError(t, err)
	assert.Equal(t, []float64{1, 1, 1}, []float64{c.StudentT.P, c.Wilcoxon.P, c.Randomization.P})
	assert.Equal(t, Interval{}, c.Interval)
	assert.Equal(t, []float64{0, 0}, []float64{c.Effect, c.Difference})
}

// TestRoundingErrorsAreNoDifferences: 0.3 - 0.2 and 0.2 - 0.1 differ in the last bit, and 0.1 + 0.2 is not
// 0.3.
func TestRoundingErrorsAreNoDifferences(t *testing.T) {
	c, err := Compare([]float64{0.2, 0.1, 0.3}, []float64{0.3, 0.2, 0.1 + 0.2}, nil, DefaultTestOptions())
	require.NoError(t, err)
	assert.Equal(t, []int{2, 1, 0}, []int{c.Wins, c.Equal, c.Loses})
	d, err := Differences([]float64{0.2, 0.1}, []float64{0.3, 0.2}, nil)
	require.NoError(t, err)
	assert.Equal(t, d.Values[0], d.Values[1])
}

func TestConstantDifference(t *testing.T) {
	equal := NewSample([]float64{0.25, 0.25, 0.25}, nil)
	got := equal.studentT()
	assert.Equal(t, Test{math.Inf(1), 0}, got)
	assert.Equal(t, 0.25, equal.randomization(DefaultTestOptions()).P, "two of eight: all signs plus, all minus")
	assert.Equal(t, 0.25, NewSample([]float64{0.25, 0.5, 0.75}, nil).wilcoxon().P)
}

func TestWorkersAndSeeds(t *testing.T) {
	a, b := make([]float64, 200), make([]float64, 200)
	key := random.New(5, random.Resample, 0)
	for i := range a {
		a[i], b[i] = key.Float64(i), key.Float64(i)+0.1*(key.Float64(i+1000)-0.47)
	}
	o := DefaultTestOptions()
	o.Trials, o.Resamples, o.Workers = 3000, 1000, 1
	want, err := Compare(a, b, nil, o)
	require.NoError(t, err)
	for _, o.Workers = range []int{2, 7} {
		got, err := Compare(a, b, nil, o)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	o.Seed++
	other, err := Compare(a, b, nil, o)
	require.NoError(t, err)
	assert.NotEqual(t, want.Randomization, other.Randomization)
	for i := range a {
		a[i] = -math.Log(1 - a[i])
	}
	skewed := NewSample(a[:30], nil)
	first := skewed.Interval(o)
	o.Seed++
	assert.NotEqual(t, first, skewed.Interval(o))
}

func TestCompareRefuses(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		a, b   []float64
		change func(*TestOptions)
		want   string
	}{
		{[]float64{1, 2}, []float64{1}, nil, "same queries"},
		{[]float64{1, nan, 2}, []float64{1, 1, 2}, nil, "query 1, from 0, has a value for one ranker only"},
		{[]float64{1, nan}, []float64{1, nan}, nil, "at least 2"},
		{[]float64{1, 2}, []float64{1, 2}, func(o *TestOptions) { o.Level = 95 }, "level 95"},
		{[]float64{1, 2}, []float64{1, 2}, func(o *TestOptions) { o.Resamples = 0 }, "0 resamples"},
		{[]float64{1, 2}, []float64{1, 2}, func(o *TestOptions) { o.Resamples = 1 },
			"1 resamples: want at least 2"},
		{[]float64{1, 2}, []float64{1, 2}, func(o *TestOptions) { o.Trials = -1 }, "-1 trials"},
	} {
		o := DefaultTestOptions()
		if c.change != nil {
			c.change(&o)
		}
		_, err := Compare(c.a, c.b, nil, o)
		assert.ErrorContains(t, err, c.want)
	}
}
