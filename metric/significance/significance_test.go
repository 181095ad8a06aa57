package significance

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/lambdamart/lambdamart/internal/keyed"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// goldens are figures of scipy, written by metric/testdata/generate.py.
type goldens struct {
	Samples []struct {
		D, T, Wilcoxon, Bootstrap, Interval []float64
		Interval20000                       []float64 `json:"interval_20000"`
		Randomization                       float64
	}
	TTails [][3]float64 `json:"t_tails"` // t, degrees of freedom, both tails
}

func readGoldens(t *testing.T) (g goldens) {
	t.Helper()
	text, err := os.ReadFile("testdata/significance.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &g))
	require.NotEmpty(t, g.Samples)
	return g
}

func TestTestsOfSciPy(t *testing.T) {
	for i, s := range readGoldens(t).Samples {
		got := StudentT(s.D)
		assert.InEpsilon(t, s.T[0], got.Statistic, 1e-12, "sample %d", i)
		assert.InEpsilon(t, s.T[1], got.P, 1e-11, "sample %d", i)
		got = Wilcoxon(s.D)
		assert.InDelta(t, s.Wilcoxon[0], got.Statistic, 1e-12, "sample %d of %d", i, len(s.D))
		assert.InEpsilon(t, s.Wilcoxon[1], got.P, 1e-12, "sample %d of %d", i, len(s.D))
	}
}

func TestTailsOfT(t *testing.T) {
	for _, c := range readGoldens(t).TTails {
		// With a million degrees of freedom the logarithms that cancel are in the millions, so that
		// only ten digits are left, and they depend on whether products are fused.
		assert.InDelta(t, c[2], tTail(c[0], c[1]), 5e-9*c[2], "t = %v, %v degrees of freedom", c[0], c[1])
		assert.Equal(t, tTail(c[0], c[1]), tTail(-c[0], c[1]))
	}
	assert.Equal(t, 1.0, tTail(0, 7))
	assert.Equal(t, 0.0, tTail(math.Inf(1), 7))
}

// SciPy tries all exchanges of small samples; of large ones both tests draw at random, so that the
// figures differ by some standard errors.
func TestRandomizationOfSciPy(t *testing.T) {
	o := DefaultOptions()
	for i, s := range readGoldens(t).Samples {
		tolerance := 1e-12
		if len(s.D) > mostExchanges {
			tolerance = 5 * math.Sqrt(s.Randomization*(1-s.Randomization)*(1/20000.0+1/float64(o.Trials)))
		}
		assert.InDelta(t, s.Randomization, Randomization(s.D, o).P, tolerance+1e-4, "sample %d", i)
	}
}

func TestExchangesAllAndSomeAgree(t *testing.T) {
	d := []float64{0.3, -0.1, 0.2, 0.05, -0.07, 0.4, 0.01, 0.2, -0.3, 0.15, 0.02, 0.11}
	all := Randomization(d, DefaultOptions()).P
	some := exchangeSome(d, math.Abs(Mean(d))*float64(len(d))-1e-12, DefaultOptions())
	assert.InDelta(t, all, some, 5*math.Sqrt(all/100_000))
	assert.NotEqual(t, all, some)
}

// The arithmetic of the interval is tested on SciPy's own resamples, and the whole against SciPy's
// interval of 20,000 other resamples.
func TestIntervalOfSciPy(t *testing.T) {
	o := DefaultOptions()
	o.Resamples = 20_000
	for i, s := range readGoldens(t).Samples {
		slices.Sort(s.Bootstrap)
		got := bca(s.Bootstrap, s.D, 0.95)
		assert.InDeltaSlice(t, s.Interval, []float64{got.Low, got.High}, 1e-12, "sample %d", i)
		if len(s.D) < 8 {
			continue // the means have few different values, so that their quantiles jump
		}
		got = Bootstrap(s.D, o)
		width := s.Interval20000[1] - s.Interval20000[0]
		assert.InDelta(t, s.Interval20000[0], got.Low, 0.04*width, "sample %d of %d", i, len(s.D))
		assert.InDelta(t, s.Interval20000[1], got.High, 0.04*width, "sample %d of %d", i, len(s.D))
	}
}

// Few resampled means may all lie on one side of the mean. The bounds of the interval are then still
// finite, in order, and between the smallest and the largest number.
func TestIntervalsOfFewResamples(t *testing.T) {
	o := DefaultOptions()
	for _, x := range [][]float64{{0, 0.1}, {0.3, 0.9, 0.9}, {1, 1, 1, 1, 0}, {0, 0, 0, 0, 0, 0, 0, 0, 1}, {0, 1e-120}, {-1, 0.5, 0.25, 3}} {
		for o.Resamples = 1; o.Resamples < 12; o.Resamples++ {
			for o.Seed = 1; o.Seed < 60; o.Seed++ {
				got := Bootstrap(x, o)
				assert.GreaterOrEqual(t, got.Low, slices.Min(x))
				assert.GreaterOrEqual(t, got.High, got.Low)
				assert.LessOrEqual(t, got.High, slices.Max(x))
			}
		}
	}
}

// If all differences are by chance, P is below 0.05 in a twentieth of all cases.
func TestFalseAlarms(t *testing.T) {
	if testing.Short() {
		t.Skip("compares hundreds of rankers")
	}
	const cases = 400
	o := DefaultOptions()
	o.Trials, o.Resamples = 400, 400
	alarms := map[string]int{}
	for n := range cases {
		key := keyed.New(99, keyed.Resample, n)
		d := make([]float64, 40)
		for i := range d {
			d[i] = normalQuantile(key.Float64(i)) * (0.5 + key.Float64(i+100))
		}
		o.Seed = uint64(n)
		for name, p := range map[string]float64{"t": StudentT(d).P, "Wilcoxon": Wilcoxon(d).P, "randomization": Randomization(d, o).P} {
			if p < 0.05 {
				alarms[name]++
			}
		}
		if ci := Bootstrap(d, o); ci.Low > 0 || ci.High < 0 {
			alarms["interval"]++
		}
	}
	for name, n := range alarms {
		assert.InDelta(t, 0.05*cases, n, 4*math.Sqrt(cases*0.05*0.95), name)
	}
	assert.Len(t, alarms, 4)
}

func TestHolm(t *testing.T) {
	// By hand: 0.01·4, 0.02·3, then 0.03·2 = 0.06 is not below 0.06, then 0.04·1 is raised to it.
	assert.InDeltaSlice(t, []float64{0.06, 0.04, 0.06, 0.06}, Holm([]float64{0.04, 0.01, 0.03, 0.02}), 1e-15)
	assert.Equal(t, []float64{1, 1}, Holm([]float64{0.9, 0.6}))
	assert.Empty(t, Holm(nil))
}

func TestCompare(t *testing.T) {
	nan := math.NaN()
	a := []float64{0.5, 0.2, nan, 0.9, 0.4}
	b := []float64{0.7, 0.2, nan, 0.8, 0.9}
	c, err := Compare(a, b, DefaultOptions())
	require.NoError(t, err)
	assert.Equal(t, []int{4, 2, 1, 1}, []int{c.Queries, c.Wins, c.Equal, c.Loses})
	assert.InDelta(t, 0.5, c.MeanA, 1e-15)
	assert.InDelta(t, 0.65, c.MeanB, grain)
	assert.InDelta(t, 0.15, c.Difference, grain)
	// Differences 0.2, 0, -0.1, 0.5: standard deviation sqrt((0.0025+0.0225+0.0625+0.1225)/3).
	assert.InDelta(t, 0.15/math.Sqrt(0.21/3), c.Effect, 1e-11)
	assert.Less(t, c.Interval.Low, c.Difference)
	assert.Greater(t, c.Interval.High, c.Difference)
	assert.Equal(t, []int{4, 0, 3}, MostDifferent(a, b, 3))
	assert.Equal(t, []int{4, 0, 3, 1}, MostDifferent(a, b, 9))
}

func TestRankersThatAreTheSame(t *testing.T) {
	a := []float64{0.5, 0.2, 0.9}
	c, err := Compare(a, a, DefaultOptions())
	require.NoError(t, err)
	assert.Equal(t, []float64{1, 1, 1}, []float64{c.StudentT.P, c.Wilcoxon.P, c.Randomization.P})
	assert.Equal(t, Interval{}, c.Interval)
	assert.Equal(t, []float64{0, 0}, []float64{c.Effect, c.Difference})
}

// 0.3 - 0.2 and 0.2 - 0.1 differ in the last bit, and 0.1 + 0.2 is not 0.3.
func TestRoundingErrorsAreNoDifferences(t *testing.T) {
	c, err := Compare([]float64{0.2, 0.1, 0.3}, []float64{0.3, 0.2, 0.1 + 0.2}, DefaultOptions())
	require.NoError(t, err)
	assert.Equal(t, []int{2, 1, 0}, []int{c.Wins, c.Equal, c.Loses})
	d, _, err := differences([]float64{0.2, 0.1}, []float64{0.3, 0.2})
	require.NoError(t, err)
	assert.Equal(t, d[0], d[1])
}

func TestConstantDifference(t *testing.T) {
	got := StudentT([]float64{0.25, 0.25, 0.25})
	assert.Equal(t, Test{math.Inf(1), 0}, got)
	assert.Equal(t, 0.25, Randomization([]float64{0.25, 0.25, 0.25}, DefaultOptions()).P, "two of eight: all signs plus, all minus")
	assert.Equal(t, 0.25, Wilcoxon([]float64{0.25, 0.5, 0.75}).P)
}

func TestWorkersAndSeeds(t *testing.T) {
	a, b := make([]float64, 200), make([]float64, 200)
	key := keyed.New(5, keyed.Resample, 0)
	for i := range a {
		a[i], b[i] = key.Float64(i), key.Float64(i)+0.1*(key.Float64(i+1000)-0.47)
	}
	o := DefaultOptions()
	o.Trials, o.Resamples, o.Workers = 3000, 1000, 1
	want, err := Compare(a, b, o)
	require.NoError(t, err)
	for _, o.Workers = range []int{2, 7} {
		got, err := Compare(a, b, o)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	o.Seed++
	other, err := Compare(a, b, o)
	require.NoError(t, err)
	assert.NotEqual(t, want.Randomization, other.Randomization)
	assert.NotEqual(t, want.Interval, other.Interval)
}

func TestCompareRefuses(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		a, b   []float64
		change func(*Options)
		want   string
	}{
		{[]float64{1, 2}, []float64{1}, nil, "same queries"},
		{[]float64{1, nan, 2}, []float64{1, 1, 2}, nil, "query 1, from 0, has a value for one ranker only"},
		{[]float64{1, nan}, []float64{1, nan}, nil, "at least 2"},
		{[]float64{1, 2}, []float64{1, 2}, func(o *Options) { o.Level = 95 }, "level 95"},
		{[]float64{1, 2}, []float64{1, 2}, func(o *Options) { o.Resamples = 0 }, "0 resamples"},
		{[]float64{1, 2}, []float64{1, 2}, func(o *Options) { o.Resamples = 1 }, "1 resamples: want at least 2"},
		{[]float64{1, 2}, []float64{1, 2}, func(o *Options) { o.Trials = -1 }, "-1 trials"},
	} {
		o := DefaultOptions()
		if c.change != nil {
			c.change(&o)
		}
		_, err := Compare(c.a, c.b, o)
		assert.ErrorContains(t, err, c.want)
	}
}
