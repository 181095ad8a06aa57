package significance

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Options says how much work to do. Use [DefaultOptions] and change what you need.
type Options struct {
	Level     float64 // of the interval, in (0, 1)
	Resamples int     // of the bootstrap
	Trials    int     // of the randomization test, where there are too many exchanges to try all
	Seed      uint64
	Workers   int // goroutines; GOMAXPROCS if < 1. Changes no figure
}

// DefaultOptions are a 95 % interval from 10,000 resamples and 100,000 trials.
func DefaultOptions() Options {
	return Options{Level: 0.95, Resamples: 10_000, Trials: 100_000, Seed: 1}
}

func (o Options) validate() error {
	switch {
	case !(o.Level > 0 && o.Level < 1):
		return fmt.Errorf("significance: level %v of the interval: want a number between 0 and 1", o.Level)
	case o.Resamples < 1:
		return fmt.Errorf("significance: %d resamples: want at least 1", o.Resamples)
	case o.Trials < 1:
		return fmt.Errorf("significance: %d trials: want at least 1", o.Trials)
	}
	return nil
}

// Test is the outcome of a test.
type Test struct {
	Statistic float64
	P         float64 // probability of a difference at least as large, in either direction, by chance
}

// Comparison is ranker b against ranker a.
type Comparison struct {
	Queries            int // that both were judged on
	MeanA, MeanB       float64
	Difference         float64  // MeanB - MeanA
	Interval           Interval // of Difference
	Wins, Equal, Loses int      // queries in which b is better, the same, worse
	Effect             float64  // Cohen's d of paired values: mean over standard deviation of the differences
	StudentT           Test
	Wilcoxon           Test
	Randomization      Test
}

// Compare compares the values a and b of two rankers, one a query and in the same
// order. A query is NaN in both where it was left out of the mean; it is left out
// here too. Queries have equal weights. Differences below 2^-40 are rounding errors
// and count as none.
func Compare(a, b []float64, o Options) (Comparison, error) {
	if err := o.validate(); err != nil {
		return Comparison{}, err
	}
	d, sumA, err := differences(a, b)
	if err != nil {
		return Comparison{}, err
	}
	c := Comparison{Queries: len(d), MeanA: sumA / float64(len(d)), Difference: mean(d), Effect: effect(d)}
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

// grain is the unit to which differences of values are rounded: what is smaller
// is the rounding error of the values, and would break ties and count as a win.
const grain = 0x1p-40 // about 1e-12

// differences returns b - a, in units of grain, of the queries that were judged,
// and the sum of a.
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

// MostDifferent returns the indexes of the n queries whose values differ most,
// the largest difference first; of equal ones the first. Queries without values
// are passed over. len(a) is len(b).
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

// Holm returns the probabilities p of several tests, raised so that the chance
// of any false alarm among them stays at the level that each is compared with (S.
// Holm, A simple sequentially rejective multiple test procedure, Scandinavian
// Journal of Statistics 6, 1979): the smallest is multiplied by len(p), the next
// by len(p)-1 and so on, none falls below one before it, none exceeds 1.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	adjusted, floor := make([]float64, len(p)), 0.0
	for place, i := range order {
		floor = max(floor, min(1, p[i]*float64(len(p)-place)))
		adjusted[i] = floor
	}
	return adjusted
}

// mean of at least one number.
func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// deviation is the standard deviation of at least two numbers, with n - 1.
func deviation(x []float64) float64 {
	m, sum := mean(x), 0.0
	for _, v := range x {
		sum += float64((v - m) * (v - m))
	}
	return math.Sqrt(sum / float64(len(x)-1))
}

// effect is Cohen's d of paired values, 0 where all differences are 0 (J. Cohen,
// Statistical Power Analysis for the Behavioral Sciences, 1988, d_z).
func effect(d []float64) float64 {
	if m := mean(d); m != 0 {
		return m / deviation(d)
	}
	return 0
}
