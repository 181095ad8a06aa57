package significance

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Options are the parameters of the tests and intervals. Begin with [DefaultOptions].
type Options struct {
	Level     float64 // confidence level of the interval, in (0, 1)
	Resamples int     // number of resamples of the bootstrap, at least 2
	Trials    int     // number of random exchanges of the randomization test, where there are too many exchanges to try all
	Seed      uint64
	Workers   int // number of goroutines, GOMAXPROCS if < 1; it changes no figure
}

// DefaultOptions returns options for a 95 % interval from 10,000 resamples and for 100,000 trials.
func DefaultOptions() Options {
	return Options{Level: 0.95, Resamples: 10_000, Trials: 100_000, Seed: 1}
}

// Validate returns an error for the first field that is out of its range, nil if there is none.
func (o Options) Validate() error {
	switch {
	case !(o.Level > 0 && o.Level < 1):
		return fmt.Errorf("significance: level %v of the interval: want a number between 0 and 1", o.Level)
	case o.Resamples < 2:
		return fmt.Errorf("significance: %d resamples: want at least 2, and a thousand or more for an interval that can be relied on", o.Resamples)
	case o.Trials < 1:
		return fmt.Errorf("significance: %d trials: want at least 1", o.Trials)
	}
	return nil
}

// Test is the result of a test.
type Test struct {
	Statistic float64
	P         float64 // two-sided probability of a difference at least as large by chance
}

// Comparison is the comparison of ranker b with ranker a.
type Comparison struct {
	Queries            int // number of queries on which both were judged
	MeanA, MeanB       float64
	Difference         float64  // MeanB - MeanA
	Interval           Interval // of Difference
	Wins, Equal, Loses int      // queries in which b is better, the same, worse
	Effect             float64  // Cohen's d of paired values: mean over standard deviation of the differences
	StudentT           Test
	Wilcoxon           Test
	Randomization      Test
}

// Compare compares the values a and b of two rankers, one value a query, in the same order of
// queries. A query that was left out of the mean is NaN in both, and is left out here too. Queries
// have equal weights. Differences are rounded to multiples of 2^-40: what is smaller is a rounding
// error of the values. It returns an error for options out of range, if a and b are not of the same
// queries, and if fewer than two queries were judged.
func Compare(a, b []float64, o Options) (Comparison, error) {
	if err := o.Validate(); err != nil {
		return Comparison{}, err
	}
	d, sumA, err := differences(a, b)
	if err != nil {
		return Comparison{}, err
	}
	c := Comparison{Queries: len(d), MeanA: sumA / float64(len(d)), Difference: Mean(d), Effect: effect(d)}
	c.MeanB = c.MeanA + c.Difference
	for _, x := range d {
		switch {
		case x > 0:
			c.Wins++
		case x < 0:
			c.Loses++
		default:
			c.Equal++
		}
	}
	c.Interval = Bootstrap(d, o)
	c.StudentT, c.Wilcoxon, c.Randomization = StudentT(d), Wilcoxon(d), Randomization(d, o)
	return c, nil
}

// grain is the unit to which differences of values are rounded. Smaller differences are rounding
// errors of the values; they would break ties and count as wins.
const grain = 0x1p-40 // about 1e-12

// differences returns b - a, rounded to multiples of grain, for the queries that were judged, and
// the sum of a over them.
func differences(a, b []float64) (d []float64, sumA float64, err error) {
	if len(a) != len(b) {
		return nil, 0, fmt.Errorf("significance: %d values against %d: both rankers must be judged on the same queries", len(a), len(b))
	}
	for query := range a {
		if math.IsNaN(a[query]) != math.IsNaN(b[query]) {
			return nil, 0, fmt.Errorf("significance: query %d, from 0, has a value for one ranker only", query)
		}
		if !math.IsNaN(a[query]) {
			d = append(d, math.Round((b[query]-a[query])/grain)*grain)
			sumA += a[query]
		}
	}
	if len(d) < 2 {
		return nil, 0, fmt.Errorf("significance: %d queries were judged: want at least 2", len(d))
	}
	return d, sumA, nil
}

// Differences returns b - a of the queries that were judged, as [Compare] takes them.
func Differences(a, b []float64) ([]float64, error) {
	d, _, err := differences(a, b)
	return d, err
}

// MostDifferent returns the indices of the n queries whose values differ most, the largest
// difference first, equal ones in the order of the queries. Queries without a value, NaN, are
// skipped. a and b are equally long.
func MostDifferent(a, b []float64, n int) []int {
	var queries []int
	for query := range a {
		if !math.IsNaN(b[query] - a[query]) {
			queries = append(queries, query)
		}
	}
	slices.SortStableFunc(queries, func(i, j int) int {
		return cmp.Compare(math.Abs(b[j]-a[j]), math.Abs(b[i]-a[i]))
	})
	return queries[:min(n, len(queries))]
}

// Holm returns the probabilities p of several tests, adjusted so that the chance of any false alarm
// among them stays at the level with which each is compared (S. Holm, A simple sequentially
// rejective multiple test procedure, Scandinavian Journal of Statistics 6, 1979): the smallest is
// multiplied by len(p), the next by len(p)-1 and so on, none falls below one before it, none
// exceeds 1.
func Holm(p []float64) []float64 {
	adjusted, floor := make([]float64, len(p)), 0.0
	for place, i := range ascending(p) {
		floor = max(floor, min(1, p[i]*float64(len(p)-place)))
		adjusted[i] = floor
	}
	return adjusted
}

// Mean returns the mean of at least one number.
func Mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// deviation returns the standard deviation of at least two numbers, with the divisor n - 1.
func deviation(x []float64) float64 {
	m, sum := Mean(x), 0.0
	for _, v := range x {
		sum += float64((v - m) * (v - m))
	}
	return math.Sqrt(sum / float64(len(x)-1))
}

// effect returns Cohen's d of paired values, 0 if all differences are 0 (J. Cohen, Statistical
// Power Analysis for the Behavioral Sciences, 1988, d_z).
func effect(d []float64) float64 {
	if m := Mean(d); m != 0 {
		return m / deviation(d)
	}
	return 0
}
